// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <vector>

#include <hocket/core/ids.hpp>

namespace hocket::detail {

/// Counted bytes that one task takes and another returns. They are granted in priority order: bytes
/// that a task of higher priority will need are kept for it even while it is not ready. Granting in
/// the order in which tasks become ready deadlocks pipelines, because early tasks eat what the
/// first one that could return anything needs.
class budget_queue {
 public:
  /// The task will want bytes some day, at most the capacity, which is the same in all calls for a
  /// budget. Tasks of equal priority are served in the order of these calls, which has to agree
  /// with the order of the tasks in their data.
  void announce(budget_id budget, std::uint64_t capacity, task_id task, std::int64_t priority,
                std::uint64_t bytes);

  /// The task could start now but for its bytes.
  void ready(budget_id budget, task_id task);

  /// The task will not start, and wants no bytes any more. What it took stays taken until
  /// give_back().
  void withdraw(task_id task);

  /// Bytes that the task took, or will take, come back. Without effect if it never takes any.
  void give_back(task_id taker);

  /// True if grant() may have something to grant.
  [[nodiscard]] bool changed() const noexcept { return !free_.empty() || !changed_.empty(); }

  /// How many budgets are known: those of which bytes are taken or wanted.
  [[nodiscard]] std::size_t budgets_in_use() const noexcept { return budgets_.size(); }

  /// The tasks that have their bytes from now on, in order.
  [[nodiscard]] std::vector<task_id> grant();

 private:
  struct place {
    std::int64_t rank;  ///< lower first
    std::uint64_t age;  ///< of the announcement, among all
    friend auto operator<=>(const place&, const place&) = default;
  };
  struct request {
    task_id task;
    std::uint64_t bytes = 0;
    bool ready = false;
    bool is_returned = false;  ///< before it took them
  };
  struct budget {
    std::uint64_t capacity = 0;
    std::uint64_t used = 0;
    std::map<place, request> requests;
  };
  struct taken {
    budget_id budget;
    std::uint64_t bytes = 0;
  };

  void grant_from(budget_id id, budget& b, std::vector<task_id>& granted);
  void forget_unused(std::map<budget_id, budget>::iterator at);

  std::map<budget_id, budget> budgets_;  ///< those in use
  std::set<budget_id> changed_;          ///< since the last grant(); some may be unused by now
  std::uint64_t announced_ = 0;
  std::vector<task_id> free_;  ///< ready, and want no bytes
  std::map<task_id, std::pair<budget_id, place>> waiting_;
  std::map<task_id, taken> taken_;
};

}  // namespace hocket::detail
