// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "placement/submission.hpp"

#include <exception>
#include <functional>
#include <memory>
#include <new>

#include "data/unfit_number.hpp"
#include "placement/placed_runtime.hpp"
#include "tasks/caught.hpp"
#include "tasks/helping_scope.hpp"
#include "tasks/running_body.hpp"
#include "tasks/wait_visitor.hpp"

namespace hocket::detail {

namespace {

/// Lends the list room for so many values there. Returns the address behind that room.
template <class T>
std::byte* lend(lent_list<T>& list, std::byte* first, std::size_t count) noexcept {
  // With one alignment the rooms of all lists follow one another without gaps.
  static_assert(alignof(T) == alignof(submission));
  list.lend(first, count);
  return first + count * sizeof(T);
}

}  // namespace

submission::submission(placed_runtime& home) : home_(home) { home_.submission_made(); }
submission::~submission() = default;

void submission::operator delete(submission* gone, std::destroying_delete_t) noexcept {
  void* const place = dynamic_cast<void*>(gone);
  const std::uint8_t block = gone->block_;
  gone->~submission();
  task_memory::give_back(place, block);
}

std::byte* submission::lend_room(std::byte* first, const argument_room& room) noexcept {
  first = lend(accesses, first, room.accesses);
  first = lend(edges, first, room.edges());
  return lend(keeps, first, room.accesses);
}

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

/// What few launches have. It is made by the submitter, or later by the owner of the strand.
struct launch_submission::rare_parts final : placement::task_limits {
  std::vector<awaited> waits;
  /// The first of those to fail, which the failure of this launch names. Later failures are not
  /// posted to the engine.
  std::atomic<task_state*> fallen{nullptr};
  std::unique_ptr<stop_relay> stop;
  std::unique_ptr<stop_relay> scope_stop;
  boost::intrusive_ptr<running_body> running;
  boost::intrusive_ptr<own_timer> timer;
};

launch_submission::rare_parts& launch_submission::make_rare() {
  if (limits == nullptr) limits = std::make_unique<rare_parts>();
  return *rare();
}

launch_submission::rare_parts* launch_submission::rare() const noexcept {
  return static_cast<rare_parts*>(limits.get());
}

placement::task_limits& launch_submission::own_limits() {
  is_limited = true;
  return make_rare();
}

std::size_t launch_submission::rare_bytes() const noexcept {
  return sizeof(rare_parts) + awaits() * sizeof(awaited);
}

void launch_submission::wait_for(awaited&& what) { make_rare().waits.push_back(std::move(what)); }

std::size_t launch_submission::awaits() const noexcept {
  return rare() == nullptr ? 0 : rare()->waits.size();
}

/// Waits for one future on behalf of a launch.
class launch_submission::future_watch final : public continuation {
 public:
  future_watch(boost::intrusive_ptr<launch_submission> owner, awaited& what)
      : owner_(std::move(owner)), what_(what) {}

  void run(task_state& source, ready_list&) noexcept override {
    failure why;
    task_state* none = nullptr;
    if (source.error()) {
      if (owner_->rare()->fallen.compare_exchange_strong(none, &source)) {
        why = task_outcome::because_of(source, *owner_->state);
      }
    } else if (what_.scalar) {
      why = take_number(source);
    }
    owner_->home_.post(placement::external_ended{owner_->id, std::move(why)});
    delete this;
  }
  [[nodiscard]] task_state* follower() const noexcept override { return owner_->state.get(); }

 private:
  /// Returns why the kernel cannot take the number of the future.
  [[nodiscard]] failure take_number(task_state& source) const noexcept {
    launch_command& launch = *owner_->launch;
    scalar_argument& number = launch.scalars[*what_.scalar];
    try {
      number = convert_number_for({*launch.kernel, *what_.scalar, owner_->label_text()},
                                  what_.number.convert, source.value(), number.type);
      return {};
    } catch (const refused_number& thrown) {
      return explained([&] {
        return failure(failure_code::task_failed, thrown.what(), std::current_exception());
      });
    } catch (...) {
      return explained([this] { return caught(task_name(owner_->label_text()), false); });
    }
  }

