// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "runtime/device_set.hpp"

#include <algorithm>
#include <cstdio>
#include <limits>

#include <hocket/core/environment.hpp>
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
  return select_backends(std::move(backends), environment_variable("HOCKET_BACKENDS").value_or(""));
}

constexpr std::uint64_t unknown_memory = std::uint64_t{1} << 50U;

error no_device(const backend_list& backends, const std::vector<std::string>& left_out) {
  std::string text = "There is no device to run on.";
  for (const std::string& sentence : left_out) text.append(" ").append(sentence);
  for (const auto& b : backends) text.append(" ").append(b->why_none());
  return error(failure(failure_code::no_device, text));
}

failure cannot_be_used(const device_info& info, const failure& why) {
  return {why.code(), info.name + " (" + info.description + ") is left out: " + why.message()};
}

}  // namespace

device_set::device_set(const std::string& names, std::string_view source,
                       const backend_configurations& configurations, bool private_memory,
                       executor& where, completion_sink& sink) {
  const backend_list backends = all_backends();
  found_devices found = find_devices(backends, where, configurations, names);
  std::vector<std::string> left_out = found.left_out;
  if (found.usable.empty()) throw no_device(backends, left_out);
  const candidate_list chosen = select_devices(std::move(found), names, source);
  // The host's memory is that of the first device that shares it, unless replicas are forced.
  const auto host = std::find_if(chosen.begin(), chosen.end(), [&](const auto& candidate) {
    return !private_memory && candidate->info().shares_host_memory;
  });
  description_.memories.push_back({"host memory", unknown_memory});
  alignments_.push_back(64);
  memories_.push_back(nullptr);
  device* of_host = nullptr;
  for (auto at = chosen.begin(); at != chosen.end(); ++at) {
    const device_info& info = (*at)->info();
    const bool imports = info.imports_host_memory && !private_memory;
    const failure why = add_device(**at, imports || at == host, where, sink);
    if (!why && at == host) of_host = devices_.back().get();
    if (!why) continue;
    const failure said = cannot_be_used(info, why);
    // It was not named alone, and nothing rests on it.
    if (!names.empty() || at == host) said.raise();
    left_out.push_back(said.message());
  }
  if (devices_.empty()) throw no_device(backends, left_out);
  open_host_memory(of_host);
  for (const std::string& sentence : left_out) {
    if (names.empty()) std::fprintf(stderr, "hocket: %s\n", sentence.c_str());
  }
  add_links();
}

device_set::~device_set() {
  blocks_.each([this](block_id, const block& b) {
    if (!b.why && b.memory.valid()) memories_[b.memory.value]->deallocate(b.where);
  });
}

/// Called once all devices are known that use it in place.
void device_set::open_host_memory(device* of) {
  device_info of_process;
  of_process.name = "host memory";
  of_process.shares_host_memory = of_process.keeps_freed_blocks = true;
  if (of == nullptr) host_resource_ = std::make_unique<host_resource>();
  memories_.front() =
      std::make_unique<pooled_memory>(of == nullptr ? *host_resource_ : of->memory(),
                                      of == nullptr ? of_process : of->info(), importing_);
}

stream_id device_set::add_stream(device_id device, std::size_t domain) {
  description_.streams.push_back({device, domain});
  return stream_id{description_.streams.size() - 1};
}

std::size_t device_set::domain_of(const std::string& name) {
  const auto at = std::find(domains_.begin(), domains_.end(), name);
  if (at != domains_.end()) return static_cast<std::size_t>(at - domains_.begin());
  domains_.push_back(name);
  return domains_.size() - 1;
}

