// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "runtime/machine_description.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include <hocket/scheduler/detail/host_context.hpp>

namespace hocket::detail {

namespace {

constexpr std::uint64_t unknown_memory = std::uint64_t{1} << 50U;

std::uint64_t capacity_of(const device_info& info) {
  return info.memory_bytes == 0 ? unknown_memory : info.memory_bytes;
}

}  // namespace

machine_description::machine_description() {
  told_.memories.push_back({"host memory", unknown_memory});
}

stream_id machine_description::add_stream(device_id device, std::size_t domain) {
  told_.streams.push_back({device, domain});
  return stream_id{told_.streams.size() - 1};
}

std::size_t machine_description::domain_of(const std::string& name) {
  const auto at = std::find(domains_.begin(), domains_.end(), name);
  if (at != domains_.end()) return static_cast<std::size_t>(at - domains_.begin());
  domains_.push_back(name);
  return domains_.size() - 1;
}

void machine_description::add_streams(const device_info& info, device_numbers& numbers) {
  const std::string& domain = info.domain.empty() ? info.backend : info.domain;
  const std::size_t own = domain_of(domain);
  const std::size_t copies = info.copies_on_host ? domain_of(info.name + " copies") : own;
  for (std::size_t lane = 0; lane < info.lanes; ++lane) {
    numbers.compute.push_back(add_stream(numbers.device, own));
  }
  numbers.inbound = add_stream(numbers.device, copies);
  numbers.outbound = add_stream(numbers.device, copies);
  inbound_.push_back(numbers.inbound);
  outbound_.push_back(numbers.outbound);
}

void machine_description::remove_streams(const device_numbers& numbers) {
  told_.streams.resize(numbers.compute.front().value);
  inbound_.pop_back();
  outbound_.pop_back();
}

void machine_description::set_host_memory(const device_info& info) {
  told_.memories.front() = {info.name, capacity_of(info)};
}

memory_id machine_description::add_memory(const device_info& info) {
  told_.memories.push_back({info.name, capacity_of(info)});
  return memory_id{told_.memories.size() - 1};
}

void machine_description::add_device(const device_info& info, const device_numbers& numbers,
                                     memory_id memory) {
  infos_.push_back(info);
  placement::machine::device_node node;
  node.name = info.name;
  if (info.formats.front() != kernel_format::host) node.driver = info.description;
  node.memory = memory;
  node.owns_memory = !numbers.uses_host_memory;
  node.compute = numbers.compute;
  node.formats = info.formats;
  node.style = info.style;
  node.lacks = info.lacks;
  node.largest_binding = info.largest_binding;
  if (memory == placement::host_memory) {
    node.binding_unit = info.binding_unit;
    node.import_unit = info.alignment;
  }
  node.runs_host_tasks = info.shares_host_memory;
  node.depth = info.depth;
  node.ahead = info.ahead;
  node.flops_per_second = info.flops_per_second;
  node.bytes_per_second = info.memory_bytes_per_second;
  node.launch_latency = info.launch_latency;
  node.kernel_rates = info.kernel_rates;
  node.watts = info.watts;
  node.host_cores = info.host_cores;
  told_.devices.push_back(std::move(node));
  arenas_.resize(told_.streams.size(),
                 info.shares_host_memory ? static_cast<std::uint32_t>(info.arena) : no_arena);
}

bool machine_description::linked(std::size_t from, std::size_t to) const {
  const auto domain = [&](stream_id s) { return told_.streams[s.value].domain; };
  return infos_[from].shares_host_memory ||
         (infos_[to].peer_copies && domain(outbound_[from]) == domain(inbound_[to]));
}

void machine_description::add_links() {
  const std::size_t count = told_.memories.size();
  told_.links.assign(count * count, std::nullopt);
  const auto connect = [&](memory_id from, memory_id to, stream_id stream, std::size_t device) {
    const device_info& info = infos_[device];
    const bool is_peer = info.peer_bytes_per_second != 0 && from != placement::host_memory &&
                         to != placement::host_memory;
    told_.links[from.value * count + to.value] = placement::machine::link{
        stream, is_peer ? info.peer_bytes_per_second : info.link_bytes_per_second,
        is_peer ? info.peer_latency : info.link_latency};
  };
  for (std::size_t to = 0; to < infos_.size(); ++to) {
    const memory_id own = told_.devices[to].memory;
    if (own == placement::host_memory) continue;
    connect(placement::host_memory, own, inbound_[to], to);
    connect(own, placement::host_memory, outbound_[to], to);
    for (std::size_t from = 0; from < infos_.size(); ++from) {
      const memory_id other = told_.devices[from].memory;
      if (from == to || other == placement::host_memory) continue;
      if (linked(from, to)) {
        connect(other, own, inbound_[to], to);
      } else if (infos_[to].shares_host_memory) {
        connect(other, own, outbound_[from], from);
      }
    }
  }
}

std::string machine_description::stream_name(stream_id stream) const {
  const device_id device = *told_.streams[stream.value].device;
  const std::string& name = infos_[device.value].name;
  if (stream == inbound_[device.value]) return name + " in";
  if (stream == outbound_[device.value]) return name + " out";
  const auto& lanes = told_.devices[device.value].compute;
  const auto lane = std::find(lanes.begin(), lanes.end(), stream) - lanes.begin();
  return name + " lane " + std::to_string(lane);
}

}  // namespace hocket::detail
