// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <vector>

#include "placement/memory_reclaimer.hpp"

namespace hocket::placement {

/// Which devices take tasks.
class device_roster {
 public:
  device_roster(engine_state& state, device_queues& queues, ready_pool& pool,
                scheduled_tasks& scheduled, memory_reclaimer& memory, task_placer& placer)
      : s_(state),
        queues_(queues),
        pool_(pool),
        scheduled_(scheduled),
        memory_(memory),
        placer_(placer) {}

  /// The device takes no task any more. Tasks that were issued there end there. Those that were
  /// not are placed elsewhere; if no other device can run them, they wait for this one.
  void stop(device_id device, device_state as);
  /// The device takes tasks again, those that have waited for it first.
  void start(device_id device);

  /// Notes the state of the device, and nothing more.
  void set(device_id device, device_state state);
  /// The tasks of a device, which was lost, that were not issued are placed elsewhere. reserving:
  /// the one that had waited for memory; null for none.
  void place_elsewhere(device_id device, placed_task* reserving);
  /// Tasks that have waited for a device are placed, or wait on.
  void place_waiting();
  /// The tasks that are queued at the device and could as well be placed on another one.
  [[nodiscard]] std::vector<placed_task*> movable_at(device_id device) const;
  /// The task, which has no device or was queued at one, is placed again.
  void place_again(placed_task& t);

 private:
  [[nodiscard]] std::vector<placed_task*> take_tasks(device_id device, placed_task* reserving);

  engine_state& s_;
  device_queues& queues_;
  ready_pool& pool_;
  scheduled_tasks& scheduled_;
  memory_reclaimer& memory_;
  task_placer& placer_;
};

}  // namespace hocket::placement
