// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "placement/device_view.hpp"

#include <algorithm>
#include <limits>

namespace hocket::placement {

std::vector<device_view::fixed_part> device_view::fixed_parts(const machine& of,
                                                              const core_sharing& sharing) {
  std::vector<fixed_part> all;
  for (std::size_t i = 0; i < of.devices.size(); ++i) {
    const machine::device_node& node = of.devices[i];
    fixed_part& made = all.emplace_back();
    made.lanes = node.compute.size();
    if (made.lanes > 0) made.lane = node.compute.front();
    made.ahead = node.ahead;
    made.uses_host_memory = node.memory == host_memory;
    made.is_plain = made.lanes == 1 && sharing.rivals(device_id{i}).empty();
    if (made.uses_host_memory) continue;
    const auto& in = of.link_between(host_memory, node.memory);
    const auto& out = of.link_between(node.memory, host_memory);
    if (in) made.in = in->stream;
    if (out) made.out = out->stream;
  }
  return all;
}

nanoseconds device_view::own_backlog(device_id device) const {
  const machine::device_node& node = machine_.devices[device.value];
  nanoseconds sum = devices_[device.value].queued.value();
  for (const stream_id lane : node.compute) sum = limited_sum(sum, commands_.remaining(lane));
  const std::size_t lanes = node.compute.size();
  return lanes == 1 ? sum : sum / static_cast<std::int64_t>(lanes);
}

nanoseconds device_view::backlog_with_rivals(device_id device) const {
  nanoseconds sum = own_backlog(device);
  for (const core_sharing::rival& each : sharing_.rivals(device)) {
    sum = limited_sum(sum, rounded(each.takes * placement::count(own_backlog(each.device))));
  }
  return sum;
}

double device_view::find_load(device_id device) const {
  const fixed_part& fixed = fixed_[device.value];
  if (fixed.uses_host_memory) return 1;  // as busy as those of all devices together
  return std::max(fixed.in.valid() ? commands_.busy_share(fixed.in) : 0.0,
                  fixed.out.valid() ? commands_.busy_share(fixed.out) : 0.0);
}

double device_view::least_cost(launch_times& times, double weight) const {
  if (times.prices == prices_.changes()) return times.least_cost;
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < times.on.size(); ++i) {
    if (!times.on[i].can_run) continue;
    const auto time = static_cast<double>(times.on[i].time.count());
    least = std::min(least, time * (1 + weight * prices_.of(device_id{i})));
  }
  times.prices = prices_.changes();
  times.least_cost = least;
  return least;
}

}  // namespace hocket::placement
