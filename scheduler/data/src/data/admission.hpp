// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <set>
#include <vector>

#include <boost/unordered/unordered_flat_map.hpp>

#include <hocket/core/ids.hpp>
#include <hocket/scheduler/detail/task_state.hpp>

#include "data/throttle.hpp"

namespace hocket::detail {

class in_place_task;
class ready_list;

/// What a task asks of the admission.
struct admission_request : throttle_request {
  std::vector<task_id> returns;  ///< tasks whose bytes come back when this one ends
};

/// Keeps tasks back whose predecessors have ended: until a budget has bytes for them, or until it
/// is their turn among those that start in order, which it is when the one before has started, as
/// workers may begin in any order what is let in together. Any thread; the caller tells the tasks
/// that a call lets in.
class admission {
 public:
  struct admitted {
    std::vector<in_place_task*> tasks;
    /// The first task of the line, which keeps others back though it is not ready: to be looked at.
    task_state_ptr first;
  };

  /// The task will want to be let in some day. Of tasks of equal priority those that are announced
  /// first come first: while the buffers of the task are locked, so that this order agrees with
  /// that of the tasks in their data.
  void announce(admission_request& request, in_place_task& task);

  /// Nothing else keeps the task back. One without hope is let in, to end. A task in order has its
  /// turn until it starts, or will not.
  [[nodiscard]] admitted try_acquire(in_place_task& task);

  /// The first task of the line waits for these, which start in order. Returns the one that is kept
  /// back until the first one starts, which it never does then; not valid: there is none.
  [[nodiscard]] task_id note_awaited(task_id first, const std::vector<task_id>& in_order);
  /// All that the task, which is in order, waits for is known.
  [[nodiscard]] admitted registered(task_id task);

  /// The task, which is in order, starts: it is another one's turn. number: of those that start.
  [[nodiscard]] admitted start(const admission_request& request, std::uint64_t& number);
  /// Returns when the tasks before that number have begun, and that one has then. The threads that
  /// have started them need only a moment: to wake a worker takes longer than the worker needs.
  void begin(std::uint64_t number) noexcept;

  /// The task will not run, and keeps nothing from others: if it waits it is let in at once.
  [[nodiscard]] admitted give_up(const admission_request& request);

  /// The runtime was stopped: tasks that wait are let in to end, as those are that come later.
  [[nodiscard]] admitted let_all_end();

  /// The task is over.
  [[nodiscard]] admitted leave(const admission_request& request);

 private:
  struct place_in_line {
    in_place_task* task;
    bool is_registered = false;  ///< its edges are complete
  };

  void admit_one(task_id id, admitted& all);
  void grant(admitted& all);
  void take_turn(admitted& all);
  [[nodiscard]] task_id kept_back_of_awaited() const;
  void withdraw(const admission_request& request);

  std::mutex guard_;  // for what follows
  std::uint64_t announced_ = 0;
  std::uint64_t started_ = 0;  ///< tasks in order
  throttle throttle_{1};
  boost::unordered_flat_map<task_id, in_place_task*, std::hash<task_id>> waiting_;
  std::set<task_id> funded_;  ///< those in order that have their bytes, or need none
  boost::unordered_flat_map<task_id, place_in_line, std::hash<task_id>> in_line_;
  task_id looked_at_;                    ///< a first task of the line; not valid: none
  std::vector<task_id> awaited_;         ///< what it waits for of those that start in order
  std::atomic<std::uint64_t> begun_{0};  ///< tasks in order; not under guard_
};

/// Counts the admission as an arrival at each of the tasks, and fails the first task of the line if
/// it waits for one that comes behind it. To be called without locks.
void admit(const admission::admitted& all, ready_list& next) noexcept;

}  // namespace hocket::detail
