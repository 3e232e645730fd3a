// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include "placement/device_roster.hpp"
#include "placement/engine_state.hpp"
#include "placement/memory_reclaimer.hpp"
#include "placement/task_placer.hpp"

namespace hocket::placement {

/// If another device could run the task, none with its kernel is placed any more on this one, whose
/// compiler has refused it. Returns whether one could.
bool refuse_kernel(engine_state& s, const placed_task& t, device_id device, const failure& why);

/// The first launches of kernels on devices that compile them. Tasks behind such a launch wait for
/// its end, so that the task can go to another device if the kernel does not compile.
class kernel_trials {
 public:
  kernel_trials(engine_state& state, task_placer& placer, memory_reclaimer& memory,
                device_roster& roster)
      : s_(state), placer_(placer), memory_(memory), roster_(roster) {}

  /// The trial has ended like that. Returns true if its task is placed again.
  [[nodiscard]] bool takes(placed_task& t, const failure& why);

 private:
  void place_again(placed_task& t);
  void place_refused(device_id device);

  engine_state& s_;
  task_placer& placer_;
  memory_reclaimer& memory_;
  device_roster& roster_;
};

}  // namespace hocket::placement
