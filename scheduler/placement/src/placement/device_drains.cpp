// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "placement/device_drains.hpp"

#include <algorithm>
#include <utility>

namespace hocket::placement {

/// Why the device comes neither out of use nor back; none if it can.
failure device_drains::refusal(device_id device) const {
  const device_record& d = s_.devices[device.value];
  if (!d.is_lost_or_hung()) return {};
  return {failure_code::device_lost, s_.nodes.devices[device.value].label_text() + " is " +
                                         std::string(to_string(d.state)) + ": " + d.lost};
}

void device_drains::begin(drain_asked& e) {
  const device_record& d = s_.devices[e.device.value];
  if (d.is_lost_or_hung() || d.state == device_state::drained) {
    s_.work.actions().emplace_back(answer{std::move(e.tell), refusal(e.device)});
    return;
  }
  waiting_[e.device.value].push_back(std::move(e.tell));
  if (d.state == device_state::draining) return;
  ++draining_;
  roster_.stop(e.device, device_state::draining);
}

void device_drains::resume(resume_asked& e) {
  const device_record& d = s_.devices[e.device.value];
  const std::string name = s_.nodes.devices[e.device.value].label_text();
  if (!d.is_lost_or_hung() && !d.is_used()) {
    if (d.state == device_state::draining) {
      --draining_;
      end(e.device, {failure_code::cancelled, name + " was resumed before it was drained."});
    }
    roster_.start(e.device);
  }
  s_.work.actions().emplace_back(answer{std::move(e.tell), refusal(e.device)});
}

void device_drains::lose(device_id device, const failure& why) {
  if (s_.devices[device.value].state == device_state::draining) --draining_;
  end(device, why);
}

void device_drains::end(device_id device, const failure& why) {
  for (answer_call& each : std::exchange(waiting_[device.value], {})) {
    s_.work.actions().emplace_back(answer{std::move(each), why});
  }
}

bool device_drains::look() {
  // Tasks that run again need their input where it is.
  if (s_.losses.is_recovering()) return false;
  bool goes_on = false;
  for (std::size_t i = 0; i < s_.devices.size(); ++i) {
    if (s_.devices[i].state != device_state::draining) continue;
    if (look_at(device_id{i})) goes_on = true;
  }
  return goes_on;
}

bool device_drains::look_at(device_id device) {
  const memory_id memory = s_.nodes.devices[device.value].memory;
  if (!s_.lanes.is_idle(device) || s_.replicas.awaits_blocks(memory)) return false;
  const bool has_content = memory != host_memory && s_.replicas.ledger().used(memory) > 0;
  if (has_content) return move_content(memory);
  if (is_at_work(device)) return false;
  --draining_;
  roster_.set(device, device_state::drained);
  end(device, {});
  return true;
}

/// Copies to and from the device count as well, and functions that wait in their middle.
bool device_drains::is_at_work(device_id device) const {
  const auto is_of_device = [&](stream_id stream) {
    return s_.nodes.streams[stream.value].device == device;
  };
  for (std::size_t i = 0; i < s_.nodes.streams.size(); ++i) {
    if (is_of_device(stream_id{i}) && s_.commands.in_flight(stream_id{i}) > 0) return true;
  }
  return std::ranges::any_of(s_.commands.apart(),
                             [&](const auto& each) { return is_of_device(each.first.stream); });
}

/// Content of tasks that have not ended stays for now. Returns whether anything was moved.
bool device_drains::move_content(memory_id memory) {
  std::vector<data_id> movable;
  s_.buffers.each([&](data_id data, const tracked_buffer&) {
    if (s_.content.has_block(data, memory) && !s_.content.pinned(data, memory)) {
      movable.push_back(data);
    }
  });
  std::ranges::sort(movable);
  for (const data_id data : movable) memory_.evict(data, memory);
  return !movable.empty();
}

}  // namespace hocket::placement
