// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "machine_choice.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <hocket/devices/sim.hpp>

#include "command_line.hpp"

namespace examples {

namespace {

std::string all_devices_of(const hocket::sim_machine& machine) {
  std::string names;
  for (std::size_t i = 0; i < machine.devices.size(); ++i) {
    names += fmt::format("{}Sim{}", i == 0 ? "" : ",", i);
  }
  return names;
}

}  // namespace

void add_machine_options(CLI::App& line, machine_choice& into) {
  add_text(line, "--devices", into.devices,
           "The devices to use, such as NUMA0,OpenCL0 (default: all)")
      ->type_name("NAME,...");
  add_text(line, "--machine", into.machine,
           fmt::format("Execute nothing, and tell what it takes on a simulated machine: a "
                       "machine file, or one of {}",
                       fmt::join(hocket::built_in_machines(), ", ")))
      ->type_name("FILE");
  add_text(line, "--policy", into.policy,
           "How devices are chosen for tasks, such as earliest-end (default: replanning)")
      ->type_name("NAME");
}

hocket::runtime_options options_for(const machine_choice& chosen) {
  hocket::runtime_options made;
  made.devices = chosen.devices;
  made.policy = chosen.policy;
  if (!chosen.simulated()) return made;
  const hocket::sim_machine machine = hocket::find_machine(chosen.machine);
  if (made.devices.empty()) made.devices = all_devices_of(machine);
  made.backends = {{"sim", "machine=" + chosen.machine + ",execute=no"}};
  made.clock = hocket::clock_kind::simulated;
  return made;
}

hocket::device_handle host_device(hocket::runtime& rt) {
  for (const hocket::device_info& each : rt.devices()) {
    const auto& formats = each.formats;
    if (std::ranges::find(formats, hocket::kernel_format::host) != formats.end()) {
      return rt.device(each.name);
    }
  }
  throw hocket::usage_error(
      "None of the devices runs C++; --devices must also name one of the CPU, such as NUMA0.");
}

}  // namespace examples
