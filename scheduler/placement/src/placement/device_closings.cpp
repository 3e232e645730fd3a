// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "placement/device_closings.hpp"

#include <utility>

namespace hocket::placement {

void device_closings::begin(close_asked& e) {
  const device_state state = s_.devices[e.device.value].state;
  const std::string name = s_.nodes.devices[e.device.value].label_text();
  const auto refuse = [&](const std::string& why) {
    s_.work.actions().emplace_back(answer{std::move(e.tell), {failure_code::internal, why}});
  };
  if (e.removes && state == device_state::drained) {
    remove(e.device);
  } else if (e.removes && state == device_state::lost) {
    roster_.set(e.device, device_state::removed);
  } else if (state < device_state::lost) {
    return refuse(name + " is " + std::string(to_string(state)) +
                  (e.removes ? "; only a device that is drained or lost can be removed."
                             : "; only a device that is lost or removed can be opened again."));
  }
  asked_.push_back(std::move(e));
}

/// Nothing is on the device: nothing is lost.
void device_closings::remove(device_id device) {
  roster_.set(device, device_state::removed);
  s_.devices[device.value].lost = "runtime::remove was called.";
  ++s_.lost;
  s_.lanes.lose(device);
  for (std::size_t i = 0; i < s_.nodes.streams.size(); ++i) {
    if (s_.nodes.streams[i].device == device) (void)s_.commands.lose(stream_id{i});
  }
  roster_.place_waiting();
}

bool device_closings::look() {
  timepoint_set all;
  for (std::size_t i = 0; i < s_.nodes.streams.size(); ++i) {
    const stream_id stream{i};
    if (s_.commands.in_flight(stream) > 0) all.add({stream, s_.commands.next(stream).value - 1});
  }
  for (close_asked& each : std::exchange(asked_, {})) {
    s_.commands.when_done(all, [this, tell = std::move(each.tell)] {
      s_.work.actions().emplace_back(answer{tell, {}});
    });
  }
  return true;
}

void device_closings::open(device_opened& e) {
  for (std::size_t i = 0; i < s_.nodes.streams.size(); ++i) {
    if (s_.nodes.streams[i].device != e.device) continue;
    s_.commands.reopen(stream_id{i});
    s_.retries.command_succeeded(stream_id{i});
  }
  s_.lanes.reopen(e.device);
  s_.devices[e.device.value].lost.clear();
  roster_.start(e.device);
  s_.work.actions().emplace_back(answer{std::move(e.tell), {}});
}

}  // namespace hocket::placement
