// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <algorithm>
#include <limits>
#include <utility>

#include <hocket/devices/prediction.hpp>
#include <hocket/devices/sim.hpp>
#include <hocket/streams/perform.hpp>

#include "bus.hpp"
#include "device.hpp"
#include "launch_deviation.hpp"
#include "memory.hpp"

namespace hocket {

namespace {

device_info describe(const executor& where, std::size_t number, const sim_options& given,
                     const sim::bus* bus) {
  device_info info;
  info.name = "Sim" + std::to_string(number);
  info.backend = "sim";
  info.description = given.model.empty() ? "simulated" : given.model + ", simulated";
  if (!given.execute) info.description += ", executes nothing";
  info.formats = {kernel_format::host};
  info.memory_bytes = given.memory_bytes;
  info.is_simulated = true;
  info.executes = given.execute;
  info.shares_host_memory = given.shares_host_memory;
  info.peer_copies = given.peer_copies;
  info.lanes = given.lanes;
  info.depth = given.depth.value_or(where.is_virtual() ? 1 : 2);
  info.flops_per_second = given.flops_per_second.value_or(info.flops_per_second);
  info.memory_bytes_per_second =
      given.memory_bytes_per_second.value_or(info.memory_bytes_per_second);
  info.link_bytes_per_second = given.link_bytes_per_second.value_or(info.link_bytes_per_second);
  if (bus != nullptr) {
    info.bus = {bus->properties().name, bus->bytes_per_second(), bus->properties().duplex};
    info.link_bytes_per_second = std::min(info.link_bytes_per_second, bus->bytes_per_second());
  }
  info.launch_latency = given.launch_latency.value_or(info.launch_latency);
  info.link_latency = given.link_latency.value_or(info.link_latency);
  info.peer_bytes_per_second = given.peer_bytes_per_second.value_or(info.peer_bytes_per_second);
  info.peer_latency = given.peer_latency.value_or(info.peer_latency);
  info.kernel_rates = given.kernel_rates;
  info.watts = given.watts;
  info.host_cores = given.host_cores;
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

/// How long the bus, if there is one, keeps a command from its start: a copy from or to the host
/// goes over it.
nanoseconds wait_for_bus(sim::bus* bus, const command& what, const executor& where) {
  const auto* const copy = std::get_if<copy_command>(&what.what);
  if (bus == nullptr || copy == nullptr || copy->route == copy_route::between_devices) {
    return nanoseconds{0};
  }
  return bus->enter(copy->route, where.now(), copy->bytes);
}

sim::memory_backing backing_of(const sim_options& given) {
  if (given.execute) return sim::memory_backing::poisoned;
  return given.shares_host_memory ? sim::memory_backing::shared : sim::memory_backing::none;
}

result<std::unique_ptr<device>> connect(const device_info& info, std::size_t number,
                                        const sim_options& given, std::shared_ptr<sim::bus> bus,
                                        const device_numbers& numbers, executor& where,
                                        completion_sink& sink) {
  auto faults = std::make_shared<sim_device::faults>();
  host_device_parts parts;
  parts.info = info;
  parts.arena = number % where.arenas();
  parts.memory =
      std::make_unique<sim::device_memory>(device_title(info.name), backing_of(given), faults);
  auto deviation = std::make_shared<sim::launch_deviation>(given.deviation, number);
  parts.duration = [info = modelled(where, info, given), bus = std::move(bus),
                    deviation = std::move(deviation), &where](const command& what) {
    const nanoseconds by_rates = predicted(info, what);
    const launch_command* const launch = what.launch();
    if (launch != nullptr) return deviation->apply(*launch, by_rates, where.now());
    return wait_for_bus(bus.get(), what, where) + by_rates;
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

  [[nodiscard]] found_devices find(const executor& where, const std::string& configuration,
                                   const adopted_contexts& /*adopted*/) const override {
    found_devices found;
    const sim_machine wanted = parse_sim_configuration(configuration);
    std::vector<std::shared_ptr<sim::bus>> buses;
    for (const sim_bus& each : wanted.buses) buses.push_back(std::make_shared<sim::bus>(each));
    for (const sim_options& given : wanted.devices) {
      const std::size_t number = found.usable.size();
      const std::shared_ptr<sim::bus> bus = given.bus ? buses[*given.bus] : nullptr;
      const device_info info = describe(where, number, given, bus.get());
      found.usable.push_back(std::make_unique<device_candidate>(
          info, [=](const device_numbers& numbers, executor& on, completion_sink& sink) {
            return connect(info, number, given, bus, numbers, on, sink);
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
