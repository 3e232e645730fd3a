// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <optional>

#include "placement/engine_state.hpp"

namespace hocket::placement {

/// Issues tasks: plans the command of a launch, and notes in the content state what it reads and
/// writes. Tasks that come after it are not looked at here.
class task_issuer {
 public:
  explicit task_issuer(engine_state& state) : s_(state) {}

  /// A lane of the task's device that accepts one more command, the best for the task. Tasks that
  /// are not blocked can have any.
  [[nodiscard]] std::optional<std::size_t> free_lane(const placed_task& t) const;
  /// Issues the launch if it uses only whole buffers whose content is present: then nothing has to
  /// be reserved or copied. Otherwise does nothing and returns false.
  [[nodiscard]] bool issue_present(placed_task& t, std::size_t lane);
  /// Issues the launch with its copies. Its buffers have blocks in the memory of its device.
  void issue(placed_task& t);

  /// Brings what the task reads to the memory. Returns what the task has to wait for.
  [[nodiscard]] timepoint_set acquire(const placed_task& t, memory_id memory);
  /// The command with this number reads and writes there what the task does.
  void note_accesses(placed_task& t, memory_id memory, point number);
  /// The task is about to be issued, for what it writes in that memory: where the runtime survives
  /// the loss of devices, that is logged.
  void log_issue(const placed_task& t, memory_id memory);
  void mark_issued(placed_task& t);

 private:
  void note_older(const placed_task& t);
  [[nodiscard]] std::optional<std::size_t> lane_of_predecessors(const placed_task& t) const;
  void plan(placed_task& t, std::size_t lane, timepoint_set&& waits);

  engine_state& s_;
  std::uint64_t uses_ = 0;  ///< of buffers
};

}  // namespace hocket::placement
