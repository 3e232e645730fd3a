// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "machine_output.hpp"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include <hocket/devices/sim.hpp>

namespace tools {

namespace {

using hocket::nanoseconds;

double in_seconds(nanoseconds time) {
  return std::max(static_cast<double>(time.count()), 1.0) / 1e9;
}

/// The lanes that a launch has.
double lanes_of(const measured_launch& launch, const hocket::device_info& device) {
  return launch.is_wide ? static_cast<double>(device.lanes) : 1.0;
}

/// The best rates of one lane that launches on the device reach beside their latency.
void add_rates(hocket::sim_options& to, const hocket::device_info& device,
               const std::vector<measured_launch>& launches) {
  std::map<std::string, double> flops;
  double best = 0, bytes = 0;
  for (const measured_launch& each : launches) {
    if (each.device != device.name || each.done.flops == 0) continue;
    const nanoseconds latency = to.launch_latency.value_or(nanoseconds{0});
    if (median(each.times) < 4 * latency) continue;  // which says little of rates
    const double time = in_seconds(median(each.times) - latency) * lanes_of(each, device);
    double& of_kernel = flops[each.kernel];
    of_kernel = std::max(of_kernel, each.done.flops / time);
    best = std::max(best, of_kernel);
    // Small arrays stay in caches.
    if (each.done.bytes > 8e6) bytes = std::max(bytes, each.done.bytes / time);
  }
  if (best > 0) to.flops_per_second = best;
  if (bytes > 0) to.memory_bytes_per_second = bytes;
}

hocket::sim_options options_of(const hocket::device_info& device, const calibration& measured,
                               const std::vector<measured_link>& links) {
  hocket::sim_options made;
  made.model = device.name + ": " + device.description;
  if (device.memory_bytes != 0) made.memory_bytes = device.memory_bytes;
  made.lanes = device.lanes;
  made.shares_host_memory = device.shares_host_memory;
  made.host_cores = device.host_cores;
  made.watts = device.watts;
  made.peer_copies = device.peer_copies;
  for (const measured_launch& each : measured.launches) {
    if (each.device == device.name && each.done.flops == 0) {
      made.launch_latency = median(each.times);
    }
  }
  add_rates(made, device, measured.launches);
  for (const measured_link& each : links) {
    if (each.to != device.name) continue;
    const bool is_from_host = each.from == "host";
    (is_from_host ? made.link_bytes_per_second : made.peer_bytes_per_second) =
        each.bytes_per_second;
    (is_from_host ? made.link_latency : made.peer_latency) = each.latency;
  }
  // The device uses the host's memory as it is: what a machine file has for that is a link that
  // takes no time.
  constexpr double at_once = 1e15;
  if (!made.link_bytes_per_second && device.imports_host_memory) {
    made.link_bytes_per_second = at_once;
    made.link_latency = nanoseconds{0};
  }
  return made;
}

}  // namespace

std::string machine_file(const calibration& measured) {
  hocket::sim_machine made;
  made.name = "this machine";
  const std::vector<measured_link> links = links_of(measured.copies);
  for (const hocket::device_info& each : measured.devices) {
    made.devices.push_back(options_of(each, measured, links));
  }
  return to_json(made, "Measured by hocket calibrate.");
}

}  // namespace tools
