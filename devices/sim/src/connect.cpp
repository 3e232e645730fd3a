// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <limits>

#include <hocket/devices/prediction.hpp>
#include <hocket/devices/sim.hpp>
#include <hocket/streams/perform.hpp>

#include "device.hpp"
#include "memory.hpp"

namespace hocket {

namespace {

device_info describe(const executor& where, std::size_t number, const sim_options& given) {
  device_info info;
  info.name = "Sim" + std::to_string(number);
  info.backend = "sim";
  info.description = given.execute ? "simulated" : "simulated, executes nothing";
  info.formats = {kernel_format::host};
  info.memory_bytes = given.memory_bytes;
  info.shares_host_memory = given.shares_host_memory;
  info.peer_copies = given.peer_copies;
  info.lanes = given.lanes;
  info.depth = given.depth.value_or(where.is_virtual() ? 1 : 2);
  info.flops_per_second = given.flops_per_second.value_or(info.flops_per_second);
  info.memory_bytes_per_second =
      given.memory_bytes_per_second.value_or(info.memory_bytes_per_second);
  info.link_bytes_per_second = given.link_bytes_per_second.value_or(info.link_bytes_per_second);
  info.launch_latency = given.launch_latency.value_or(info.launch_latency);
  info.link_latency = given.link_latency.value_or(info.link_latency);
  return info;
}

/// The numbers that times are modelled with: on a real clock only what was asked for takes time.
device_info modelled(const executor& where, device_info info, const sim_options& given) {
  if (where.is_virtual()) return info;
  constexpr double at_once = std::numeric_limits<double>::infinity();
  info.flops_per_second = given.flops_per_second.value_or(at_once);
  info.memory_bytes_per_second = given.memory_bytes_per_second.value_or(at_once);
  info.link_bytes_per_second = given.link_bytes_per_second.value_or(at_once);
  return info;
}

result<std::unique_ptr<device>> connect(const device_info& info, std::size_t number,
                                        const sim_options& given, const device_numbers& numbers,
                                        executor& where, completion_sink& sink) {
  auto faults = std::make_shared<sim_device::faults>();
  host_device_parts parts;
  parts.info = info;
  parts.arena = number % where.arenas();
  // Where nothing is executed nothing is touched: large memories then cost nothing.
  parts.memory =
      std::make_unique<sim::device_memory>(device_title(info.name), given.execute, faults);
  parts.duration = [info = modelled(where, info, given)](const command& what) {
    return predicted(info, what);
  };
  parts.perform = [faults, &where, arena = parts.arena,
                   execute = given.execute](const command& what) {
    if (what.launch() != nullptr) {
      if (failure why = faults->next_launch()) return why;
    }
    const bool real = execute || std::holds_alternative<failed_command>(what.what);
    return real ? perform_on_host(where, arena, what) : failure();
  };
  return std::unique_ptr<device>(
      std::make_unique<sim_device>(std::move(parts), std::move(faults), numbers, where, sink));
}

class sim_backend final : public backend {
 public:
  [[nodiscard]] std::string name() const override { return "sim"; }

  [[nodiscard]] found_devices find(const executor& where,
                                   const std::string& configuration) const override {
    found_devices found;
    for (const sim_options& given : parse_sim_options(configuration)) {
      const std::size_t number = found.usable.size();
      const device_info info = describe(where, number, given);
      found.usable.push_back(std::make_unique<device_candidate>(
          info, [=](const device_numbers& numbers, executor& on, completion_sink& sink) {
            return connect(info, number, given, numbers, on, sink);
          }));
    }
    return found;
  }

  [[nodiscard]] std::string why_none() const override {
    return "No simulated device is asked for; the configuration \"2,memory=256M\" makes two.";
  }
};

}  // namespace

std::unique_ptr<const backend> make_sim_backend() { return std::make_unique<sim_backend>(); }

}  // namespace hocket
