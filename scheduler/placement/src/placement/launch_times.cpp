// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "placement/launch_times.hpp"

#include <bit>
#include <functional>
#include <string_view>

#include "placement/time_counts.hpp"

namespace hocket::placement {

namespace {

/// A number below 256 that depends on the kernel's name, the number of its parameters and the other
/// number. Addresses, which differ from run to run, would make schedules differ as well:
/// predictions are kept a little longer or shorter, as others take their places.
std::size_t place_of(const launch_command& task, std::uint64_t other) {
  constexpr std::uint64_t odd = 0x9E3779B97F4A7C15U;
  const std::uint64_t name =
      std::hash<std::string_view>{}(task.kernel->name) + task.kernel->parameters.size();
  return static_cast<std::size_t>(((name ^ other * odd) * odd) >> 56U);
}

}  // namespace

launch_times& launch_time_table::of(const launch_command& task) const {
  const std::uint64_t flops = std::bit_cast<std::uint64_t>(task.cost.flops);
  const std::uint64_t bytes = std::bit_cast<std::uint64_t>(task.cost.bytes);
  known_launch& found = launches_[place_of(task, flops + std::rotr(bytes, 7)) % most_launches];
  const bool is_same = found.is_of(task) && found.cost.flops == task.cost.flops &&
                       found.cost.bytes == task.cost.bytes;
  if (!is_same || found.estimates != model_.launch_changes()) {
    note_kernel(found, task);
    found.cost = task.cost;
    work_out(found.times, task);
  }
  return found.times;
}

void launch_time_table::note_kernel(known_kernel& to, const launch_command& task) const {
  if (!to.is_of(task)) {
    to.definition = task.kernel;
    to.width = task.width;
  }
  to.estimates = model_.launch_changes();
}

const launch_time_table::known_size& launch_time_table::speeds_of(
    const launch_command& task) const {
  const int size = task.cost.size();
  known_size& found = sizes_[place_of(task, static_cast<std::uint64_t>(size)) % most_sizes];
  const bool is_same = found.is_of(task) && found.size == size;
  if (is_same && found.estimates == model_.launch_changes()) return found;
  note_kernel(found, task);
  found.size = size;
  if (!is_same) found.on.assign(machine_.devices.size(), {});
  for (std::size_t i = 0; i < found.on.size(); ++i) {
    on_device& on = found.on[i];
    const std::uint64_t estimates = model_.launch_changes(device_id{i});
    if (is_same && on.estimates == estimates) continue;
    on = {{}, devices_[i].takes(task) && machine_.devices[i].runs(*task.kernel), estimates};
    if (on.can_run) on.speed = model_.speed_of(task, device_id{i});
  }
  return found;
}

void launch_time_table::work_out(launch_times& to, const launch_command& task) const {
  const std::vector<on_device>& speeds = speeds_of(task).on;
  to.on.resize(speeds.size());
  to.fastest = {};
  to.prices = 0;
  double sum = 0;
  int devices = 0;
  for (std::size_t i = 0; i < speeds.size(); ++i) {
    launch_times::on_device& on = to.on[i];
    on.can_run = speeds[i].can_run;
    if (!on.can_run) continue;
    const double time = speeds[i].speed.time_of(task.cost);
    on.time = rounded(time);
    if (!to.fastest.valid() || on.time < to.on[to.fastest.value].time) to.fastest = device_id{i};
    sum += count(on.time);
    ++devices;
  }
  to.mean = devices == 0 ? 0 : static_cast<float>(sum / devices);
}

}  // namespace hocket::placement
