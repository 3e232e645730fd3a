// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "machine_parts.hpp"

#include <algorithm>

#include <hocket/memory/host_resource.hpp>

// One declaration and one entry for each backend that this build has.
#define HOCKET_BACKEND(name)                              \
  namespace hocket {                                      \
  std::unique_ptr<const backend> make_##name##_backend(); \
  }
#include <hocket/backends.inc>
#undef HOCKET_BACKEND

namespace hocket::detail {

namespace {

backend_list all_backends() {
  backend_list backends;
#define HOCKET_BACKEND(name) backends.push_back(make_##name##_backend());
#include <hocket/backends.inc>
#undef HOCKET_BACKEND
  return backends;
}

constexpr std::uint64_t unknown_memory = std::uint64_t{1} << 50U;

std::string missing_devices(const backend_list& backends) {
  std::string text = "There is no device to run on.";
  for (const auto& b : backends) text.append(" ").append(b->why_none());
  return text;
}

}  // namespace

machine_parts::machine_parts(const std::string& names, std::string_view source,
                             const backend_configurations& configurations, bool private_memory,
                             executor& where, completion_sink& sink) {
  const backend_list backends = all_backends();
  candidate_list found = find_devices(backends, where, configurations);
  if (found.empty()) throw error(failure(failure_code::no_device, missing_devices(backends)));
  const candidate_list chosen = select_devices(std::move(found), names, source);
  // The host's memory is that of the first device that shares it, unless replicas are forced.
  const bool shared = !private_memory && chosen.front()->info().shares_host_memory;
  if (!shared) add_host_memory();
  for (const auto& candidate : chosen) add_device(*candidate, private_memory, where, sink);
  add_links();
}

machine_parts::~machine_parts() {
  for (const auto& [id, b] : blocks_) {
    if (!b.why && b.memory.valid()) memories_[b.memory.value]->deallocate(b.where);
  }
}

void machine_parts::add_host_memory() {
  host_resource_ = std::make_unique<host_resource>();
  memories_.push_back(host_resource_.get());
  alignments_.push_back(64);
  description_.memories.push_back({"host memory", unknown_memory});
}

stream_id machine_parts::add_stream(device_id device, std::size_t domain) {
  description_.streams.push_back({device, domain});
  return stream_id{description_.streams.size() - 1};
}

std::size_t machine_parts::domain_of(const std::string& backend) {
  const auto at = std::find(domains_.begin(), domains_.end(), backend);
  if (at != domains_.end()) return static_cast<std::size_t>(at - domains_.begin());
  domains_.push_back(backend);
  return domains_.size() - 1;
}

void machine_parts::add_device(const device_candidate& candidate, bool private_memory,
                               executor& where, completion_sink& sink) {
  const device_info& info = candidate.info();
  const device_id id{devices_.size()};
  const std::size_t domain = domain_of(info.backend);
  device_numbers numbers{id, {}, {}, {}};
  for (std::size_t lane = 0; lane < info.lanes; ++lane) {
    numbers.compute.push_back(add_stream(id, domain));
  }
  numbers.inbound = add_stream(id, domain);
  numbers.outbound = add_stream(id, domain);
  devices_.push_back(candidate.connect(numbers, where, sink).value());
  class device& made = *devices_.back();
  infos_.push_back(info);
  for (std::size_t lane = 0; lane < info.lanes; ++lane) streams_.push_back(&made.compute(lane));
  streams_.push_back(&made.inbound());
  streams_.push_back(&made.outbound());
  inbound_.push_back(numbers.inbound);
  outbound_.push_back(numbers.outbound);

  const memory_id memory{memories_.size()};
  memories_.push_back(&made.memory());
  alignments_.push_back(info.alignment);
  description_.memories.push_back(
      {info.name, info.memory_bytes == 0 || private_memory ? unknown_memory : info.memory_bytes});
  if (info.memory_bytes != 0) description_.memories.back().capacity = info.memory_bytes;

  heart::machine::device_node node;
  node.name = info.name;
  node.memory = memory;
  node.compute = numbers.compute;
  node.formats = info.formats;
  node.runs_host_tasks = info.shares_host_memory;
  node.depth = info.depth;
  node.flops_per_second = info.flops_per_second;
  node.bytes_per_second = info.memory_bytes_per_second;
  node.launch_latency = info.launch_latency;
  description_.devices.push_back(std::move(node));
}

void machine_parts::add_links() {
  const std::size_t count = memories_.size();
  description_.links.assign(count * count, std::nullopt);
  const auto connect = [&](memory_id from, memory_id to, stream_id stream, std::size_t device) {
    const device_info& info = infos_[device];
    description_.links[from.value * count + to.value] =
        heart::machine::link{stream, info.link_bytes_per_second, info.link_latency};
  };
  for (std::size_t to = 0; to < devices_.size(); ++to) {
    const memory_id own = description_.devices[to].memory;
    if (own != heart::host_memory) {
      connect(heart::host_memory, own, inbound_[to], to);
      connect(own, heart::host_memory, outbound_[to], to);
    }
    for (std::size_t from = 0; from < devices_.size(); ++from) {
      const memory_id other = description_.devices[from].memory;
      const bool reachable =
          infos_[from].backend == infos_[to].backend || infos_[from].shares_host_memory;
      if (from == to || other == heart::host_memory || own == heart::host_memory) continue;
      if (reachable) {
        connect(other, own, inbound_[to], to);
      } else if (infos_[to].shares_host_memory) {
        connect(other, own, outbound_[from], from);
      }
    }
  }
}

std::string machine_parts::stream_name(stream_id stream) const {
  const device_id device = *description_.streams[stream.value].device;
  const std::string& name = infos_[device.value].name;
  if (stream == inbound_[device.value]) return name + " in";
  if (stream == outbound_[device.value]) return name + " out";
  const auto& lanes = description_.devices[device.value].compute;
  const auto lane = std::find(lanes.begin(), lanes.end(), stream) - lanes.begin();
  return name + " lane " + std::to_string(lane);
}

void machine_parts::allocate(const heart::allocate_block& what) {
  result<allocation> got =
      memories_[what.memory.value]->allocate(what.bytes, alignments_[what.memory.value]);
  if (got) {
    blocks_.emplace(what.block, block{got.value(), what.memory, {}});
  } else {
    blocks_.emplace(what.block, block{{}, what.memory, got.why()});
  }
}

void machine_parts::free(const heart::free_block& what) {
  const auto at = blocks_.find(what.block);
  if (!at->second.why) memories_[at->second.memory.value]->deallocate(at->second.where);
  blocks_.erase(at);
}

void* machine_parts::address(block_id id) const {
  const auto at = blocks_.find(id);
  return at == blocks_.end() || at->second.why ? nullptr : at->second.where.address();
}

failure machine_parts::problem(block_id id) const {
  const auto at = blocks_.find(id);
  return at == blocks_.end() ? failure() : at->second.why;
}

void machine_parts::submit(ticket number, const ticket_set& after, command what) {
  what.value = number.value;
  for (const ticket t : after) {
    what.after.push_back({&streams_[t.stream.value]->time(), t.value});
  }
  streams_[number.stream.value]->submit(std::move(what));
}

void machine_parts::issue(const heart::issue_copy& what) {
  command made;
  const failure why = problem(what.from) ? problem(what.from) : problem(what.to);
  if (why) {
    made.what = failed_command{why};
  } else {
    made.what = copy_command{blocks_.at(what.from).where,
                             blocks_.at(what.to).where,
                             what.extents,
                             what.element_size,
                             what.region,
                             what.bytes};
  }
  submit(what.number, what.after, std::move(made));
}

void machine_parts::issue(const heart::issue_launch& what) {
  const heart::request& task = *what.task;
  launch_command launch;
  launch.kernel = task.kernel;
  launch.scalars = task.scalars;
  launch.width = task.width;
  launch.cost = task.cost;
  failure why;
  std::size_t next = 0;
  for (const parameter& p : task.kernel->parameters) {
    if (p.is != parameter::kind::buffer) continue;
    const heart::task_access& a = task.accesses[next];
    launch.buffers.push_back({{}, p.type, what.extents[next], a.region});
    ++next;
  }
  if (task.kernel->result) {
    launch.buffers.push_back(
        {{}, *task.kernel->result, what.extents[next], task.accesses[next].region});
  }
  for (std::size_t i = 0; i < what.blocks.size(); ++i) {
    if (!what.blocks[i].valid()) {  // an empty region has no storage, and so no place in it
      launch.buffers[i].region = {index_list(what.extents[i].size(), 0),
                                  launch.buffers[i].region.extents()};
      continue;
    }
    const block& b = blocks_.at(what.blocks[i]);
    if (b.why && !why) why = b.why;
    launch.buffers[i].where = b.where;
  }
  command made;
  if (why) {
    made.what = failed_command{why};
  } else {
    made.what = std::move(launch);
  }
  submit(what.number, what.after, std::move(made));
}

}  // namespace hocket::detail
