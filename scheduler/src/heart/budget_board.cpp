// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "heart/budget_board.hpp"

namespace hocket::heart {

void budget_board::add(budget_id id, std::uint64_t bytes) { budgets_[id].capacity = bytes; }

std::uint64_t budget_board::capacity(budget_id id) const { return budgets_.at(id).capacity; }

void budget_board::announce(budget_id id, task_id task, std::int64_t priority,
                            std::uint64_t bytes) {
  const place at{-priority, task};
  budgets_.at(id).wishes.emplace(at, wish{bytes, false});
  waiting_.emplace(task, std::pair{id, at});
}

void budget_board::ready(budget_id id, task_id task) {
  budget& b = budgets_.at(id);
  b.wishes.at(waiting_.at(task).second).ready = true;
  b.changed = changed_ = true;
}

void budget_board::withdraw(task_id task) {
  const auto at = waiting_.find(task);
  if (at == waiting_.end()) return;
  budget& b = budgets_.at(at->second.first);
  b.wishes.erase(at->second.second);
  b.changed = changed_ = true;
  waiting_.erase(at);
}

void budget_board::give_back(task_id taker) {
  const auto at = taken_.find(taker);
  if (at == taken_.end()) return;
  budget& b = budgets_.at(at->second.budget);
  b.used -= at->second.bytes;
  b.changed = changed_ = true;
  taken_.erase(at);
}

std::vector<task_id> budget_board::grant() {
  std::vector<task_id> granted;
  changed_ = false;
  for (auto& [id, b] : budgets_) {
    if (!b.changed) continue;
    b.changed = false;
    std::uint64_t kept = 0;  // for tasks of higher priority that are not ready
    for (auto at = b.wishes.begin(); at != b.wishes.end() && b.used + kept < b.capacity;) {
      const auto& [where, wanted] = *at;
      if (b.used + kept + wanted.bytes > b.capacity || !wanted.ready) {
        kept += wanted.bytes;
        ++at;
        continue;
      }
      b.used += wanted.bytes;
      granted.push_back(where.task);
      taken_.emplace(where.task, taken{id, wanted.bytes});
      waiting_.erase(where.task);
      at = b.wishes.erase(at);
    }
  }
  return granted;
}

}  // namespace hocket::heart
