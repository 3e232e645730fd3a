// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "placement/submission.hpp"

#include <functional>

#include "placement/placed_runtime.hpp"
#include "tasks/caught.hpp"
#include "tasks/wait_visitor.hpp"

namespace hocket::detail {

namespace {

/// Waits for one future on behalf of a submission.
class future_watch final : public continuation {
 public:
  future_watch(boost::intrusive_ptr<launch_submission> owner, std::size_t index,
               placed_runtime& home)
      : owner_(std::move(owner)), index_(index), home_(home) {}

  void run(task_state& source, ready_list&) noexcept override {
    launch_submission::awaited& waited = owner_->waits[index_];
    failure why;
    task_state* none = nullptr;
    if (source.error()) {
      if (owner_->fallen.compare_exchange_strong(none, &source)) {
        why = owner_->state->told_downfall(source);
      }
    } else if (waited.scalar) {
      const std::size_t at = *waited.scalar;
      scalar_argument& number = owner_->launch->scalars[at];
      number = waited.number.convert(source.value(), number.type);
    }
    home_.post(placement::external_ended{owner_->id, std::move(why)});
    delete this;
  }
  [[nodiscard]] task_state* follower() const noexcept override { return owner_->state.get(); }

 private:
  boost::intrusive_ptr<launch_submission> owner_;
  std::size_t index_;
  placed_runtime& home_;
};

}  // namespace

submission::submission(placed_runtime& home) : home_(home) { home_.submission_made(); }
submission::~submission() = default;

void submission::unused() noexcept {
  placed_runtime& home = home_;
  delete this;  // before the count, which lets the runtime end
  home.submission_gone();
}

class launch_submission::stop_relay {
 public:
  stop_relay(placed_runtime& home, task_id id, const std::stop_token& token,
             std::function<failure()> why)
      : callback_(token, [&home, id, why = std::move(why)] {
          home.post(placement::cancel_asked{id, why()});
        }) {}

 private:
  std::stop_callback<std::function<void()>> callback_;
};

/// Keeps the scope and the runtime of a task open while its body still runs after the task was
/// completed.
class launch_submission::running_body final : public task_state {
 public:
  explicit running_body(host_context& context) : task_state(&context) { context.started(*this); }
};

namespace {

struct pooled_launch final : counted_launch {
  static void* operator new(std::size_t) { return task_memory::take_for<pooled_launch>(); }
  static void operator delete(void* place) noexcept {
    task_memory::give_back_for<pooled_launch>(place);
  }

  device_task* task = nullptr;  ///< lives longer than the body runs
};

}  // namespace

task_state* task_of_launch(const launch_command& launch) noexcept {
  // All launches that are given to streams are counted ones.
  const auto& counted = static_cast<const counted_launch&>(launch);
  const auto* const own = dynamic_cast<const pooled_launch*>(&counted);
  return own == nullptr ? nullptr : own->task;
}

void launch_submission::be_known_to_launch() noexcept {
  static_cast<pooled_launch&>(*launch).task = state.get();
}

void launch_submission::tell_awaited(wait_visitor& to) const {
  for (const awaited& each : waits) {
    if (!each.source->done()) to.follow(*each.source);
  }
}

launch_submission::launch_submission(placed_runtime& home)
    : launch_submission(home, boost::intrusive_ptr<counted_launch>(new pooled_launch)) {}

// The runtime counts the submission from here on, so nothing may throw.
launch_submission::launch_submission(placed_runtime& home,
                                     boost::intrusive_ptr<counted_launch>&& what) noexcept
    : submission(home) {
  launch = std::move(what);
}
launch_submission::~launch_submission() = default;

void launch_submission::watch() {
  for (std::size_t i = 0; i < waits.size(); ++i) {
    auto watched = std::make_unique<future_watch>(this, i, home_);
    if (waits[i].source->attach(*watched)) {
      (void)watched.release();
    } else {
      ready_list none;
      watched.release()->run(*waits[i].source, none);
    }
  }
}

void launch_submission::watch_stop(const std::stop_token& stop) {
  if (!stop.stop_possible()) return;
  stop_ = std::make_unique<stop_relay>(
      home_, id, stop, [name = std::string(label_text())] { return cancelled(name); });
}

void launch_submission::watch_scope(const host_context& scope) {
  scope_stop_ = std::make_unique<stop_relay>(
      home_, id, scope.stopping(),
      [&scope, task = state.get()] { return scope.refusal_of(*task); });
}

/// Expires at the deadline of a task, whose submission may be gone by then.
class launch_submission::own_timer final : public timer {
 public:
  explicit own_timer(const launch_submission& of)
      : home_(of.home_), id_(of.id), name_(task_name(of.label_text())) {}

  void ring() noexcept override {
    const auto ask = [&home = home_, id = id_, name = name_] {
      home.post(placement::cancel_asked{
          id, failure(failure_code::timed_out, name + " did not end within its time.")});
    };
    try {
      // On a worker: this thread serves other timers too.
      home_.where().post(0, 1, ask);
    } catch (...) {
      ask();
    }
  }

 private:
  placed_runtime& home_;
  task_id id_;
  std::string name_;
};

void launch_submission::set_deadline(time_stamp time) {
  if (time == time_stamp::max()) return;
  timer_ = new own_timer(*this);
  home_.timers()->set(timer_, time);
}

void launch_submission::completed(const failure& why) {
  if (timer_ != nullptr) home_.timers()->call_off(*timer_);
  stop_.reset();
  scope_stop_.reset();
  // If the kernel has a result, the fetch that reads the value completes the future.
  if ((!why && has_result) || state->done()) return;
  task_state* const predecessor = fallen.load();
  if (why && why.code() == failure_code::dependency_failed && predecessor != nullptr) {
    state->comes_after(*predecessor);
  }
  state->finish(why);
}

void launch_submission::runs_on() { running_ = new running_body(*state->context()); }

void launch_submission::retired() {
  if (running_ != nullptr) running_->finish({});
}

void fetch_submission::completed(const failure& why) {
  if (!state->done()) state->finish(why);
}

void fetch_submission::delivered(const std::vector<void*>& addresses) {
  if (!state->done()) state->store(addresses.front());
}

}  // namespace hocket::detail