  boost::intrusive_ptr<launch_submission> owner_;
  awaited& what_;
};

task_state* task_of_launch(const counted_launch& launch) {
  const auto* const own = dynamic_cast<const task_launch*>(&launch);
  return own == nullptr ? nullptr : own->task();
}

void launch_submission::tell_awaited(wait_visitor& to) const {
  if (rare() == nullptr) return;
  for (const awaited& each : rare()->waits) {
    if (!each.source->done()) to.follow(*each.source);
  }
}

launch_submission::launch_submission(placed_runtime& home) noexcept
    : submission(home), own_launch_(*this) {
  launch = &own_launch_;
}
launch_submission::~launch_submission() {
  limits.reset();  // the stop callbacks in it refer to other members
  if (has_function) std::destroy_at(function());
}

void launch_submission::lend_room(std::byte* first, const argument_room& room) noexcept {
  if (room.function != nullptr) {
    static_assert(alignof(launch_function) <= alignof(submission));
    ::new (first) launch_function(std::move(*room.function));
    has_function = true;
    first += sizeof(launch_function);
  }
  std::byte* const rest = submission::lend_room(first, room);
  (void)lend(launch->scalars, lend(launch->buffers, rest, room.accesses), room.numbers);
}

void launch_submission::unused() noexcept {
  placed_runtime& home = home_;
  // The function, which goes here in whatever thread, may hold the last owner of its runtime.
  const helping_scope here(&home, home.where().inside());
  if (launch->is_unshared()) {
    (void)launch.detach();
    delete this;
  } else {
    // A stream still has the command. The rest belongs to the runtime, which may end now.
    keeps.clear();
    limits.reset();
    const boost::intrusive_ptr<counted_launch> last = std::move(launch);
  }
  home.submission_gone();
}

void launch_submission::watch() {
  for (awaited& each : rare()->waits) {
    auto watched = std::make_unique<future_watch>(this, each);
    if (each.source->attach(*watched)) {
      (void)watched.release();
    } else {
      ready_list none;
      watched.release()->run(*each.source, none);
    }
  }
}

void launch_submission::watch_stop(const std::stop_token& stop) {
  if (!stop.stop_possible()) return;
  make_rare().stop = std::make_unique<stop_relay>(
      home_, id, stop, [name = std::string(label_text())] { return cancelled(name); });
}

void launch_submission::watch_scope(host_context& scope) {
  make_rare().scope_stop = std::make_unique<stop_relay>(
      home_, id, scope.stop().token(),
      [&scope, task = state.get()] { return scope.stop().refusal_of(*task); });
}

void launch_submission::set_deadline(time_stamp time) {
  if (time == time_stamp::max()) return;
  rare_parts& own = make_rare();
  own.timer = new own_timer(*this);
  home_.timers()->set(own.timer, time);
}

void launch_submission::completed(const failure& why) {
  rare_parts* const own = rare();
  if (own != nullptr) {
    if (own->timer != nullptr) home_.timers()->call_off(*own->timer);
    own->stop.reset();
    own->scope_stop.reset();
  }
  // If the kernel has a result, the fetch that reads the value completes the future.
  if ((!why && has_result) || state->done()) return;
  task_state* const predecessor = own == nullptr ? nullptr : own->fallen.load();
  if (why && why.code() == failure_code::dependency_failed && predecessor != nullptr) {
    state->outcome().follow(*predecessor);
  }
  state->finish(!why && has_box ? state->take_from_box() : why);
}

void launch_submission::runs_on() {
  make_rare().running = new running_body(*state->context());
  rare()->running->begin();
}

void launch_submission::retired() {
  if (rare() != nullptr && rare()->running != nullptr) rare()->running->finish({});
}

void fetch_submission::completed(const failure& why) {
  if (state->done()) return;
  if (!why) return state->finish(why);
  // A launch that fails has completed the future itself: this one has run.
  state->finish(explained([&] {
    return why.within("the value of " + in_a_sentence(state->name()) + " was copied to the host");
  }));
}

void fetch_submission::delivered(const std::vector<void*>& addresses) {
  if (!state->done()) state->store(addresses.front());
}

}  // namespace hocket::detail
