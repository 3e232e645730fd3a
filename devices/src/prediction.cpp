// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <hocket/devices/prediction.hpp>

#include <algorithm>
#include <cmath>

namespace hocket {

namespace {

nanoseconds time_for(double amount, double per_second) {
  constexpr double century = 3.2e18;  // keeps sums of times within 64 bits
  return nanoseconds(std::llround(std::min(amount * 1e9 / per_second, century)));
}

}  // namespace

void guess_rates(device_info& info) {
  info.flops_per_second = 6e9;
  info.memory_bytes_per_second = 8e9;
  info.link_bytes_per_second = 7e9;
  info.launch_latency = std::chrono::microseconds(40);
  info.link_latency = std::chrono::microseconds(5);
  switch (info.style) {
    case device_style::gpu:
      info.flops_per_second = 2e12;
      info.memory_bytes_per_second = 2e11;
      info.link_bytes_per_second = 1e10;
      info.launch_latency = std::chrono::microseconds(15);
      break;
    case device_style::cpu_compiler:
      info.memory_bytes_per_second = 1e10;
      info.launch_latency = std::chrono::microseconds(20);
      info.link_latency = std::chrono::microseconds(10);
      break;
    case device_style::cpu_switching:
      info.flops_per_second = 2e9;
      info.memory_bytes_per_second = 4e9;
      info.launch_latency = std::chrono::microseconds(20);
      break;
    case device_style::cpu_lanes:
      break;
  }
}

nanoseconds predicted_launch(const device_info& info, const work& cost, body_width width) {
  const double lanes = width == body_width::wide ? static_cast<double>(info.lanes) : 1.0;
  return info.launch_latency + std::max(time_for(cost.flops, info.flops_per_second * lanes),
                                        time_for(cost.bytes, info.memory_bytes_per_second * lanes));
}

nanoseconds predicted_copy(const device_info& info, std::uint64_t bytes) {
  return info.link_latency + time_for(static_cast<double>(bytes), info.link_bytes_per_second);
}

nanoseconds predicted(const device_info& info, const command& what) {
  if (const auto* launch = what.launch()) {
    return predicted_launch(info, launch->cost, launch->width);
  }
  const auto* copy = std::get_if<copy_command>(&what.what);
  return copy == nullptr ? nanoseconds{0} : predicted_copy(info, copy->bytes);
}

}  // namespace hocket
