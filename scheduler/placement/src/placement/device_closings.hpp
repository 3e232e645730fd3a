// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <vector>

#include "placement/device_roster.hpp"

namespace hocket::placement {

/// Devices whose driver is let go of, and which may be connected again. What refers to a device
/// beside its own streams are commands of other devices that come after its commands, and blocks
/// of its memory that they read; both are awaited. Nothing is closed while content is made again.
class device_closings {
 public:
  device_closings(engine_state& state, device_roster& roster) : s_(state), roster_(roster) {}

  void begin(close_asked& e);
  void open(device_opened& e);

  /// True if look() has something to do.
  [[nodiscard]] bool is_active() const noexcept {
    return !asked_.empty() && !s_.losses.is_recovering();
  }
  /// Returns true: the step goes on.
  bool look();

 private:
  void remove(device_id device);

  engine_state& s_;
  device_roster& roster_;
  std::vector<close_asked> asked_;
};

}  // namespace hocket::placement
