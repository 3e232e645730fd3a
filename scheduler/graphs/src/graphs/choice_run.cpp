// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "graphs/choice_run.hpp"

#include <algorithm>
#include <exception>
#include <utility>

#include "data/domain_node.hpp"
#include "graphs/chosen.hpp"
#include "placement/placed_runtime.hpp"
#include "placement/submission.hpp"
#include "tasks/caught.hpp"
#include "tasks/live_runtimes.hpp"
#include "tasks/wait_visitor.hpp"

namespace hocket::detail {

/// Keeps a place among the tasks that use the buffers, for those of the graphs.
class choice_run::domain final : public region_submission {
 public:
  domain(placed_runtime& home, boost::intrusive_ptr<choice_run> owner)
      : region_submission(home), owner_(std::move(owner)) {}

  [[nodiscard]] task_state* stands_for() const noexcept override { return owner_.get(); }
  void delivered(const std::vector<void*>& /*addresses*/) override { owner_->domain_opened(); }
  void completed(const failure& why) override { owner_->domain_closed(why); }

 private:
  boost::intrusive_ptr<choice_run> owner_;
};

task_state_ptr start(use_node&& node, const run_frame& frame) {
  if (node.use.is_choice()) return choice_run::start(std::move(node), frame);
  return run(node.use, frame);
}

task_state_ptr run(const graph_use& use, const run_frame& frame) {
  run_frame of_body = frame.setting_also(use.with);
  of_body.priority = use.priority;
  return use.bodies.front()->run(of_body, use.label, use.after);
}

task_state_ptr choice_run::start(use_node&& node, const run_frame& frame) {
  const boost::intrusive_ptr<choice_run> made(new choice_run(std::move(node.use), frame));
  made->begin(std::move(node.holds));
  return made;
}

choice_run::choice_run(graph_use&& use, const run_frame& frame)
    : task_state(&frame.context(), use.label),
      use_(std::move(use)),
      frame_(frame.setting_also(use_.with)),
      outer_(frame.within) {
  frame_.priority = use_.priority;
}

void choice_run::begin(std::vector<access_argument>&& holds) noexcept {
  context()->started(*this);
  intrusive_ptr_add_ref(this);  // until it ends
  if (!holds.empty()) {
    waits_.fetch_add(1);
    asked_for_domain_ = true;
    if (frame_.home.in_place() != nullptr) {
      ask_for_place(std::move(holds));
    } else {
      ask_for_domain(std::move(holds));
    }
  }
  if (!use_.after.empty()) {
    // One task waits for all of them and knows how to tell of their failures.
    host_options how{.label = label(), .cheap = true};
    wait_for(after_, launch(
                         context(), std::move(how), [] {}, use_.after));
  }
  if (use_.ask.future) wait_for(answer_, use_.ask.future);
  arrive();
}

/// Where the host's memory is the only one, each buffer has its order.
void choice_run::ask_for_place(std::vector<access_argument>&& holds) {
  std::vector<in_place_use> uses;
  for (access_argument& each : holds) {
    uses.push_back({std::move(each.data), nullptr, each.mode});
  }
  const boost::intrusive_ptr<choice_run> self(this);
  domain_owner owner{[self] { self->domain_opened(); },
                     [self](const failure& why) { self->domain_closed(why); }};
  host_options how{.label = label(), .cheap = true};
  const boost::intrusive_ptr<domain_node> place(
      new domain_node(*context(), std::move(how), std::move(owner), std::move(uses),
                      static_cast<domain_node*>(outer_.node.get())));
  frame_.within.node = place;
  place->begin();
}

void choice_run::ask_for_domain(std::vector<access_argument>&& holds) {
  const auto place = make_submission<domain>({.accesses = holds.size()}, frame_.home, this);
  place->kind = placement::task_kind::domain;
  place->label = label();
  place->trace_name = frame_.home.names().intern(place->label_text());
  place->priority = use_.priority;
  place->within = outer_.id;
  place->id = task_id{frame_.home.next_number()};
  for (access_argument& each : holds) {
    const bool is_part = each.where != each.data->whole();
    place->add_access(std::move(each.data), is_part ? &each.where : nullptr, each.mode);
  }
  frame_.within.id = place->id;
  frame_.home.post(placement::submitted{place, {}});
}

void choice_run::wait_for(edge& which, task_state_ptr source) noexcept {
  waits_.fetch_add(1);
  which.owner = this;
  which.source = std::move(source);
  if (!which.source->attach(which)) arrive();
}

void choice_run::edge::run(task_state& /*from*/, ready_list& /*next*/) noexcept {
  if (this == &owner->current_) {
    owner->post();
  } else {
    owner->arrive();
  }
}

void choice_run::arrive() noexcept {
  if (waits_.fetch_sub(1) == 1) post();
}

void choice_run::domain_opened() noexcept {
  holds_ = true;
  arrive();
}

void choice_run::domain_closed(const failure& why) noexcept {
  if (holds_) return end(std::exchange(why_, {}));
  domain_failure_ = why;
  arrive();
}

task_status choice_run::status() const noexcept {
  if (done()) return task_status::done;
  return waits_.load() == 0 ? task_status::running : task_status::pending;
}

void choice_run::request_cancel() noexcept {
  cancelled_ = true;
  task_state_ptr running;
  {
    const std::lock_guard lock(guard_);
    running = under_way_;
  }
  if (running) return running->request_cancel();
  if (done()) return;
  const live_runtimes::user owner(home());
  if (!owner) return;
  // The placement engine refuses if it has given the buffers meanwhile.
  if (asked_for_domain_ && !holds_) {
    if (frame_.within.node) return frame_.within.node->request_cancel();
    frame_.home.post(placement::cancel_asked{frame_.within.id, cancelled(label().text())});
  }
}

void choice_run::tell_awaited(wait_visitor& to) {
  if (done()) return;
  if (asked_for_domain_ && !holds_) {
    if (frame_.within.node) {
      to.follow_and_keep(frame_.within.node);
    } else if (frame_.within.id.valid()) {
      to.follow(frame_.within.id);
    }
  }
  const std::lock_guard lock(guard_);
  for (const task_state_ptr& each : {after_.source, answer_.source, under_way_}) {
    if (each != nullptr) to.follow_and_keep(each);
  }
}

void choice_run::post() noexcept {
  const int level = static_cast<int>(std::clamp<std::int64_t>(use_.priority, -1, 1));
  try {
    context()->where().post(context()->arena_for_host_tasks(), level, [this] { go_on(); });
  } catch (...) {
    go_on();  // no memory for the item: here, because it has to end somewhere
  }
}

void choice_run::go_on() noexcept {
  try {
    const task_state_ptr before = std::move(current_.source);
    {
      const std::lock_guard lock(guard_);
      under_way_ = nullptr;
    }
    if (before && before->error()) return leave(ended_badly(*before));
    switch (std::exchange(step_, step::before)) {
      case step::asks:
        return answered(use_.ask.number(before->value()));
      case step::runs:
        ++rounds_;
        [[fallthrough]];
      case step::before:
        return next_round();
    }
  } catch (...) {
    // What was recorded cannot be submitted any more.
    leave(explained([this] { return caught(name(), false); }));
  }
}

/// How this fails because of what it has asked or run.
failure choice_run::ended_badly(task_state& task) {
  // A failure of its own is not hidden by a cancellation.
  if (cancelled_ && task.error().code() == failure_code::cancelled) return interrupted();
  return outcome().repeat(task);
}

failure choice_run::interrupted() {
  if (domain_failure_ && !cancelled_) return domain_failure_;
  if (context()->stop().is_requested()) return context()->stop().refusal_of(*this);
  if (cancelled_) return {failure_code::cancelled, name() + " was cancelled before it ended."};
  return {};
}

void choice_run::next_round() {
  if (rounds_ == 0) {
    if (after_.source && after_.source->error()) return leave(outcome().repeat(*after_.source));
    if (answer_.source && answer_.source->error())
      return leave(outcome().follow(*answer_.source, *this));
  }
  if (rounds_ == use_.at_most) return leave({});
  if (failure why = interrupted()) return leave(std::move(why));
  if (rounds_ == 0 && !use_.asks_first) return run_body(0);
  ask();
}

void choice_run::ask() {
  if (use_.ask.future) return answered(use_.ask.number(answer_.source->value()));
  follow(step::asks, asked_task());
}

task_state_ptr choice_run::asked_task() {
  if (use_.ask.task) return submit_question(*use_.ask.task, frame_);
  host_options how{.label = label()};
  return launch(context(), std::move(how),
                [owner = use_.ask.owner, f = use_.ask.function](const std::stop_token& stop) {
                  return f->ask({stop});
                });
}

void choice_run::answered(std::int64_t answer) {
  chosen made = choose(use_.rule, {answer, use_.ask.is_unsigned}, use_.bodies.size(), name());
  if (made.why) return leave(std::move(made.why));
  if (made.body == chosen::nothing) return leave({});
  run_body(made.body);
}

void choice_run::run_body(std::size_t body) {
  follow(step::runs, use_.bodies[body]->run(frame_, label(), {}));
}

void choice_run::follow(step what, task_state_ptr task) {
  step_ = what;
  {
    const std::lock_guard lock(guard_);
    under_way_ = task;
  }
  // It may have been asked for before there was anything to cancel.
  if (cancelled_) task->request_cancel();
  current_.owner = this;
  current_.source = task;
  if (!task->attach(current_)) post();
}

void choice_run::leave(failure why) noexcept {
  if (!holds_) return end(std::move(why));
  why_ = why;
  if (frame_.within.node) {
    // It ends with the last task within it, perhaps here, and lets go of this.
    const task_state_ptr place = frame_.within.node;
    return static_cast<domain_node&>(*place).release(std::move(why));
  }
  frame_.home.post(placement::view_released{frame_.within.id, std::move(why)});
}

void choice_run::end(failure why) noexcept {
  const boost::intrusive_ptr<choice_run> self(this, false);
  task_state_ptr after;
  task_state_ptr answer;
  {
    const std::lock_guard lock(guard_);
    after.swap(after_.source);
    answer.swap(answer_.source);
  }
  // The graphs have buffers, in whose order tasks may stand that failed because of this and keep
  // it.
  use_ = {};
  frame_.with = nullptr;
  finish(std::move(why));
}

}  // namespace hocket::detail
