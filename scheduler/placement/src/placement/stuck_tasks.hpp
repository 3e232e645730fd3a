// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <cstdint>
#include <vector>

#include "placement/task_finisher.hpp"

namespace hocket::placement {

/// Fails tasks that wait for commands of a hung device, whose driver does not let go of them. Their
/// futures end; what their commands use stays in use until the loss of the device is told.
class stuck_tasks {
 public:
  stuck_tasks(engine_state& state, prefetcher& fetches, task_finisher& finisher)
      : s_(state), fetches_(fetches), finisher_(finisher) {}

  /// The tasks that were issued on the device or read what comes from there, all that come after
  /// these, and those that name the device. None where the runtime recovers from losses: such tasks
  /// run again when the loss is told, and keep no others from theirs until then.
  void fail(device_id device);

 private:
  void find_stuck_commands(device_id device);
  [[nodiscard]] bool is_stuck(point number) const;
  void fail_tasks_of(const command_record& c, const failure& why);
  void fail_views_of(const copied_part& copy, const failure& why);
  [[nodiscard]] std::vector<placed_task*> set_fetches_aside();
  [[nodiscard]] bool awaits_stuck_copy(const placed_task& t) const;
  void fail_tasks_that_name(device_id device);

  engine_state& s_;
  prefetcher& fetches_;
  task_finisher& finisher_;
  std::vector<std::uint64_t> first_;  ///< of each stream: commands from this number on are stuck
};

}  // namespace hocket::placement
