// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "placement/idle_times.hpp"

namespace hocket::placement {

void idle_times::look_around(bool has_open) {
  const bool has_tasks = s_.tasks.size() > 0;
  if (has_tasks == has_tasks_ && has_open == has_open_) return;
  has_tasks_ = has_tasks;
  has_open_ = has_open;
  for (std::size_t i = 0; i < devices_.size(); ++i) look_at(device_id{i});
}

void idle_times::look_at(device_id device) {
  if (!s_.needs_time()) return;
  idle_device& d = devices_[device.value];
  if (d.cause != nullptr) d.sum.*d.cause += s_.now - d.since;
  d.since = s_.now;
  d.cause = s_.lanes.is_idle(device) ? cause_of(device) : nullptr;
}

nanoseconds device_idle::*idle_times::cause_of(device_id device) const {
  const device_record& d = s_.devices[device.value];
  if (!d.is_used() || s_.tasks.size() == 0) return nullptr;
  if (d.reserving != nullptr) return &device_idle::memory;
  if (d.fetching > 0 || !d.absent.empty()) return &device_idle::data;
  if (!d.present.empty()) return &device_idle::turn;
  return has_open_ ? &device_idle::choice : &device_idle::no_task;
}

}  // namespace hocket::placement
