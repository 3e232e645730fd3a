// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <hocket/devices/cpu.hpp>
#include <hocket/devices/host_device.hpp>
#include <hocket/devices/prediction.hpp>
#include <hocket/execution/tbb_executor.hpp>
#include <hocket/memory/host_resource.hpp>

#include "memory.hpp"
#include "options.hpp"

namespace hocket {

namespace {

/// The machine whose nodes the arenas are; null on a virtual clock, where it plays no part.
const host_topology* topology_of(const executor& where) {
  const auto* real = dynamic_cast<const tbb_executor*>(&where);
  return real != nullptr ? &real->topology() : nullptr;
}

std::uint64_t usable_memory(const host_topology* topology, std::size_t node) {
  constexpr std::uint64_t unknown = std::uint64_t{16} << 30U;
  if (topology == nullptr) return unknown;
  // A part stays for the program itself and for what else runs on the machine.
  return topology->nodes()[node].memory_bytes.value_or(unknown) / 10 * 8;
}

std::string description_of(const executor& where, std::size_t lanes) {
  const std::string cores = std::to_string(lanes) + (lanes == 1 ? " core" : " cores");
  if (where.is_virtual()) return cores + ", on a virtual clock";
  const host_topology* const host = topology_of(where);
  const std::string processor = host == nullptr ? "" : host->processor();
  return processor.empty() ? cores : processor + ", " + cores;
}

/// On a virtual clock the numbers are the same on every machine, so that a run repeats anywhere.
device_info describe(const executor& where, std::size_t node, const cpu::options& given) {
  constexpr double usual_flops = 20e9, usual_bandwidth = 10e9;
  device_info info;
  info.name = "NUMA" + std::to_string(node);
  info.backend = "cpu";
  info.formats = {kernel_format::host};
  info.shares_host_memory = true;
  info.keeps_freed_blocks = true;
  info.peer_copies = true;
  info.can_be_lost = false;
  info.arena = node;
  info.lanes = given.lanes.value_or(where.workers(node));
  info.host_cores = info.lanes;
  info.description = description_of(where, info.lanes);
  info.memory_bytes = given.memory.value_or(usable_memory(topology_of(where), node));
  info.depth = given.depth.value_or(where.is_virtual() ? 1 : 2);
  if (!given.depth && !where.is_virtual()) info.ahead = std::chrono::microseconds(50);
  info.flops_per_second =
      given.flops.value_or(where.is_virtual() ? usual_flops : cpu::guessed_flops());
  info.memory_bytes_per_second = given.bandwidth.value_or(usual_bandwidth);
  info.link_bytes_per_second = info.memory_bytes_per_second;
  info.launch_latency = given.launch.value_or(std::chrono::microseconds(1));
  return info;
}

std::unique_ptr<memory_resource> memory_of(const host_topology* topology, std::size_t node,
                                           const std::string& device) {
  // With one node all memory is that node's.
  if (topology == nullptr || topology->nodes().size() == 1) {
    return std::make_unique<host_resource>(device_title(device));
  }
  return std::make_unique<cpu::node_resource>(*topology, node, device_title(device));
}

result<std::unique_ptr<device>> connect(const device_info& info, const device_numbers& numbers,
                                        executor& where, completion_sink& sink) {
  host_device_parts parts;
  parts.info = info;
  parts.arena = info.arena;
  parts.memory = memory_of(topology_of(where), info.arena, info.name);
  if (where.is_virtual()) {
    parts.duration = [info](const command& what) { return predicted(info, what); };
  }
  return std::unique_ptr<device>(
      std::make_unique<host_device>(std::move(parts), numbers, where, sink));
}

class cpu_backend final : public backend {
 public:
  [[nodiscard]] std::string name() const override { return "cpu"; }

  [[nodiscard]] found_devices find(const executor& where, const std::string& configuration,
                                   const adopted_contexts& /*adopted*/) const override {
    const cpu::options given = cpu::parse(configuration);
    found_devices found;
    for (std::size_t node = 0; node < where.arenas(); ++node) {
      const device_info info = describe(where, node, given);
      found.usable.push_back(std::make_unique<device_candidate>(
          info, [info](const device_numbers& numbers, executor& on, completion_sink& sink) {
            return connect(info, numbers, on, sink);
          }));
    }
    return found;
  }

  [[nodiscard]] std::string why_none() const override {
    return "There is always a CPU; HOCKET_VISIBLE_DEVICES may hide it.";
  }
};

}  // namespace

std::unique_ptr<const backend> make_cpu_backend() { return std::make_unique<cpu_backend>(); }

}  // namespace hocket
