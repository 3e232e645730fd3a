// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "placement/device_view.hpp"

#include <algorithm>
#include <limits>

namespace hocket::placement {

std::size_t device_view::room(device_id device, nanoseconds backlog) const {
  constexpr std::size_t least = 2, most = 16;  // for each lane
  const device_record& d = devices_[device.value];
  const std::size_t own_lanes = lanes(device);
  // Of a line one task is next, and may come after a task that waits for this room.
  const std::size_t behind = d.in_line > 0 ? d.in_line - 1 : 0;
  const std::size_t committed = tasks(device) - behind;
  if (!d.is_used() || committed >= most * own_lanes) return 0;
  if (committed < least * own_lanes) return least * own_lanes - committed;
  // Over busy links data may come late; where links are idle, tasks are better decided late.
  const machine::device_node& node = machine_.devices[device.value];
  const nanoseconds copy = model_.copies().usual();
  if (backlog < std::max(copy, 2 * node.ahead)) return 1;
  if (backlog >= 4 * copy || node.memory == host_memory) return 0;
  const double load = std::min(1.0, 2 * load_of_links(device));
  const auto usual = static_cast<double>(copy.count());
  const nanoseconds moving(static_cast<nanoseconds::rep>((1 + 3 * load) * usual));
  return backlog < moving ? 1 : 0;
}

double device_view::load_of_links(device_id device) const {
  const memory_id memory = machine_.devices[device.value].memory;
  if (memory == host_memory) return 1;  // as busy as those of all devices together
  const auto& in = machine_.link_between(host_memory, memory);
  const auto& out = machine_.link_between(memory, host_memory);
  return std::max(in ? commands_.busy_share(in->stream) : 0.0,
                  out ? commands_.busy_share(out->stream) : 0.0);
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
