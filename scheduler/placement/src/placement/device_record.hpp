// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <cstddef>
#include <string>

#include <hocket/core/duration.hpp>
#include <hocket/core/timepoint.hpp>
#include <hocket/kernels/definition.hpp>

#include "data/device_statistics.hpp"
#include "data/rank.hpp"
#include "placement/kernel_texts.hpp"
#include "placement/placed_task.hpp"
#include "placement/task_queue.hpp"
#include "placement/time_counts.hpp"

namespace hocket::placement {

using detail::device_statistics;

/// The task that shows whether a quarantined device works again.
struct device_probe {
  bool is_awaited = false;  ///< the next task that could run there is that
  task_id task;             ///< not valid: there is none
  std::size_t failed = 0;   ///< probes in a row
};

/// The tasks that wait for one device, and how the device fares.
struct device_record {
  device_state state = device_state::in_use;
  device_probe probe;
  bool is_waited_for = false;   ///< a warning told that a task waits until it is in use
  std::string lost;             ///< the reason why it is lost or hung
  bool is_left = false;         ///< it is gone, and tasks that name it may run elsewhere
  device_id stand_in;           ///< if it is left: where its tasks in order run, if they can
  known_kernels refuses;        ///< that it cannot compile, while other devices can
  compiling_kernels compiling;  ///< whose tasks run on other devices meanwhile
  known_kernels prepared;       ///< that it has compiled so
  compiled_kernels compiled;
  task_queue present;  ///< tasks whose data are in its memory
  task_queue absent;   ///< tasks whose data have to be copied
  std::size_t fetching = 0;
  placed_task* reserving = nullptr;  ///< the task that waits for memory
  point last_wide;                   ///< the last launch that had all lanes
  time_sum queued;                   ///< predicted time of the queued tasks
  std::size_t waiting = 0;           ///< number of the queued tasks
  std::size_t in_line = 0;           ///< of those: tasks in order
  device_statistics done;

  /// True unless the device is lost or removed.
  [[nodiscard]] bool alive() const noexcept { return state < device_state::lost; }
  /// True if the device is not alive, or will not be when its driver lets go of a command.
  [[nodiscard]] bool is_lost_or_hung() const noexcept { return state >= device_state::hung; }
  /// True if tasks are placed there.
  [[nodiscard]] bool is_used() const noexcept { return state == device_state::in_use; }
  /// False if the device cannot compile the kernel, while others can.
  [[nodiscard]] bool compiles(const kernel_definition& kernel) const {
    return !refuses.contains(kernel);
  }
  /// True if such tasks may be placed there, as far as the device itself matters.
  [[nodiscard]] bool takes(const launch_command& task) const {
    return is_used() && compiles(*task.kernel) &&
           !compiling.contains(*task.kernel, task.cost.size());
  }
  /// True if no task is queued.
  [[nodiscard]] bool is_empty() const noexcept { return present.empty() && absent.empty(); }
};

[[nodiscard]] inline place_in_queue place_of(const placed_task& t) {
  return {{detail::rank_of(t.priority), -t.upward}, t.age, const_cast<placed_task*>(&t)};
}

}  // namespace hocket::placement
