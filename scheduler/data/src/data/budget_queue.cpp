// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "data/budget_queue.hpp"

#include <algorithm>
#include <utility>

#include "data/rank.hpp"
#include "data/seeded_bug.hpp"

namespace hocket::detail {

void budget_queue::add(budget_id id, std::uint64_t bytes) { budgets_[id].capacity = bytes; }

std::uint64_t budget_queue::capacity(budget_id id) const { return budgets_.at(id).capacity; }

void budget_queue::announce(budget_id id, task_id task, std::int64_t priority,
                            std::uint64_t bytes) {
  const place at{rank_of(priority), announced_++};
  budgets_.at(id).requests.emplace(at, request{.task = task, .bytes = bytes});
  waiting_.emplace(task, std::pair{id, at});
}

void budget_queue::ready(budget_id id, task_id task) {
  budget& b = budgets_.at(id);
  const auto at = waiting_.find(task);
  const auto wanted = b.requests.find(at->second.second);
  changed_ = true;
  if (wanted->second.bytes > 0) {
    wanted->second.ready = b.changed = true;
    return;
  }
  // Whatever others have taken, nothing is left for it.
  b.requests.erase(wanted);
  waiting_.erase(at);
  free_.push_back(task);
}

void budget_queue::withdraw(task_id task) {
  const auto at = waiting_.find(task);
  if (at == waiting_.end()) return;
  budget& b = budgets_.at(at->second.first);
  b.requests.erase(at->second.second);
  b.changed = changed_ = true;
  waiting_.erase(at);
}

void budget_queue::give_back(task_id taker) {
  if (const auto waits = waiting_.find(taker); waits != waiting_.end()) {
    const auto& [id, wanted] = waits->second;
    budgets_.at(id).requests.at(wanted).is_returned = true;
    return;
  }
  const auto at = taken_.find(taker);
  if (at == taken_.end() || seeded_bug(bug::never_return_budget)) return;
  budget& b = budgets_.at(at->second.budget);
  b.used -= at->second.bytes;
  b.changed = changed_ = true;
  taken_.erase(at);
}

std::vector<task_id> budget_queue::grant() {
  std::vector<task_id> granted = std::exchange(free_, {});
  changed_ = false;
  for (auto& [id, b] : budgets_) {
    if (std::exchange(b.changed, false)) grant_from(id, b, granted);
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
