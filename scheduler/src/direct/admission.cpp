// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "direct/admission.hpp"

#include "direct/direct_task.hpp"

namespace hocket::detail {

void admission::add_budget(budget_id budget, std::uint64_t bytes) {
  const std::scoped_lock lock(guard_);
  budgets_.add(budget, bytes);
}

void admission::announce(admission_request& wish) {
  const std::scoped_lock lock(guard_);
  wish.age = announced_++;
  if (wish.budget.valid()) {
    budgets_.announce(wish.budget, wish.id, wish.priority, wish.bytes);
  }
  if (wish.in_order) turns_.insert(place_of(wish));
}

admission::admitted admission::knock(direct_task& task) {
  const admission_request& wish = task.wish();
  admitted all;
  const std::scoped_lock lock(guard_);
  knocking_.emplace(wish.id, &task);
  // Asked under the lock: who gives it up later finds that it has knocked.
  if (task.is_hopeless()) {
    budgets_.withdraw(wish.id);
    let_in(wish.id, all);
    grant(all);
  } else if (wish.budget.valid()) {
    budgets_.ready(wish.budget, wish.id);
    grant(all);
  } else {
    funded_.insert(wish.id);
    take_turns(all);
  }
  return all;
}

admission::admitted admission::give_up(const admission_request& wish) {
  admitted all;
  const std::scoped_lock lock(guard_);
  budgets_.withdraw(wish.id);
  turns_.erase(place_of(wish));
  if (knocking_.contains(wish.id)) let_in(wish.id, all);
  grant(all);
  return all;
}

admission::admitted admission::leave(const admission_request& wish) {
  admitted all;
  const std::scoped_lock lock(guard_);
  turns_.erase(place_of(wish));
  budgets_.withdraw(wish.id);
  for (const task_id taker : wish.returns) budgets_.give_back(taker);
  grant(all);
  take_turns(all);
  return all;
}

void admission::let_in(task_id id, admitted& all) {
  const auto at = knocking_.find(id);
  funded_.erase(id);
  turns_.erase(place_of(at->second->wish()));
  all.push_back(at->second);
  knocking_.erase(at);
}

void admission::grant(admitted& all) {
  for (const task_id id : budgets_.grant()) {
    const auto at = knocking_.find(id);
    if (at == knocking_.end()) continue;  // it was given up
    if (at->second->wish().in_order) {
      funded_.insert(id);
    } else {
      let_in(id, all);
    }
  }
  take_turns(all);
}

void admission::take_turns(admitted& all) {
  while (!turns_.empty() && funded_.contains(turns_.begin()->task)) {
    let_in(turns_.begin()->task, all);
  }
}

}  // namespace hocket::detail
