// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include "placement/device_drains.hpp"
#include "placement/kernel_preparations.hpp"
#include "placement/loss_recovery.hpp"
#include "placement/task_duplicates.hpp"

namespace hocket::placement {

/// Copies that have ended, and what is not valid any more when one has failed or a device is lost.
class loss_handler {
 public:
  loss_handler(engine_state& state, device_roster& roster, device_drains& drains,
               memory_reclaimer& memory, loss_recovery& recovery, task_duplicates& duplicates,
               kernel_preparations& preparations)
      : s_(state),
        roster_(roster),
        drains_(drains),
        memory_(memory),
        recovery_(recovery),
        duplicates_(duplicates),
        preparations_(preparations),
        owners_(state.nodes.memories.size()) {
    for (std::size_t i = 0; i < state.nodes.devices.size(); ++i) {
      const machine::device_node& node = state.nodes.devices[i];
      if (node.owns_memory) owners_[node.memory.value].push_back(device_id{i});
    }
  }

  void copy_ended(const command_record& record, const command_result& how);
  /// The device is gone, with its memory if it owns that. Tasks that were issued there fail, unless
  /// the runtime recovers; those that were queued are placed elsewhere, or fail if no device can
  /// run them.
  void lose_device(device_id device, const failure& why);

 private:
  /// The copy did not bring its content: commands that read it fail, and so do copies from there.
  void fail_copy(const command_record& record, const failure& why);
  void poison_readers(const command_record& record, const failure& why);
  void poison_views(const copied_part& copy, const failure& why);
  void lose_memory(device_id device, const failure& why);
  void lose_launches(device_id device, const failure& why);
  void poison(placed_task& t, const failure& why);

  engine_state& s_;
  device_roster& roster_;
  device_drains& drains_;
  memory_reclaimer& memory_;
  loss_recovery& recovery_;
  task_duplicates& duplicates_;
  kernel_preparations& preparations_;
  std::vector<std::vector<device_id>> owners_;  ///< of each memory
};

}  // namespace hocket::placement
