// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <optional>
#include <string>

#include <boost/json.hpp>

#include <hocket/core/exact_text.hpp>
#include <hocket/devices/sim.hpp>

namespace hocket {

namespace {

namespace json = boost::json;

json::string in_nanoseconds(nanoseconds time) {
  return json::string(std::to_string(time.count()) + "ns");
}

json::string exact(double rate) { return json::string(exact_text(rate)); }

void put_deviation(const sim_deviation& from, json::object& to) {
  const sim_deviation none;
  if (from.noise != none.noise) to["noise"] = exact(from.noise);
  if (from.first_launches != none.first_launches) to["first"] = from.first_launches;
  if (from.first_factor != none.first_factor) to["first_factor"] = exact(from.first_factor);
  if (from.later != none.later) to["later"] = in_nanoseconds(from.later);
  if (from.later_factor != none.later_factor) to["later_factor"] = exact(from.later_factor);
}

json::object described(const sim_options& of, const sim_machine& in) {
  json::object made;
  if (!of.model.empty()) made["model"] = json::string(of.model);
  made["memory"] = of.memory_bytes;
  const auto put_rate = [&](const char* key, const std::optional<double>& rate) {
    if (rate) made[key] = exact(*rate);
  };
  const auto put_time = [&](const char* key, const std::optional<nanoseconds>& time) {
    if (time) made[key] = in_nanoseconds(*time);
  };
  put_rate("flops", of.flops_per_second);
  put_rate("bandwidth", of.memory_bytes_per_second);
  put_rate("link", of.link_bytes_per_second);
  put_time("latency", of.link_latency);
  put_rate("peer_link", of.peer_bytes_per_second);
  put_time("peer_latency", of.peer_latency);
  put_time("launch", of.launch_latency);
  made["lanes"] = of.lanes;
  if (of.depth) made["depth"] = *of.depth;
  made["execute"] = of.execute;
  made["shared"] = of.shares_host_memory;
  made["peer"] = of.peer_copies;
  if (of.watts > 0) made["watts"] = exact(of.watts);
  if (of.host_cores > 0) made["host_cores"] = of.host_cores;
  put_deviation(of.deviation, made);
  if (of.bus) made["bus"] = json::string(in.buses[*of.bus].name);
  if (!of.kernel_rates.empty()) {
    json::object& kernels = made["kernels"].emplace_object();
    for (const kernel_rate& each : of.kernel_rates) kernels[each.kernel] = exact(each.of_rate);
  }
  return made;
}

}  // namespace

std::string to_json(const sim_machine& machine, const std::string& source) {
  json::object made;
  made["machine"] = json::string(machine.name);
  made["source"] = json::string(source);
  json::object& buses = made["buses"].emplace_object();
  for (const sim_bus& each : machine.buses) {
    buses[each.name] = {{"bandwidth", exact(each.bytes_per_second)}, {"duplex", each.duplex}};
  }
  json::array& devices = made["devices"].emplace_array();
  for (const sim_options& each : machine.devices) devices.push_back(described(each, machine));
  return json::serialize(made) + "\n";
}

}  // namespace hocket
