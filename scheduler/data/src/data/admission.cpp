// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "data/admission.hpp"

#include <algorithm>
#include <thread>

#include "data/in_place_runtime.hpp"
#include "data/in_place_task.hpp"
#include "data/line_check.hpp"

namespace hocket::detail {

void admission::announce(admission_request& request, in_place_task& task) {
  const std::scoped_lock lock(guard_);
  request.age = announced_++;
  throttle_.announce(request);
  if (request.in_order) in_line_.emplace(request.id, place_in_line{&task});
}

void admission::withdraw(const admission_request& request) {
  throttle_.withdraw(request);
  in_line_.erase(request.id);
}

task_id admission::note_awaited(task_id first, const std::vector<task_id>& in_order) {
  const std::scoped_lock lock(guard_);
  if (throttle_.first_of(0) != first) return {};
  looked_at_ = first;
  awaited_ = in_order;
  return kept_back_of_awaited();
}

task_id admission::kept_back_of_awaited() const {
  const auto is_kept_back = [this](task_id id) { return funded_.contains(id); };
  const auto at = std::ranges::find_if(awaited_, is_kept_back);
  return at == awaited_.end() ? task_id() : *at;
}

admission::admitted admission::registered(task_id task) {
  admitted all;
  const std::scoped_lock lock(guard_);
  const auto at = in_line_.find(task);
  if (at == in_line_.end()) return all;
  at->second.is_registered = true;
  take_turn(all);
  return all;
}

admission::admitted admission::try_acquire(in_place_task& task) {
  const admission_request& request = task.control()->request();
  admitted all;
  // Not under the lock: buffers that are locked may be locked around it.
  const bool cannot_run = task.cannot_run();
  const std::scoped_lock lock(guard_);
  waiting_.emplace(request.id, &task);
  // Both asked under the lock: a thread that cancels it or stops the runtime later finds that it
  // waits.
  const bool is_cancelled =
      task.before().count().is_claimed() || task.context()->home().stop().is_requested();
  if (cannot_run || is_cancelled) {
    withdraw(request);
    admit_one(request.id, all);
    grant(all);
  } else if (request.budget.valid()) {
    throttle_.want_bytes(request);
    grant(all);
  } else {
    funded_.insert(request.id);
    take_turn(all);
  }
  return all;
}

admission::admitted admission::start(const admission_request& request, std::uint64_t& number) {
  admitted all;
  const std::scoped_lock lock(guard_);
  number = ++started_;
  in_line_.erase(request.id);
  if (throttle_.leave_line(request)) take_turn(all);
  return all;
}

void admission::begin(std::uint64_t number) noexcept {
  while (begun_ + 1 != number) std::this_thread::yield();
  begun_ = number;
}

admission::admitted admission::give_up(const admission_request& request) {
  admitted all;
  const std::scoped_lock lock(guard_);
  withdraw(request);
  if (waiting_.contains(request.id)) admit_one(request.id, all);
  grant(all);
  return all;
}

admission::admitted admission::let_all_end() {
  admitted all;
  const std::scoped_lock lock(guard_);
  for (const auto& [id, task] : waiting_) {
    withdraw(task->control()->request());
    all.tasks.push_back(task);
  }
  waiting_.clear();
  funded_.clear();
  grant(all);
  return all;
}

admission::admitted admission::leave(const admission_request& request) {
  admitted all;
  const std::scoped_lock lock(guard_);
  withdraw(request);
  for (const task_id taker : request.returns) throttle_.give_back(taker);
  grant(all);
  return all;
}

void admission::admit_one(task_id id, admitted& all) {
  const auto at = waiting_.find(id);
  funded_.erase(id);
  all.tasks.push_back(at->second);
  waiting_.erase(at);
}

void admission::grant(admitted& all) {
  for (const task_id id : throttle_.grant()) {
    const auto at = waiting_.find(id);
    if (at == waiting_.end()) continue;  // it was cancelled
    if (at->second->control()->request().in_order) {
      funded_.insert(id);
    } else {
      admit_one(id, all);
    }
  }
  take_turn(all);
}

void admission::take_turn(admitted& all) {
  const task_id first = throttle_.first_of(0);
  if (first.valid() && funded_.contains(first)) admit_one(first, all);
  if (!first.valid() || funded_.empty() || all.first != nullptr) return;
  const auto at = in_line_.find(first);
  if (at == in_line_.end() || !at->second.is_registered || waiting_.contains(first)) return;
  if (looked_at_ == first && !kept_back_of_awaited().valid()) return;
  all.first = at->second.task;
}

void admit(const admission::admitted& all, ready_list& next) noexcept {
  for (in_place_task* const each : all.tasks) task_runner::arrive(*each, false, next);
  if (all.first == nullptr) return;
  static_cast<in_place_task&>(*all.first).control()->look_at_line();
}

}  // namespace hocket::detail
