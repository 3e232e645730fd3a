// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "placement/lane_table.hpp"

#include <utility>

namespace hocket::placement {

namespace {

// So many commands hide the time in which the host learns of an end and issues the next command,
// however short they are.
constexpr std::size_t max_ahead = 64;

}  // namespace

lane_table::lane_table(const machine& machine) : lanes_(machine.streams.size()) {
  devices_.reserve(machine.devices.size());
  for (const machine::device_node& node : machine.devices) {
    device_load& device = devices_.emplace_back(node.compute.size());
    for (std::size_t i = 0; i < node.compute.size(); ++i) {
      lane& made = lanes_[node.compute[i].value];
      made.device = &device;
      made.number = i;
      made.depth = node.depth;
      made.ahead = node.ahead;
      device.open.insert(i);
    }
  }
}

void lane_table::note(const command_record& record, int count, stream_load now) {
  lane& l = lanes_[record.number.stream.value];
  if (l.device == nullptr) return;
  device_load& d = *l.device;
  d.in_flight += static_cast<std::size_t>(count);
  d.backlog.add(count * record.predicted);
  if (record.alone) l.alone += static_cast<std::size_t>(count);
  if (record.unmeasured) l.unmeasured += static_cast<std::size_t>(count);
  // Many at a time: issuing one command for each that ends would wake a worker for each.
  if (now.in_flight >= max_ahead || now.backlog >= l.ahead || l.unmeasured > 0) {
    l.is_filling = false;
  } else if (now.in_flight <= max_ahead / 2 && now.backlog <= l.ahead / 2) {
    l.is_filling = true;
  }
  const bool is_open = l.alone == 0 && (l.is_filling || now.in_flight < l.depth);
  if (std::exchange(l.is_open, is_open) != is_open) d.open.set(l.number, is_open);
}

void lane_table::lose(device_id device) {
  device_load& d = devices_[device.value];
  d.in_flight = 0;
  d.backlog.clear();
}

void lane_table::reopen(device_id device) {
  device_load& d = devices_[device.value];
  for (lane& l : lanes_) {
    if (l.device != &d) continue;
    l.unmeasured = l.alone = 0;
    l.is_filling = l.is_open = true;
    d.open.insert(l.number);
  }
}

}  // namespace hocket::placement
