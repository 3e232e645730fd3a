// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <hocket/core/ids.hpp>

#include "data/budget_queue.hpp"
#include "data/rank.hpp"
#include "data/rank_queue.hpp"

namespace hocket::detail {

/// What a task asks of a throttle. It is the same in all calls.
struct throttle_request {
  task_id id;
  std::uint64_t age = 0;  ///< no two tasks have the same
  std::int64_t priority = 0;
  bool in_order = false;
  std::size_t line = 0;  ///< of a task in order: the line that it stands in
  budget_id budget;      ///< not valid: it takes no bytes
  std::uint64_t bytes = 0;
  std::uint64_t capacity = 0;  ///< all bytes of the budget

  [[nodiscard]] bool is_throttled() const noexcept { return in_order || budget.valid(); }
};

/// Which tasks may start of those that take bytes of a budget, or that start in order: both by
/// (priority, age), and known from their submission on, so that a task which is ready early takes
/// nothing from one that comes first. Not thread-safe.
class throttle {
 public:
  /// There are so many lines of tasks that start in order, one after the other.
  explicit throttle(std::size_t lines) : lines_(lines) {}

  /// The task was submitted. Of equal priority those get bytes first that were announced first: the
  /// order of these calls is that of the ages.
  void announce(const throttle_request& r);

  /// The task, which takes from a budget, could start now but for its bytes.
  void want_bytes(const throttle_request& r) { budgets_.ready(r.budget, r.id); }
  /// True if grant() may have something to grant.
  [[nodiscard]] bool changed() const noexcept { return budgets_.changed(); }
  /// The tasks that have their bytes from now on, in order.
  [[nodiscard]] std::vector<task_id> grant() { return budgets_.grant(); }

  /// False if another task of the same line has to start first.
  [[nodiscard]] bool has_turn(const throttle_request& r) const {
    return !r.in_order || first_of(r.line) == r.id;
  }
  /// Whose turn it is; not valid if the line is empty.
  [[nodiscard]] task_id first_of(std::size_t line) const;
  /// The task starts, or it never will. Returns whether it stood in a line until now.
  bool leave_line(const throttle_request& r);

  /// The task will not start: it leaves its line, and wants no bytes.
  void withdraw(const throttle_request& r);
  /// Bytes that the task took come back. Without effect if it never took any.
  void give_back(task_id taker) { budgets_.give_back(taker); }

 private:
  [[nodiscard]] static ranked<task_id> place_of(const throttle_request& r) {
    return {rank_of(r.priority), r.age, r.id};
  }

  budget_queue budgets_;
  std::vector<rank_queue<task_id>> lines_;
};

}  // namespace hocket::detail
