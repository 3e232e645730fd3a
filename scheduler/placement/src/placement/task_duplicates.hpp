// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <cstdint>

#include "placement/command_retries.hpp"
#include "placement/duplicate_rules.hpp"
#include "placement/task_finisher.hpp"

namespace hocket::placement {

/// Runs launches that take too long a second time, on an idle device with another memory. The run
/// that ends well first is the task's; what the other one writes is dropped.
///
/// The duplicate writes to the replica of its own memory, where the content is not valid: whatever
/// comes there later waits for it, as for a reader. When it has ended first, the content becomes
/// valid there, and not in the memory of the first run, where later commands wait for that as for
/// any that has touched an old content.
class task_duplicates {
 public:
  task_duplicates(engine_state& state, memory_reclaimer& memory, command_retries& retries,
                  task_finisher& finisher)
      : s_(state), memory_(memory), retries_(retries), finisher_(finisher) {}

  /// The answer to a request for a duplicate.
  enum class outcome : std::uint8_t {
    started,
    not_yet,     ///< a device is idle, and would not be faster than what was used so far
    impossible,  ///< unless something else happens
  };
  /// The first run of the task, whose command waits for no other, has taken that time.
  outcome start(placed_task& t, nanoseconds used);

  /// To be called for each command that ends, while there are duplicates. Returns true if that is
  /// all there is to do.
  [[nodiscard]] bool takes_end(const command_record& record, const command_result& how);
  /// The command, of a duplicate or of the run that one stands for, was lost with its device.
  void command_lost(const command_record& record, const failure& why);

 private:
  void make(placed_task& t, device_id device);
  [[nodiscard]] timepoint_set bring_input(const placed_task& t, const task_duplicate& made);
  void plan(task_duplicate& made, timepoint_set&& waits);

  [[nodiscard]] bool first_run_ended(placed_task& t, const command_record& record,
                                     const command_result& how);
  void duplicate_ended(task_duplicate& d, const command_result& how);
  [[nodiscard]] bool may_commit(const task_duplicate& d, const placed_task& t) const;
  [[nodiscard]] bool has_right_of_way(const task_duplicate& d) const;
  void commit(task_duplicate& d, placed_task& t, const command_result& how);
  void forget_first_run(const placed_task& t);
  void stand_for_first_run(task_duplicate& d, placed_task& t);
  void drop(task_duplicate& d);
  void first_run_ended_last(task_duplicate& d, const command_result& how);
  void remove(task_duplicate& d);
  void unpin(task_duplicate& d);
  /// The replicas that the task wrote to are not valid, and in use for long.
  void release_outputs(const placed_task& t, memory_id memory);

  engine_state& s_;
  const duplicate_rules rules_{s_};
  memory_reclaimer& memory_;
  command_retries& retries_;
  task_finisher& finisher_;
};

}  // namespace hocket::placement
