// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <cstddef>
#include <deque>
#include <map>
#include <vector>

#include <hocket/scheduler/traced_run.hpp>

#include "placement/in_flight_table.hpp"
#include "placement/placed_task.hpp"

namespace hocket::placement {

struct engine_state;

/// Writes down why and when each task runs where it does. Callers call it only for tasks that have
/// a trace_note, so that others pay nothing.
class decision_log {
 public:
  /// capacity: tasks that are kept, and copies; 0: nothing is written down.
  explicit decision_log(std::size_t capacity) : capacity_(capacity) {}

  [[nodiscard]] bool keeps() const noexcept { return capacity_ > 0; }

  /// The task was submitted, and is linked behind those that it comes after.
  void submitted(placed_task& t, time_stamp now);
  /// Nothing is in the way of the task any more.
  static void ready(placed_task& t, time_stamp now);
  /// The policy is about to be asked for the task in a round.
  void weigh(const placed_task& t, const engine_state& s) { weigh(t, s, true); }
  /// The task is about to be queued at the device. Its attempt is that of before.
  void chosen(placed_task& t, device_id device, const engine_state& s);
  /// The task waits for memory from now on.
  static void reserving(placed_task& t, time_stamp now);
  /// The command of the task has its number. Of a view: it is open.
  static void issued(placed_task& t, time_stamp now);
  /// The content of a view is there.
  static void delivered(placed_task& t, time_stamp now);
  static void launch_ended(placed_task& t, const command_result& how);
  /// The task leaves the engine.
  void finished(placed_task& t, time_stamp now, const failure& why);
  void copy_ended(const command_record& record, const command_result& how);

  /// Adds what is kept.
  void add_to(traced_run& run) const;

 private:
  [[nodiscard]] static traced_task* record_of(placed_task& t) noexcept;
  void weigh(const placed_task& t, const engine_state& s, bool in_round);
  void add_orders(placed_task& t);
  void add_accesses(placed_task& t);
  void forget_unused_buffers();

  std::size_t capacity_;
  std::deque<traced_task> tasks_;  ///< that have ended, in that order
  std::deque<traced_copy> copies_;
  std::map<data_id, traced_buffer> buffers_;
  std::map<const detail::task_state*, task_id> states_;  ///< of tasks that have not ended
  std::uint64_t dropped_ = 0;
  task_id weighed_;  ///< the task that the candidates are of
  std::vector<traced_candidate> candidates_;
};

}  // namespace hocket::placement