void device_set::add_streams(const device_info& info, device_numbers& numbers) {
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

void device_set::remove_streams(const device_numbers& numbers) {
  description_.streams.resize(numbers.compute.front().value);
  inbound_.pop_back();
  outbound_.pop_back();
}

failure device_set::add_device(const device_candidate& candidate, bool uses_host_memory,
                               executor& where, completion_sink& sink) {
  const device_info& info = candidate.info();
  device_numbers numbers;
  numbers.device = device_id{devices_.size()};
  numbers.uses_host_memory = uses_host_memory && info.imports_host_memory;
  add_streams(info, numbers);
  auto connected = candidate.connect(numbers, where, sink);
  if (!connected) {
    remove_streams(numbers);
    return connected.error();
  }
  devices_.push_back(std::move(connected).value());
  class device& made = *devices_.back();
  infos_.push_back(made.info());
  for (std::size_t lane = 0; lane < info.lanes; ++lane) streams_.push_back(&made.compute(lane));
  streams_.push_back(&made.inbound());
  streams_.push_back(&made.outbound());
  if (numbers.uses_host_memory) {
    importing_.push_back(&made);
    alignments_.front() = std::max(alignments_.front(), info.alignment);
    add_node(info, numbers, placement::host_memory);
  } else {
    add_node(info, numbers, add_memory(made, uses_host_memory));
  }
  return {};
}

memory_id device_set::add_memory(class device& made, bool is_the_hosts) {
  const device_info& info = made.info();
  const std::uint64_t capacity = info.memory_bytes == 0 ? unknown_memory : info.memory_bytes;
  if (is_the_hosts) {
    alignments_.front() = std::max(alignments_.front(), info.alignment);
    description_.memories.front() = {info.name, capacity};
    return placement::host_memory;
  }
  memories_.push_back(std::make_unique<pooled_memory>(made.memory(), info));
  alignments_.push_back(info.alignment);
  description_.memories.push_back({info.name, capacity});
  return memory_id{memories_.size() - 1};
}

void device_set::add_node(const device_info& info, const device_numbers& numbers,
                          memory_id memory) {
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
  node.runs_host_tasks = info.shares_host_memory;
  node.depth = info.depth;
  node.ahead = info.ahead;
  node.flops_per_second = info.flops_per_second;
  node.bytes_per_second = info.memory_bytes_per_second;
  node.launch_latency = info.launch_latency;
  description_.devices.push_back(std::move(node));
}

bool device_set::linked(std::size_t from, std::size_t to) const {
  const point any_from{outbound_[from], 0}, any_to{inbound_[to], 0};
  const auto domain = [&](point t) { return description_.streams[t.stream.value].domain; };
  return infos_[from].shares_host_memory ||
         (infos_[to].peer_copies && domain(any_from) == domain(any_to));
}

void device_set::add_links() {
  const std::size_t count = memories_.size();
  description_.links.assign(count * count, std::nullopt);
  const auto connect = [&](memory_id from, memory_id to, stream_id stream, std::size_t device) {
    const device_info& info = infos_[device];
    description_.links[from.value * count + to.value] =
        placement::machine::link{stream, info.link_bytes_per_second, info.link_latency};
  };
  for (std::size_t to = 0; to < devices_.size(); ++to) {
    const memory_id own = description_.devices[to].memory;
    if (own == placement::host_memory) continue;
    connect(placement::host_memory, own, inbound_[to], to);
    connect(own, placement::host_memory, outbound_[to], to);
    for (std::size_t from = 0; from < devices_.size(); ++from) {
      const memory_id other = description_.devices[from].memory;
      if (from == to || other == placement::host_memory) continue;
      if (linked(from, to)) {
        connect(other, own, inbound_[to], to);
      } else if (infos_[to].shares_host_memory) {
        connect(other, own, outbound_[from], from);
      }
    }
  }
}

std::string device_set::stream_name(stream_id stream) const {
  const device_id device = *description_.streams[stream.value].device;
  const std::string& name = infos_[device.value].name;
  if (stream == inbound_[device.value]) return name + " in";
  if (stream == outbound_[device.value]) return name + " out";
  const auto& lanes = description_.devices[device.value].compute;
  const auto lane = std::find(lanes.begin(), lanes.end(), stream) - lanes.begin();
  return name + " lane " + std::to_string(lane);
}

failure device_set::allocate(const placement::allocate_block& what) {
  const std::size_t alignment = alignments_[what.memory.value];
  // A device that imports host memory takes whole units of its alignment.
  const bool in_units = what.memory == placement::host_memory && !importing_.empty() &&
                        what.bytes <= std::numeric_limits<std::uint64_t>::max() - alignment;
  const std::uint64_t bytes =
      in_units ? (what.bytes + alignment - 1) / alignment * alignment : what.bytes;
  result<allocation> got = memories_[what.memory.value]->allocate(bytes, alignment);
  if (got) {
    blocks_.insert(what.block, block{got.value(), what.memory, {}});
  } else {
    blocks_.insert(what.block, block{{}, what.memory, got.error()});
  }
  return got ? failure() : got.error();
}

void device_set::free(const placement::free_block& what) {
  const block& b = *blocks_.find(what.block);
  if (!b.why) memories_[b.memory.value]->deallocate(b.where);
  blocks_.erase(what.block);
}

void* device_set::address(block_id id) const {
  const block* const b = blocks_.find(id);
  return b == nullptr || b->why ? nullptr : b->where.address();
}

failure device_set::problem(block_id id) const {
  const block* const b = blocks_.find(id);
  return b == nullptr ? failure() : b->why;
}

void device_set::stop_polling() const noexcept {
  for (stream* const each : streams_) each->stop_polling();
}

bool device_set::have_drivers() const noexcept {
  return std::ranges::any_of(devices_, [](const auto& each) { return each->has_driver(); });
}

void device_set::leave_drivers() noexcept {
  for (const auto& each : devices_) {
    if (each->has_driver()) each->leave_driver();
  }
}

void device_set::submit(point number, const timepoint_set& after, command&& what) {
  what.value = number.value;
  for (const point t : after) {
    what.after.push_back({&streams_[t.stream.value]->time(), t.value});
  }
  stream& to = *streams_[number.stream.value];
  if (is_batching_ && (batching_.empty() || batching_.back() != &to)) {
    to.begin_batch();
    batching_.push_back(&to);
  }
  to.submit(std::move(what));
}

void device_set::end_batch() {
  for (stream* const each : batching_) each->end_batch();
  batching_.clear();
  is_batching_ = false;
}

void device_set::issue(const placement::issue_copy& what) {
  command made;
  const failure why = problem(what.from) ? problem(what.from) : problem(what.to);
  if (why) {
    made.what = failed_command{why};
  } else {
    made.what = copy_command{blocks_.find(what.from)->where,
                             blocks_.find(what.to)->where,
                             what.extents,
                             what.element_size,
                             what.region,
                             what.bytes};
  }
  submit(what.number, what.after, std::move(made));
}

void device_set::issue(const placement::issue_launch& what) {
  counted_launch& launch = *what.task->launch;
  launch.may_leave = what.may_leave;
  const failure* why = nullptr;
  placed_buffer* placed = launch.buffers.data();
  for (const placement::task_access& a : what.task->accesses) {
    allocation& where = (placed++)->where;
    if (!a.block.valid()) continue;  // an empty region has no storage
    const block& b = *blocks_.find(a.block);
    if (b.why && why == nullptr) why = &b.why;
    where = b.where;
  }
  command made;
  if (why == nullptr) {
    made.what = launch_ref(&launch);
  } else {
    made.what = failed_command{*why};
  }
  submit(what.number, what.after, std::move(made));
}

}  // namespace hocket::detail
