// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <span>
#include <vector>

#include "placement/machine.hpp"

namespace hocket::placement {

/// Which devices run their kernels on the same cores of the host: its nodes, and drivers such as
/// PoCL or lavapipe. Of two that use more cores together than there are, some belong to both.
class core_sharing {
 public:
  struct rival {
    device_id device;
    double takes = 0;  ///< seconds of this device that a second of work on the rival takes
    double loses = 0;  ///< seconds of the rival that a second of work on this device takes
  };

  explicit core_sharing(const machine& of);

  [[nodiscard]] std::span<const rival> rivals(device_id device) const {
    return rivals_[device.value];
  }
  /// All cores of the host that devices use; 0 if no device uses any.
  [[nodiscard]] std::size_t cores() const noexcept { return cores_; }

 private:
  std::size_t cores_ = 0;
  std::vector<std::vector<rival>> rivals_;  ///< of each device
};

}  // namespace hocket::placement
