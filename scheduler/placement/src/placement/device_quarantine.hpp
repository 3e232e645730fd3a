// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include "placement/device_roster.hpp"
#include "placement/loss_recovery.hpp"

namespace hocket::placement {

/// Takes devices out of use on which commands fail one after another. After a while one task that
/// could run there does: if it ends well, the device is used again. If it fails, the device rests
/// twice as long before the next one, and after max_probes of them it is declared lost.
class device_quarantine {
 public:
  device_quarantine(engine_state& state, device_roster& roster, loss_recovery& recovery,
                    nanoseconds first_rest)
      : s_(state), roster_(roster), recovery_(recovery), first_rest_(first_rest) {}

  /// The last command has failed in this way, and was not the first. Does nothing if the device is
  /// not in use.
  void begin(device_id device, const failure& why);
  /// The time of an await_probe action has passed.
  void rest_ended(device_id device);
  /// A launch on a device that is quarantined has succeeded.
  void launch_succeeded(device_id device, const placed_task& t);
  /// A command on a device that is quarantined has failed as commands there had before. t: the task
  /// whose launch that was; null for a copy.
  void command_failed(device_id device, const placed_task* t, const command_record& record,
                      const failure& why);
  /// The device is declared lost: none of its commands can be trusted.
  void give_up(device_id device, const failure& why);

 private:
  static constexpr std::size_t max_probes = 5;

  void rest(device_id device);
  void probe_failed(device_id device, const failure& why);
  [[nodiscard]] placed_task* find_probe(device_id device) const;

  engine_state& s_;
  device_roster& roster_;
  loss_recovery& recovery_;
  const nanoseconds first_rest_;  ///< 0: devices are declared lost at once
};

}  // namespace hocket::placement
