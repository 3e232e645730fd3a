// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <vector>

#include <hocket/devices/device.hpp>

#include "problem.hpp"

namespace hocket::bench {

/// Seconds that no schedule of the problem on these devices can go below, without looking at
/// transfers.
struct bounds {
  double area = 0;           ///< all lanes work all the time, each at what suits it
  double critical_path = 0;  ///< each task of the longest chain runs on its fastest device

  [[nodiscard]] double larger() const { return area > critical_path ? area : critical_path; }
};

[[nodiscard]] bounds bounds_of(const problem& what, const std::vector<device_info>& devices);

}  // namespace hocket::bench
