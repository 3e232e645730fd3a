// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <cstdint>
#include <vector>

#include "placement/device_drains.hpp"
#include "placement/stuck_tasks.hpp"

namespace hocket::placement {

/// Declares a device lost if one of its commands does not end: if it takes longer than the timeout,
/// and than ten times what was predicted for those that run there. Until the loss is told no task
/// is placed on the device, and if the driver does not let go of its commands in the same time
/// again, the tasks that wait for these fail. A command that waits for others is not meant, and
/// devices whose kernels are functions of the host are not.
class hang_watch {
 public:
  /// timeout: 0: no command is looked at.
  hang_watch(engine_state& state, device_roster& roster, device_drains& drains, stuck_tasks& tasks,
             nanoseconds timeout);

  /// At the end of each step.
  void look_later() {
    if (timeout_ > nanoseconds{0} && !is_awaited_) await();
  }
  void time_passed();

 private:
  /// The oldest command of a stream, and how often it was found there, ready to run.
  struct oldest {
    stream_id stream;
    device_id device;
    std::uint64_t value = 0;
    int looks = 0;
    bool is_given_up = false;
  };
  static constexpr int looks_at_timeout = 4;

  void await();
  [[nodiscard]] bool has_commands(const oldest& of) const;
  /// The sum of what the oldest commands on the device were thought to take.
  [[nodiscard]] nanoseconds expected_on(device_id device) const;
  void look_at(oldest& seen, const command_record& c);
  void give_up(const command_record& c, device_id device);
  void warn_of(device_id device);

  engine_state& s_;
  device_roster& roster_;
  device_drains& drains_;
  stuck_tasks& tasks_;
  const nanoseconds timeout_;
  const nanoseconds period_;     ///< between two looks
  std::vector<oldest> seen_;     ///< of each stream of a device that is looked at
  std::vector<device_id> told_;  ///< devices whose driver does not let go of commands
  bool is_awaited_ = false;
};

}  // namespace hocket::placement
