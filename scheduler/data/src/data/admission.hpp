// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <mutex>
#include <set>
#include <vector>

#include <boost/unordered/unordered_flat_map.hpp>

#include <hocket/core/ids.hpp>

#include "data/budget_queue.hpp"
#include "data/rank.hpp"

namespace hocket::detail {

class in_place_task;

/// What a task asks of the admission.
struct admission_request {
  task_id id;
  std::uint64_t age = 0;  ///< how many were announced before; set by announce()
  std::int64_t priority = 0;
  bool in_order = false;
  budget_id budget;  ///< valid if it takes from one
  std::uint64_t bytes = 0;
  std::vector<task_id> returns;  ///< tasks whose bytes come back when this one ends

  [[nodiscard]] bool waits() const noexcept { return in_order || budget.valid(); }
};

/// Keeps tasks back whose predecessors have ended: until a budget has bytes for them, or until it
/// is their turn among those that start in order. Any thread; the caller tells the tasks that a
/// call lets in.
class admission {
 public:
  using admitted = std::vector<in_place_task*>;

  void add_budget(budget_id budget, std::uint64_t bytes);

  /// The task will want to be let in some day. Of tasks of equal priority those that are announced
  /// first come first: while the buffers of the task are locked, so that this order agrees with
  /// that of the tasks in their data.
  void announce(admission_request& request);

  /// Nothing else keeps the task back. One without hope is let in, to end.
  [[nodiscard]] admitted try_acquire(in_place_task& task);

  /// The task was given up, and keeps nothing from others: it is let in at once, if it has knocked.
  [[nodiscard]] admitted give_up(const admission_request& request);

  /// The task is over.
  [[nodiscard]] admitted leave(const admission_request& request);

 private:
  struct place {
    std::int64_t rank;  ///< lower first
    std::uint64_t age;  ///< lower first
    task_id task;
    friend auto operator<=>(const place&, const place&) = default;
  };

  [[nodiscard]] static place place_of(const admission_request& request) {
    return {rank_of(request.priority), request.age, request.id};
  }
  void admit_one(task_id id, admitted& all);
  void grant(admitted& all);
  void take_turns(admitted& all);

  std::mutex guard_;  // for what follows
  std::uint64_t announced_ = 0;
  budget_queue budgets_;
  std::set<place> turns_;  ///< those in order that have not been let in
  boost::unordered_flat_map<task_id, in_place_task*, std::hash<task_id>> waiting_;
  std::set<task_id> funded_;  ///< those in order that have their bytes, or need none
};

}  // namespace hocket::detail
