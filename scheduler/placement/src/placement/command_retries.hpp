// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include "placement/loss_recovery.hpp"

namespace hocket::placement {

/// Sees to commands that fail, where losses are survived: a task is run again if its launch, or a
/// copy for it, fails for a reason that may pass or that other devices may not have. A device on
/// which nothing succeeds any more is declared lost.
class command_retries {
 public:
  command_retries(engine_state& state, loss_recovery& recovery) : s_(state), recovery_(recovery) {}

  /// Before the end of the command has any other effect.
  void command_ended(const command_record& record, const command_result& how);
  /// Until time_passed() tasks are not run again.
  [[nodiscard]] bool is_waiting() const noexcept { return is_waiting_; }
  void time_passed() noexcept { is_waiting_ = false; }

 private:
  void command_failed(const command_record& record, device_id device, const failure& why);
  /// Returns whether the task may be run again.
  [[nodiscard]] bool note(const placed_task& t, device_id device, const failure& why);
  void refuse_kernel(const placed_task& t, device_id device);
  void give_up(device_id device, const failure& why);

  engine_state& s_;
  loss_recovery& recovery_;
  bool is_waiting_ = false;
};

}  // namespace hocket::placement
