// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <cstddef>
#include <vector>

#include <hocket/core/trace.hpp>

#include "placement/in_flight_table.hpp"
#include "placement/placed_task.hpp"

namespace hocket::placement {

/// Writes the commands that have ended into a trace: each with its begin and end, and the gap
/// before it in which its stream waited.
class command_trace {
 public:
  /// capacity: records that are kept; 0: none are written.
  command_trace(const machine& machine, std::size_t capacity);

  /// of: the task that the command is for; null if that has ended or there is none.
  void ended(const command_record& record, const command_result& how, const placed_task* of) {
    if (records_.keeps()) write(record, how, of);
  }
  [[nodiscard]] const trace_ring& records() const noexcept { return records_; }

 private:
  void write(const command_record& record, const command_result& how, const placed_task* of);
  void write_wait(const trace_record& ended, time_stamp wanted);

  const machine& machine_;
  trace_ring records_;
  std::vector<time_stamp> last_end_;  ///< for each stream, the last end that was reported
};

}  // namespace hocket::placement
