// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include "placement/device_quarantine.hpp"

namespace hocket::placement {

/// Sees to commands that fail, where losses are survived: a task is run again if its launch, or a
/// copy for it, fails for a reason that may pass or that other devices may not have. A device on
/// which nothing succeeds any more is quarantined.
class command_retries {
 public:
  command_retries(engine_state& state, loss_recovery& recovery, device_quarantine& quarantine)
      : s_(state), recovery_(recovery), quarantine_(quarantine) {}

  /// Before the end of the command has any other effect.
  void command_ended(const command_record& record, const command_result& how);
  /// Until time_passed() tasks are not run again.
  [[nodiscard]] bool is_waiting() const noexcept { return is_waiting_; }
  void time_passed() noexcept { is_waiting_ = false; }
  /// A device of which a command had said so has not been told to be lost in time.
  void loss_not_told();

 private:
  void launch_succeeded(const command_record& record);
  void command_failed(const command_record& record, device_id device, const failure& why);
  void launch_failed(placed_task& t, device_id device, const failure& why);
  void copy_failed(const command_record& record, const failure& why);
  /// Returns whether the task, or what stands for the buffer of a copy, may be tried again.
  [[nodiscard]] bool note(task_id what, device_id device, const failure& why);

  engine_state& s_;
  loss_recovery& recovery_;
  device_quarantine& quarantine_;
  bool is_waiting_ = false;
  device_id suspect_;  ///< is declared lost if no loss is told
};

}  // namespace hocket::placement
