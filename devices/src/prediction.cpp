// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <hocket/devices/prediction.hpp>

#include <algorithm>

namespace hocket {

namespace {

struct rates {
  double flops, memory, link;
  std::chrono::microseconds launch;
};

rates usual_rates(device_style style) {
  using std::chrono::microseconds;
  switch (style) {
    case device_style::gpu:
      return {2e12, 2e11, 1e10, microseconds(15)};
    case device_style::cpu_compiler:
      return {6e9, 1e10, 7e9, microseconds(20)};
    case device_style::cpu_switching:
      return {2e9, 4e9, 7e9, microseconds(20)};
    default:
      return {6e9, 8e9, 7e9, microseconds(40)};
  }
}

}  // namespace

nanoseconds time_for(double amount, double per_second) {
  return limited_time(amount * 1e9 / per_second);
}

void guess_rates(device_info& info) {
  const rates guess = usual_rates(info.style);
  info.flops_per_second = guess.flops;
  info.memory_bytes_per_second = guess.memory;
  info.link_bytes_per_second = guess.link;
  info.launch_latency = guess.launch;
  info.link_latency = std::chrono::microseconds(5);
}

nanoseconds predicted_launch(const device_info& info, const launch_work& cost, body_width width,
                             std::string_view kernel) {
  const double lanes = width == body_width::wide ? static_cast<double>(info.lanes) : 1.0;
  return info.launch_latency + std::max(time_for(cost.flops, info.flops_of(kernel) * lanes),
                                        time_for(cost.bytes, info.memory_bytes_per_second * lanes));
}

nanoseconds predicted_copy(const device_info& info, std::uint64_t bytes) {
  return info.link_latency + time_for(static_cast<double>(bytes), info.link_bytes_per_second);
}

nanoseconds predicted_peer_copy(const device_info& info, std::uint64_t bytes) {
  if (info.peer_bytes_per_second == 0) return predicted_copy(info, bytes);
  return info.peer_latency + time_for(static_cast<double>(bytes), info.peer_bytes_per_second);
}

nanoseconds predicted(const device_info& info, const command& what) {
  if (const auto* launch = what.launch()) {
    return predicted_launch(info, launch->cost, launch->width, launch->kernel->name);
  }
  const auto* copy = std::get_if<copy_command>(&what.what);
  if (copy == nullptr) return nanoseconds{0};
  return copy->route == copy_route::between_devices ? predicted_peer_copy(info, copy->bytes)
                                                    : predicted_copy(info, copy->bytes);
}

}  // namespace hocket
