// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <cstdint>

#include <hocket/core/duration.hpp>
#include <hocket/scheduler/report.hpp>

namespace hocket::detail {

/// Totals of one device since the runtime began.
struct device_statistics {
  std::uint64_t kernels = 0;
  double flops = 0;
  nanoseconds busy{0};  ///< sum over its lanes
  std::uint64_t bytes_in = 0;
  std::uint64_t bytes_out = 0;
  std::uint64_t peak_bytes = 0;
  std::uint64_t used_bytes = 0;
  std::uint64_t memory_bytes = 0;  ///< that tasks may use
  std::size_t queued = 0;
  std::size_t in_flight = 0;
  device_state state = device_state::in_use;
  device_idle idle;
};

}  // namespace hocket::detail
