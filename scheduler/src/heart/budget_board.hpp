// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <map>
#include <set>
#include <vector>

#include <hocket/core/ids.hpp>

namespace hocket::heart {

/// Counted bytes that one task takes and another returns. They are granted in priority order: bytes
/// that a task of higher priority will need are kept for it even while it is not ready. Granting in
/// the order in which tasks become ready deadlocks pipelines, because early tasks eat what the
/// first one that could return anything needs.
class budget_board {
 public:
  void add(budget_id budget, std::uint64_t bytes);
  [[nodiscard]] bool knows(budget_id id) const { return budgets_.contains(id); }
  [[nodiscard]] std::uint64_t capacity(budget_id budget) const;

  /// The task will want bytes some day. Tasks of equal priority are served in id order.
  void announce(budget_id budget, task_id task, std::int64_t priority, std::uint64_t bytes);

  /// The task could start now but for its bytes.
  void ready(budget_id budget, task_id task);

  /// The task ended without ever starting; what it took, if anything, comes back as well.
  void withdraw(task_id task);

  /// Bytes that the task took come back. Without effect if it never took any.
  void give_back(task_id taker);

  /// True if grant() may have something to grant.
  [[nodiscard]] bool changed() const noexcept { return changed_; }

  /// The tasks that have their bytes from now on, in order.
  [[nodiscard]] std::vector<task_id> grant();

 private:
  struct place {
    std::int64_t rank;  ///< lower first
    task_id task;
    friend auto operator<=>(const place&, const place&) = default;
  };
  struct wish {
    std::uint64_t bytes = 0;
    bool ready = false;
  };
  struct budget {
    std::uint64_t capacity = 0;
    std::uint64_t used = 0;
    std::map<place, wish> wishes;
    bool changed = false;
  };
  struct taken {
    budget_id budget;
    std::uint64_t bytes = 0;
  };

  std::map<budget_id, budget> budgets_;
  bool changed_ = false;  ///< one of them
  std::map<task_id, std::pair<budget_id, place>> waiting_;
  std::map<task_id, taken> taken_;
};

}  // namespace hocket::heart
