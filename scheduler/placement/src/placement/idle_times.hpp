// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <optional>
#include <vector>

#include <hocket/scheduler/report.hpp>

#include "placement/engine_state.hpp"

namespace hocket::placement {

/// How long devices stood idle, and why.
class idle_times {
 public:
  explicit idle_times(const engine_state& state) : s_(state), devices_(state.devices.size()) {}

  /// Something has happened to the device in this step.
  void look_at(device_id device);
  /// A step ends. has_open: there are tasks that could start and have no device.
  void look_around(bool has_open);
  /// The sum so far, up to the last look.
  [[nodiscard]] const device_idle& of(device_id device) const { return devices_[device.value].sum; }

 private:
  struct idle_device {
    device_idle sum;
    nanoseconds device_idle::*cause = nullptr;  ///< null: it works
    time_stamp since{};
  };

  [[nodiscard]] nanoseconds device_idle::*cause_of(device_id device) const;

  const engine_state& s_;
  std::vector<idle_device> devices_;
  bool has_tasks_ = false;  ///< at the end of the last step
  bool has_open_ = false;   ///< likewise
};

}  // namespace hocket::placement
