// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "data/admission.hpp"

#include <thread>

#include "data/in_place_task.hpp"

namespace hocket::detail {

void admission::add_budget(budget_id budget, std::uint64_t bytes) {
  const std::scoped_lock lock(guard_);
  throttle_.add_budget(budget, bytes);
}

void admission::announce(admission_request& request) {
  const std::scoped_lock lock(guard_);
  request.age = announced_++;
  throttle_.announce(request);
}

admission::admitted admission::try_acquire(in_place_task& task) {
  const admission_request& request = task.control()->request();
  admitted all;
  // Not under the lock: buffers that are locked may be locked around it.
  const bool cannot_run = task.cannot_run();
  const std::scoped_lock lock(guard_);
  waiting_.emplace(request.id, &task);
  // Asked under the lock: a thread that cancels it later finds that it waits.
  if (cannot_run || task.before().count().is_claimed()) {
    throttle_.withdraw(request);
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
  throttle_.withdraw(request);
  if (waiting_.contains(request.id)) admit_one(request.id, all);
  grant(all);
  return all;
}

admission::admitted admission::leave(const admission_request& request) {
  admitted all;
  const std::scoped_lock lock(guard_);
  throttle_.withdraw(request);
  for (const task_id taker : request.returns) throttle_.give_back(taker);
  grant(all);
  return all;
}

void admission::admit_one(task_id id, admitted& all) {
  const auto at = waiting_.find(id);
  funded_.erase(id);
  all.push_back(at->second);
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
}

void admit(const admission::admitted& all, ready_list& next) noexcept {
  for (in_place_task* const each : all) task_runner::arrive(*each, false, next);
}

}  // namespace hocket::detail
