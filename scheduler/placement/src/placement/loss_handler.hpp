// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include "placement/loss_recovery.hpp"

namespace hocket::placement {

/// Copies that have ended, and what is not valid any more when one has failed or a device is lost.
class loss_handler {
 public:
  loss_handler(engine_state& state, device_queues& queues, scheduled_tasks& scheduled,
               memory_reclaimer& memory, task_placer& placer, loss_recovery& recovery)
      : s_(state),
        queues_(queues),
        scheduled_(scheduled),
        memory_(memory),
        placer_(placer),
        recovery_(recovery) {}

  void copy_ended(const command_record& record, const command_result& how);
  /// The device is gone, with its memory if it owns that. Tasks that were issued there fail, unless
  /// the runtime recovers; those that were queued are placed elsewhere, or fail if no device can
  /// run them.
  void lose_device(device_id device, const failure& why);

 private:
  /// The copy did not bring its content: commands that read it fail, and so do copies from there.
  void fail_copy(const command_record& record, const failure& why);
  void poison_readers(const copied_part& copy, const failure& why);
  void lose_memory(device_id device, const failure& why);
  void lose_launches(device_id device, const failure& why);
  void place_elsewhere(device_id device, placed_task* reserving);
  void poison(placed_task& t, const failure& why);

  engine_state& s_;
  device_queues& queues_;
  scheduled_tasks& scheduled_;
  memory_reclaimer& memory_;
  task_placer& placer_;
  loss_recovery& recovery_;
};

}  // namespace hocket::placement
