// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "graphs/placed_run.hpp"

#include <utility>

#include <hocket/core/saturating.hpp>

#include "placement/placed_runtime.hpp"
#include "tasks/live_runtimes.hpp"
#include "tasks/wait_visitor.hpp"

namespace hocket::detail {

task_state_ptr placed_run::start(const run_frame& frame, std::shared_ptr<placed_plan> plan,
                                 task_label label) {
  const boost::intrusive_ptr<placed_run> made(
      new placed_run(frame, std::move(plan), std::move(label)));
  made->begin();
  return made;
}

placed_run::placed_run(const run_frame& frame, std::shared_ptr<placed_plan> plan, task_label label)
    : task_state(&frame.context(), std::move(label)),
      home_(frame.home),
      plan_(std::move(plan)),
      set_(plan_->set_for_run()) {
  (void)context()->stop().token();  // begin() must not throw
  const auto all = set_->tasks();
  const std::uint64_t first = home_.next_numbers(all.size());
  for (std::uint32_t i = 0; i < all.size(); ++i) {
    auto& task = static_cast<planned_launch&>(*all[i]);
    task.begin(*this, task_id{first + i});
    task.within = frame.within.id;
    task.priority = saturating_add(plan_->priority(i), frame.priority);
    const auto returns = plan_->returns(i);
    for (std::size_t at = 0; at < returns.size(); ++at) {
      task.limits->returns[at] = task_id{first + returns[at]};
    }
  }
  for (const placed_plan::parameter& each : plan_->parameters()) {
    const setting* const set = frame.find(each.number.set_by);
    scalar_argument& number =
        static_cast<planned_launch&>(*all[each.task]).command().scalars[each.index];
    number = set == nullptr ? each.number.value
                            : each.number.convert(set->value.bytes, each.number.value.type);
  }
  set_tasks(all, plan_->kept());
}

placed_run::~placed_run() = default;

/// The engine gets the run, and it has to end from here on: a program that runs out of memory here
/// ends.
void placed_run::begin() noexcept {
  home_.submission_made();
  intrusive_ptr_add_ref(static_cast<task_state*>(this));  // until it has retired
  context()->started(*this);
  // Before the run is submitted: it may end at once. The engine takes a cancellation that comes
  // first.
  watch_.emplace(context()->stop().token(), stop_watch{this});
  home_.post(placement::run_submitted{this});
}

void placed_run::request_cancel() noexcept {
  if (done()) return;
  const live_runtimes::user owner(home());
  if (owner) cancel({failure_code::cancelled, name() + " was cancelled before it ended."});
}

void placed_run::cancel(failure why) {
  home_.post(placement::run_cancelled{placement::run_ref(this), std::move(why)});
}

void placed_run::add_reference() noexcept { intrusive_ptr_add_ref(static_cast<task_state*>(this)); }
void placed_run::release_reference() noexcept {
  intrusive_ptr_release(static_cast<task_state*>(this));
}

void placed_run::ended(const failure& why, bool runs_on) {
  watch_.reset();
  if (runs_on) {
    running_ = new running_body(*context());
    running_->begin();
  }
  finish(why);
}

void placed_run::bodies_ended() {
  running_->finish();
  running_ = nullptr;
}

void placed_run::retired() {
  const task_state_ptr self(this, false);
  {
    const std::lock_guard lock(guard_);
    plan_->give_back(std::move(set_));
  }
  plan_ = nullptr;  // before the count, which lets the runtime end
  home_.submission_gone();
}

void placed_run::tell_awaited(wait_visitor& to) {
  const std::lock_guard lock(guard_);
  if (set_ == nullptr) return;
  for (const placement::run_task* const each : set_->tasks()) to.follow(each->id);
}

}  // namespace hocket::detail
