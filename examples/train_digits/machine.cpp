// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "machine.hpp"

#include <algorithm>
#include <chrono>
#include <map>
#include <set>

#include <fmt/format.h>

namespace train {

namespace {

constexpr std::size_t usual_stages = 3;

// One lane each: a stage works on one micro-batch at a time.
constexpr const char* virtual_cpu = "lanes=1,flops=20G,bandwidth=20G,launch=1us";
constexpr const char* virtual_sims =
    "2,memory=256M,flops=10G,bandwidth=100G,launch=2us,link=16G,latency=1us";
constexpr const char* real_cpu = "lanes=1";
constexpr const char* real_sims = "2,memory=256M";

bool of_a_driver(const hocket::device_info& info) {
  return info.backend != "cpu" && info.backend != "sim";
}

double speed(const hocket::device_info& info) {
  return info.flops_per_second * static_cast<double>(info.lanes);
}

/// The fastest device of each backend first, the others after them, and what is simulated last.
std::vector<hocket::device_info> in_order_of_choice(std::vector<hocket::device_info> infos) {
  std::map<std::string, double> best;
  for (const hocket::device_info& info : infos) {
    best[info.backend] = std::max(best[info.backend], speed(info));
  }
  std::map<std::string, int> rank;
  std::set<std::string> seen;
  for (const hocket::device_info& info : infos) {
    const bool first = speed(info) == best[info.backend] && seen.insert(info.backend).second;
    rank[info.name] = info.backend == "sim" ? 2 : (first ? 0 : 1);
  }
  std::stable_sort(infos.begin(), infos.end(),
                   [&](const auto& a, const auto& b) { return rank[a.name] < rank[b.name]; });
  return infos;
}

std::vector<std::string> names_of_stages(hocket::runtime& rt, const options& given) {
  std::vector<std::string> names = given.devices;
  if (!names.empty()) return names;
  for (const hocket::device_info& info : in_order_of_choice(rt.devices())) {
    if (names.size() < given.stages.value_or(usual_stages)) names.push_back(info.name);
  }
  return names;
}

void check(const std::vector<std::string>& names, std::size_t stages) {
  if (stages > names.size()) {
    throw hocket::usage_error(fmt::format(
        "--stages is \"{}\"; with {} devices it must be 1 to {}, since every stage has a "
        "device of its own.",
        stages, names.size(), names.size()));
  }
  for (auto name = names.begin(); name != names.end(); ++name) {
    if (std::find(names.begin(), name, *name) != name) {
      throw hocket::usage_error(
          fmt::format("--devices names \"{}\" twice; every stage has a device of its own.", *name));
    }
  }
}

}  // namespace

clock_kind clock_for(const options& given) {
  if (given.clock) return *given.clock;
  const bool simulated = std::any_of(given.devices.begin(), given.devices.end(),
                                     [](const auto& name) { return name.starts_with("Sim"); });
  if (simulated) return clock_kind::virtual_time;
  hocket::runtime rt(machine_for(given, clock_kind::real, 0));
  const std::vector<hocket::device_info> infos = rt.devices();
  return std::any_of(infos.begin(), infos.end(), of_a_driver) ? clock_kind::real
                                                              : clock_kind::virtual_time;
}

hocket::runtime_options machine_for(const options& given, clock_kind clock,
                                    std::size_t trace_capacity) {
  const bool real = clock == clock_kind::real;
  hocket::runtime_options machine;
  machine.backends = {{"cpu", real ? real_cpu : virtual_cpu},
                      {"sim", real ? real_sims : virtual_sims}};
  for (const auto& [name, text] : given.backends) machine.backends[name] = text;
  machine.clock = real ? hocket::clock_kind::real : hocket::clock_kind::simulated;
  machine.private_memory = given.private_memory;
  machine.trace_capacity = trace_capacity;
  return machine;
}

std::vector<stage_device> devices_of_stages(hocket::runtime& rt, const options& given,
                                            clock_kind clock) {
  const std::vector<std::string> names = names_of_stages(rt, given);
  const std::size_t stages = given.stages.value_or(names.size());
  check(names, stages);
  const std::vector<hocket::device_info> infos = rt.devices();
  std::vector<stage_device> devices;
  for (const std::string& name : names) {
    const hocket::device_handle handle = rt.device(name);
    const hocket::device_info& info = infos[handle.id.value];
    devices.push_back({handle, info, clock == clock_kind::real ? 1 : speed(info)});
  }
  devices.resize(stages);
  return devices;
}

std::string to_string(const std::vector<stage_device>& devices, clock_kind clock) {
  std::string text;
  for (const stage_device& each : devices) {
    if (!text.empty()) text += ", ";
    text += each.info.name;
    if (clock == clock_kind::real) continue;
    text += fmt::format(" ({:.3g} GFLOP/s", each.speed / 1e9);
    if (!each.info.shares_host_memory) {
      text +=
          fmt::format(", link {:.3g} GB/s + {:.3g} us", each.info.link_bytes_per_second / 1e9,
                      std::chrono::duration<double, std::micro>(each.info.link_latency).count());
    }
    text += ")";
  }
  return text;
}

}  // namespace train
