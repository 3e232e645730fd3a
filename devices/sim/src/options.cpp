// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <hocket/core/environment.hpp>
#include <hocket/core/error.hpp>
#include <hocket/devices/configuration.hpp>
#include <hocket/devices/sim.hpp>

namespace hocket {

namespace {

constexpr std::uint64_t max_devices = 4096;
constexpr std::uint64_t max_lanes = 4096;
constexpr std::uint64_t max_depth = 1024;

std::optional<double> unless_zero(std::optional<double> rate) {
  return rate && *rate > 0 ? rate : std::nullopt;
}

sim_options parse_device(std::string_view text) {
  configuration_reader reader("sim", text);
  sim_options made;
  made.memory_bytes = reader.bytes("memory").value_or(made.memory_bytes);
  made.flops_per_second = unless_zero(reader.rate("flops"));
  made.memory_bytes_per_second = unless_zero(reader.rate("bandwidth"));
  made.link_bytes_per_second = unless_zero(reader.rate("link"));
  made.link_latency = reader.duration("latency");
  made.launch_latency = reader.duration("launch");
  made.lanes = reader.number("lanes", 1, max_lanes).value_or(made.lanes);
  made.depth = reader.number("depth", 1, max_depth);
  made.execute = reader.flag("execute").value_or(made.execute);
  made.shares_host_memory = reader.flag("shared").value_or(made.shares_host_memory);
  made.peer_copies = reader.flag("peer").value_or(made.peer_copies);
  reader.finish();
  return made;
}

}  // namespace

std::vector<sim_options> parse_sim_options(std::string_view configuration) {
  std::vector<sim_options> devices;
  for (const std::string& group : split(configuration, ';')) {
    const std::size_t comma = group.find(',');
    const std::uint64_t count =
        parse_number("The number of devices that begins each group in the configuration of sim",
                     std::string_view(group).substr(0, comma), 1, max_devices);
    const std::string keys = comma == std::string::npos ? "" : group.substr(comma + 1);
    if (keys.empty() && comma != std::string::npos) {
      throw usage_error("The configuration of sim has the group \"" + group +
                        "\"; after the comma there must be key=value.");
    }
    devices.insert(devices.end(), count, parse_device(keys));
  }
  return devices;
}

}  // namespace hocket
