// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <cstddef>
#include <set>
#include <string>

#include <hocket/core/duration.hpp>
#include <hocket/core/timepoint.hpp>
#include <hocket/kernels/definition.hpp>

#include "data/device_statistics.hpp"
#include "data/rank.hpp"
#include "placement/placed_task.hpp"
#include "placement/task_queue.hpp"

namespace hocket::placement {

using detail::device_statistics;

/// The tasks that wait for one device, and how the device fares.
struct device_record {
  bool alive = true;
  std::string lost;               ///< the reason why it is not alive
  bool is_left = false;           ///< it is lost, and tasks that name it may run elsewhere
  device_id stand_in;             ///< if it is left: where its tasks in order run, if they can
  std::set<std::string> refuses;  ///< kernels that it cannot compile, while other devices can
  task_queue present;             ///< tasks whose data are in its memory
  task_queue absent;              ///< tasks whose data have to be copied
  std::size_t fetching = 0;
  placed_task* reserving = nullptr;  ///< the task that waits for memory
  point last_wide;                   ///< the last launch that had all lanes
  nanoseconds queued{0};             ///< predicted time of the queued tasks
  std::size_t waiting = 0;           ///< number of the queued tasks
  device_statistics done;

  /// True if tasks with that kernel may be placed there, as far as the device itself matters.
  [[nodiscard]] bool takes(const kernel_definition& kernel) const {
    return alive && (refuses.empty() || !refuses.contains(kernel.name));
  }
  /// True if no task is queued.
  [[nodiscard]] bool is_empty() const noexcept { return present.empty() && absent.empty(); }
};

[[nodiscard]] inline place_in_queue place_of(const placed_task& t) {
  return {{detail::rank_of(t.priority), -t.upward}, t.age, const_cast<placed_task*>(&t)};
}

}  // namespace hocket::placement
