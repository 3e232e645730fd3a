// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "explain_kernels.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <span>
#include <tuple>
#include <utility>

#include <fmt/format.h>

namespace tools {

namespace {

using hocket::traced_task;

// More would make the simulation slow: kernels are found by a look at all names.
constexpr std::size_t most_kinds = 300;
// So many times slower than the slowest device that can is one that cannot run a kernel.
constexpr double penalty = 20;
// Devices that use the memory of the host copy nothing.
constexpr double at_once = 1e18;
constexpr std::uint64_t unknown_memory = std::uint64_t{1} << 50U;

using kind_key = std::tuple<std::string, bool, double, double>;

kind_key key_of(const traced_task& t, bool by_size_class) {
  const auto rounded = [&](double amount) {
    return by_size_class && amount > 0 ? std::floor(std::log2(amount)) : amount;
  };
  return {t.kernel, t.wide, rounded(t.flops), rounded(t.bytes)};
}

std::map<kind_key, std::size_t> number_kinds(const recorded_run& run, bool by_size_class) {
  std::map<kind_key, std::size_t> made;
  for (const traced_task& t : run.tasks) {
    if (t.kind == hocket::traced_kind::launch) made.emplace(key_of(t, by_size_class), made.size());
  }
  return made;
}

/// The median of times in nanoseconds, and 1 at least; 0 without any.
double median_time(std::vector<double>& values) {
  if (values.empty()) return 0;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::ranges::nth_element(values, middle);
  return std::max(*middle, 1.0);
}

double took(const traced_task& t) { return static_cast<double>((t.end - t.begin).count()); }

/// Facts about one kind on one device.
struct samples {
  std::vector<double> measured;
  std::vector<double> predicted;
};

/// How many times longer than predicted launches of one kind took where they ran.
double error_of_predictions(std::span<samples> on_devices) {
  std::vector<double> errors;
  for (samples& each : on_devices) {
    if (each.measured.empty() || each.predicted.empty()) continue;
    const double measured = median_time(each.measured);
    errors.push_back(measured / median_time(each.predicted));
  }
  if (errors.empty()) return 1;
  return *std::ranges::max_element(errors);
}

}  // namespace

launch_kinds::launch_kinds(const recorded_run& run)
    : run_(run), kinds_of_tasks_(run.tasks.size(), 0) {
  bool by_size_class = false;
  auto numbers = number_kinds(run, by_size_class);
  if (numbers.size() > most_kinds) {
    by_size_class = true;
    numbers = number_kinds(run, by_size_class);
  }
  const std::size_t devices = run.devices.size();
  std::vector<samples> all(numbers.size() * devices);
  std::vector<bool> wide(numbers.size());
  for (const traced_task& t : run.tasks) {
    if (t.kind != hocket::traced_kind::launch) continue;
    const std::size_t kind = numbers.at(key_of(t, by_size_class));
    kinds_of_tasks_[t.number] = kind;
    wide[kind] = t.wide;
    if (ran(t) && t.end > t.begin) {
      all[kind * devices + t.device.value].measured.push_back(took(t));
    }
    for (const hocket::traced_candidate& c : t.candidates) {
      all[kind * devices + c.device.value].predicted.push_back(static_cast<double>(c.time.count()));
    }
  }
  for (std::size_t kind = 0; kind < numbers.size(); ++kind) {
    launch_kind& made = kinds_.emplace_back();
    made.is_wide = wide[kind];
    const std::span<samples> of_kind(all.data() + kind * devices, devices);
    const double error = error_of_predictions(of_kind);
    for (samples& known : of_kind) {
      made.nanoseconds_on.push_back(known.measured.empty() ? error * median_time(known.predicted)
                                                           : median_time(known.measured));
    }
  }
}

double launch_kinds::length_of(const traced_task& t) const {
  const double usual = ran(t) ? kinds_[kind_of(t)].nanoseconds_on[t.device.value] : 0.0;
  return usual > 0 ? std::max(took(t), 1.0) / usual : 1.0;
}

std::string launch_kinds::name_of(std::size_t kind) { return fmt::format("kind {}", kind); }

hocket::sim_options launch_kinds::device(std::size_t number) const {
  const hocket::device_info& of = run_.devices[number];
  const bool uses_host_memory = run_.memories[number].value == 0;
  const bool is_first = std::ranges::find(run_.memories, hocket::memory_id{0}) ==
                        run_.memories.begin() + static_cast<std::ptrdiff_t>(number);
  hocket::sim_options made;
  made.model = of.name;
  made.memory_bytes = of.memory_bytes == 0 ? unknown_memory : of.memory_bytes;
  made.flops_per_second = 1e9;
  made.memory_bytes_per_second = at_once;
  const bool copies = !uses_host_memory;
  made.link_bytes_per_second = copies ? of.link_bytes_per_second : at_once;
  made.link_latency = copies ? of.link_latency : hocket::nanoseconds{0};
  if (of.peer_bytes_per_second > 0) {
    made.peer_bytes_per_second = of.peer_bytes_per_second;
    made.peer_latency = of.peer_latency;
  }
  made.launch_latency = hocket::nanoseconds{0};
  made.lanes = of.lanes;
  made.depth = of.depth;
  made.execute = false;
  made.shares_host_memory = of.shares_host_memory || (uses_host_memory && is_first);
  made.peer_copies = of.peer_copies;
  made.watts = of.watts;
  made.host_cores = of.host_cores;
  return made;
}

hocket::sim_machine launch_kinds::machine() const {
  hocket::sim_machine made;
  made.name = "the machine of a trace";
  for (std::size_t i = 0; i < run_.devices.size(); ++i) {
    made.devices.push_back(device(i));
    const hocket::shared_link& bus = run_.devices[i].bus;
    if (bus.name.empty() || run_.memories[i].value == 0) continue;
    const auto at = std::ranges::find(made.buses, bus.name, &hocket::sim_bus::name);
    made.devices.back().bus = static_cast<std::size_t>(at - made.buses.begin());
    if (at == made.buses.end()) {
      made.buses.push_back({bus.name, bus.bytes_per_second, bus.is_duplex});
    }
  }
  for (std::size_t kind = 0; kind < kinds_.size(); ++kind) {
    const std::vector<double>& times = kinds_[kind].nanoseconds_on;
    const double longest = std::max(1.0, *std::ranges::max_element(times));
    for (std::size_t i = 0; i < times.size(); ++i) {
      const double time = times[i] > 0 ? times[i] : penalty * longest;
      // A wide launch shares its work among all lanes.
      const double lanes = kinds_[kind].is_wide ? static_cast<double>(run_.devices[i].lanes) : 1;
      made.devices[i].kernel_rates.push_back({name_of(kind), unit_of_work / time / lanes});
    }
  }
  return made;
}

}  // namespace tools
