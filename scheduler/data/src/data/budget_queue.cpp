// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "data/budget_queue.hpp"

#include <algorithm>
#include <utility>

#include "data/rank.hpp"
#include "data/seeded_bug.hpp"

namespace hocket::detail {

void budget_queue::announce(budget_id id, std::uint64_t capacity, task_id task,
                            std::int64_t priority, std::uint64_t bytes) {
  const place at{rank_of(priority), announced_++};
  budget& b = budgets_[id];
  b.capacity = capacity;
  b.requests.emplace(at, request{.task = task, .bytes = bytes});
  waiting_.emplace(task, std::pair{id, at});
}

void budget_queue::ready(budget_id id, task_id task) {
  const auto own = budgets_.find(id);
  const auto at = waiting_.find(task);
  const auto wanted = own->second.requests.find(at->second.second);
  if (wanted->second.bytes > 0) {
    wanted->second.ready = true;
    changed_.insert(id);
    return;
  }
  // Whatever others have taken, nothing is left for it.
  own->second.requests.erase(wanted);
  waiting_.erase(at);
  free_.push_back(task);
  forget_unused(own);
}

void budget_queue::withdraw(task_id task) {
  const auto at = waiting_.find(task);
  if (at == waiting_.end()) return;
  const auto own = budgets_.find(at->second.first);
  own->second.requests.erase(at->second.second);
  changed_.insert(own->first);
  waiting_.erase(at);
  forget_unused(own);
}

void budget_queue::give_back(task_id taker) {
  if (const auto waits = waiting_.find(taker); waits != waiting_.end()) {
    const auto& [id, wanted] = waits->second;
    budgets_.at(id).requests.at(wanted).is_returned = true;
    return;
  }
  const auto at = taken_.find(taker);
  if (at == taken_.end() || seeded_bug(bug::never_return_budget)) return;
  const auto own = budgets_.find(at->second.budget);
  own->second.used -= at->second.bytes;
  changed_.insert(own->first);
  taken_.erase(at);
  forget_unused(own);
}

/// The next task that wants bytes of it brings the capacity along.
void budget_queue::forget_unused(std::map<budget_id, budget>::iterator at) {
  if (at->second.used == 0 && at->second.requests.empty()) budgets_.erase(at);
}

std::vector<task_id> budget_queue::grant() {
  std::vector<task_id> granted = std::exchange(free_, {});
  for (const budget_id id : std::exchange(changed_, {})) {
    const auto at = budgets_.find(id);
    if (at == budgets_.end()) continue;
    grant_from(id, at->second, granted);
    forget_unused(at);
  }
  return granted;
}

void budget_queue::grant_from(budget_id id, budget& b, std::vector<task_id>& granted) {
  std::uint64_t left = b.capacity - b.used;
  for (auto at = b.requests.begin(); at != b.requests.end() && left > 0;) {
    const request wanted = at->second;
    // What a task of higher priority will need is kept for it, even while it is not ready.
    const bool fits = wanted.ready && wanted.bytes <= left;
    if (!fits || !wanted.is_returned) left -= std::min(left, wanted.bytes);
    if (!fits) {
      ++at;
      continue;
    }
    granted.push_back(wanted.task);
    if (!wanted.is_returned) {
      b.used += wanted.bytes;
      taken_.emplace(wanted.task, taken{id, wanted.bytes});
    }
    waiting_.erase(wanted.task);
    at = b.requests.erase(at);
  }
}

}  // namespace hocket::detail
