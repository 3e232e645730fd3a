// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "options.hpp"

#include <hocket/core/environment.hpp>
#include <hocket/core/error.hpp>
#include <hocket/core/printable.hpp>

namespace hocket {

namespace sim {

namespace {

constexpr std::uint64_t max_lanes = 4096;
constexpr std::uint64_t max_depth = 1024;
constexpr std::uint64_t max_launches = 1'000'000'000;

std::optional<double> unless_zero(std::optional<double> rate) {
  return rate && *rate > 0 ? rate : std::nullopt;
}

}  // namespace

namespace {

sim_deviation read_deviation(configuration_reader& reader) {
  sim_deviation made;
  made.noise = reader.rate("noise").value_or(made.noise);
  made.first_launches = reader.number("first", 0, max_launches).value_or(made.first_launches);
  made.first_factor = reader.rate("first_factor").value_or(made.first_factor);
  made.later = reader.duration("later").value_or(made.later);
  made.later_factor = reader.rate("later_factor").value_or(made.later_factor);
  return made;
}

}  // namespace

sim_options read_device(configuration_reader&& reader) {
  sim_options made;
  made.memory_bytes = reader.bytes("memory").value_or(made.memory_bytes);
  made.flops_per_second = unless_zero(reader.rate("flops"));
  made.memory_bytes_per_second = unless_zero(reader.rate("bandwidth"));
  made.link_bytes_per_second = unless_zero(reader.rate("link"));
  made.link_latency = reader.duration("latency");
  made.peer_bytes_per_second = unless_zero(reader.rate("peer_link"));
  made.peer_latency = reader.duration("peer_latency");
  made.launch_latency = reader.duration("launch");
  made.lanes = reader.number("lanes", 1, max_lanes).value_or(made.lanes);
  made.depth = reader.number("depth", 1, max_depth);
  made.execute = reader.flag("execute").value_or(made.execute);
  made.shares_host_memory = reader.flag("shared").value_or(made.shares_host_memory);
  made.peer_copies = reader.flag("peer").value_or(made.peer_copies);
  made.watts = reader.rate("watts").value_or(made.watts);
  made.host_cores = reader.number("host_cores", 0, max_lanes).value_or(made.host_cores);
  made.deviation = read_deviation(reader);
  reader.finish();
  return made;
}

void add_devices(sim_machine& to, const sim_options& each, std::size_t count,
                 const std::string& source) {
  to.devices.insert(to.devices.end(), count, each);
  if (to.devices.size() <= max_devices_in_all) return;
  throw usage_error("The " + source + " has " + std::to_string(to.devices.size()) +
                    " devices or more; there may be at most " + std::to_string(max_devices_in_all) +
                    ".");
}

namespace {

/// "machine=NAME", and what holds for all of its devices.
sim_machine read_machine(std::string_view configuration) {
  configuration_reader reader("sim", configuration);
  sim_machine made = find_machine(*reader.text("machine"));
  if (const std::optional<bool> execute = reader.flag("execute")) {
    for (sim_options& each : made.devices) each.execute = *execute;
  }
  reader.finish();
  return made;
}

}  // namespace

}  // namespace sim

sim_machine parse_sim_configuration(std::string_view configuration) {
  if (configuration.starts_with("machine=")) return sim::read_machine(configuration);
  sim_machine made;
  for (const std::string& group : split(configuration, ';')) {
    const std::size_t comma = group.find(',');
    const std::uint64_t count =
        parse_number("The number of devices that begins each group in the configuration of sim",
                     std::string_view(group).substr(0, comma), 1, sim::max_devices);
    const std::string keys = comma == std::string::npos ? "" : group.substr(comma + 1);
    if (keys.empty() && comma != std::string::npos) {
      throw usage_error("The configuration of sim has the group " + in_quotes(group) +
                        "; after the comma there must be key=value.");
    }
    sim::add_devices(made, sim::read_device(configuration_reader("sim", keys)), count,
                     "configuration of sim");
  }
  return made;
}

}  // namespace hocket
