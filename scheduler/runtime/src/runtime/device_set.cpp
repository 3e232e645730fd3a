// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "runtime/device_set.hpp"

#include <algorithm>
#include <cstdio>
#include <iterator>
#include <utility>

#include <hocket/core/environment.hpp>
#include <hocket/memory/band.hpp>

#include "runtime/environment_options.hpp"

// One declaration and one entry for each backend that this build has.
#define HOCKET_BACKEND(name)                              \
  namespace hocket {                                      \
  std::unique_ptr<const backend> make_##name##_backend(); \
  }
#include <hocket/backends.inc>
#undef HOCKET_BACKEND

namespace hocket::detail {

namespace {

/// The backends that the environment does not leave out. Options may be for each that this build
/// has.
backend_list backends_for(const backend_configurations& given) {
  backend_list backends;
#define HOCKET_BACKEND(name) backends.push_back(make_##name##_backend());
#include <hocket/backends.inc>
#undef HOCKET_BACKEND
  refuse_unknown(backends, given);
  return select_backends(std::move(backends), environment_variable("HOCKET_BACKENDS").value_or(""));
}

error no_device(const backend_list& backends, const std::vector<std::string>& left_out) {
  std::string text = "There is no device to run on.";
  for (const std::string& sentence : left_out) text.append(" ").append(sentence);
  for (const auto& b : backends) text.append(" ").append(b->why_none());
  return error(failure(failure_code::no_device, text));
}

failure cannot_be_used(const device_info& info, const failure& why) {
  return {why.code(), info.name + " (" + info.description + ") is left out: " + why.message()};
}

/// A device of the chip, which leaves the list; null if there is none.
std::unique_ptr<device_candidate> take_of_chip(candidate_list& from, const std::string& pci) {
  const auto found = std::ranges::find_if(
      from, [&](const auto& candidate) { return candidate && candidate->info().pci == pci; });
  return pci.empty() || found == from.end() ? nullptr : std::move(*found);
}

/// Makes both ends of the copy arrays of the extents of the band, which the block on the device is;
/// the other one is memory of the host.
void cut_to(const box& band, copy_command& what) {
  allocation& whole = what.route == copy_route::to_device ? what.from : what.to;
  const std::size_t before = elements_before(band, what.extents) * what.element_size;
  whole = {static_cast<std::byte*>(whole.address()) + before, band.elements() * what.element_size};
  what.extents = band.extents();
  what.region = place_in(band, what.region);
}

/// The region as one of the band alone.
array_part_ref part_in(const box& band, const array_part& part) {
  const boost::intrusive_ptr<array_part> made(
      new array_part(part.type(), band.extents(), place_in(band, part.region())));
  made->keep(&part);
  return made;
}

/// A device whose threads the system refuses cannot be used, as one whose driver fails.
result<std::unique_ptr<device>> start(const device_candidate& which, const device_numbers& numbers,
                                      executor& where, completion_sink& sink) {
  try {
    return which.connect(numbers, where, sink);
  } catch (const error& refused) {
    return refused.reason();
  }
}

copy_route route_of(memory_id from, memory_id to) {
  if (from == placement::host_memory) return copy_route::to_device;
  return to == placement::host_memory ? copy_route::to_host : copy_route::between_devices;
}

}  // namespace

device_set::device_set(const std::string& names, std::string_view source,
                       const backend_configurations& configurations,
                       const adopted_contexts& adopted, bool private_memory,
                       const between& in_between, executor& where, completion_sink& sink)
    : where_(where), later_(sink) {
  const backend_list backends = backends_for(configurations);
  found_devices found =
      find_devices(backends, where, with_environment(configurations, backends), names, adopted);
  std::vector<std::string> left_out = found.left_out;
  if (found.usable.empty()) throw no_device(backends, left_out);
  std::vector<twin_device> twins = std::move(found.twins);
  candidate_list chosen = select_devices(std::move(found), names, source);
  const std::size_t wanted = chosen.size();
  for (twin_device& each : twins) chosen.push_back(std::move(each.device));
  fault_injector* const faults = in_between.faults;
  if (faults != nullptr) chosen = faults->decorate(std::move(chosen));
  // Outside of the faults, so that corrupted copies are found.
  if (in_between.checks != nullptr) chosen = in_between.checks->decorate(std::move(chosen));
  candidate_list spare;
  std::move(chosen.begin() + static_cast<std::ptrdiff_t>(wanted), chosen.end(),
            std::back_inserter(spare));
  chosen.resize(wanted);
  // The host's memory is that of the first device that shares it, unless replicas are forced.
  const auto shares = std::ranges::find_if(chosen, [&](const auto& candidate) {
    return !private_memory && candidate->info().shares_host_memory;
  });
  const auto host = static_cast<std::size_t>(shares - chosen.begin());
  device* of_host = nullptr;
  std::vector<std::string> unused_chips;
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    const bool is_host = i == host && i < wanted;
    const device_info info = chosen[i]->info();
    const bool imports = info.imports_host_memory && !private_memory;
    if (faults != nullptr) {
      faults->check(info.name, {.has_copies = !imports && !is_host, .allocates = !imports});
    }
    const failure why = add_device(std::move(chosen[i]), imports || is_host, sink);
    if (!why && is_host) of_host = devices_.back().get();
    if (why) {
      const failure said = cannot_be_used(info, why);
      // Devices that are named have to start, and so has the one whose memory is the host's.
      if (!names.empty() || is_host) said.raise();
      left_out.push_back(said.message());
      unused_chips.push_back(info.pci);
    }
    if (i + 1 < chosen.size()) continue;
    // Another driver may be able to use a chip of which no part is used.
    for (const std::string& pci : std::exchange(unused_chips, {})) {
      const auto is_of_chip = [&](const auto& each) { return each->info().pci == pci; };
      if (std::ranges::any_of(devices_, is_of_chip)) continue;
      if (auto other = take_of_chip(spare, pci)) chosen.push_back(std::move(other));
    }
  }
  if (devices_.empty()) throw no_device(backends, left_out);
  blocks_.open_host_memory(of_host);
  for (const std::string& sentence : left_out) {
    if (names.empty()) std::fprintf(stderr, "hocket: %s\n", sentence.c_str());
  }
  machine_.add_links();
  later_.set_streams(streams_.size());
}

failure device_set::add_device(std::unique_ptr<device_candidate> candidate, bool uses_host_memory,
                               completion_sink& sink) {
  const device_info& info = candidate->info();
  device_numbers numbers;
  numbers.device = device_id{devices_.size()};
  numbers.uses_host_memory = uses_host_memory && info.imports_host_memory;
  machine_.add_streams(info, numbers);
  auto connected = start(*candidate, numbers, where_, sink);
  if (!connected) {
    machine_.remove_streams(numbers);
    return connected.error();
  }
  devices_.push_back(std::move(connected).value());
  gates_.push_back(std::make_unique<stream_gate>());
  class device& made = *devices_.back();
  connections_.push_back({std::move(candidate), numbers});
  streams_.resize(numbers.outbound.value + 1);
  note_streams(numbers.device);
  memory_id memory = placement::host_memory;
  if (numbers.uses_host_memory) {
    blocks_.add_importing(made);
  } else if (uses_host_memory) {
    blocks_.align_host_memory(made.info());
    machine_.set_host_memory(made.info());
  } else {
    blocks_.add_memory(made);
    memory = machine_.add_memory(made.info());
  }
  machine_.add_device(made.info(), numbers, memory);
  return {};
}

void device_set::note_streams(device_id device) {
  class device& made = *devices_[device.value];
  const device_numbers& numbers = connections_[device.value].numbers;
  for (std::size_t lane = 0; lane < numbers.compute.size(); ++lane) {
    streams_[numbers.compute[lane].value] = &made.compute(lane);
  }
  streams_[numbers.inbound.value] = &made.inbound();
  streams_[numbers.outbound.value] = &made.outbound();
}

void device_set::stop_polling() noexcept {
  for (std::size_t i = 0; i < devices_.size(); ++i) {
    if (!gates_[i]->enter()) continue;
    const device_numbers& numbers = connections_[i].numbers;
    for (const stream_id lane : numbers.compute) streams_[lane.value]->stop_polling();
    streams_[numbers.inbound.value]->stop_polling();
    streams_[numbers.outbound.value]->stop_polling();
    gates_[i]->leave();
  }
}

void device_set::poll(stream_id on, const std::function<bool()>& reached) {
  stream_gate& by = gate(*machine_.told().streams[on.value].device);
  if (!by.enter()) return;
  streams_[on.value]->poll(reached);
  by.leave();
}

/// None for a device that uses the host's memory.
std::optional<memory_id> device_set::own_memory(device_id device) const {
  const placement::machine::device_node& node = machine_.told().devices[device.value];
  return node.owns_memory ? std::optional(node.memory) : std::nullopt;
}

std::unique_ptr<device> device_set::take_out(device_id device) {
  std::unique_ptr<class device>& there = devices_[device.value];
  if (there != nullptr) blocks_.close(*there, own_memory(device));
  return std::move(there);
}

result<std::unique_ptr<device>> device_set::connect(device_id device) {
  const connection& known = connections_[device.value];
  return start(*known.from, known.numbers, where_, later_);
}

void device_set::put_in(device_id device, std::unique_ptr<class device> made,
                        const std::function<std::uint64_t(stream_id)>& planned) {
  const device_numbers& numbers = connections_[device.value].numbers;
  for (const stream_id lane : numbers.compute) later_.begin(lane, planned(lane));
  for (const stream_id copies : {numbers.inbound, numbers.outbound}) {
    later_.begin(copies, planned(copies));
  }
  devices_[device.value] = std::move(made);
  note_streams(device);
  blocks_.reopen(*devices_[device.value], own_memory(device));
}

bool device_set::have_drivers() const noexcept {
  return std::ranges::any_of(
      devices_, [](const auto& each) { return each != nullptr && each->has_driver(); });
}

void device_set::leave_drivers() noexcept {
  for (const auto& each : devices_) {
    if (each != nullptr && each->has_driver()) each->leave_driver();
  }
}

void device_set::submit(point number, const timepoint_set& after, command&& what) {
  what.value = number.value - later_.before(number.stream);
  for (const point t : after) {
    what.after.push_back({&streams_[t.stream.value]->time(), t.value - later_.before(t.stream)});
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
  const device_blocks::block& from = *blocks_.find(what.from);
  const device_blocks::block& to = *blocks_.find(what.to);
  if (from.why || to.why) {
    made.what = failed_command{from.why ? from.why : to.why};
  } else {
    copy_command copy{from.where,
                      to.where,
                      what.extents,
                      what.element_size,
                      what.region,
                      what.bytes,
                      route_of(from.memory, to.memory)};
    const box* const band = from.band != nullptr ? from.band.get() : to.band.get();
    if (band != nullptr) cut_to(*band, copy);
    made.what = std::move(copy);
  }
  submit(what.number, what.after, std::move(made));
}

void device_set::issue(const placement::issue_launch& what) {
  counted_launch& launch = *what.task->launch;
  launch.may_leave = what.may_leave;
  // The task fails in any case: its input did not come, or it was cancelled.
  const failure* why = what.task->poisoned ? &what.task->poisoned : nullptr;
  placed_buffer* placed = launch.buffers.data();
  for (const placement::task_access& a : what.task->accesses) {
    placed_buffer& to = *placed++;
    if (!a.block.valid()) continue;  // an empty region has no storage
    const device_blocks::block& b = *blocks_.find(a.block);
    if (b.why && why == nullptr) why = &b.why;
    to.where = b.where;
    if (b.band != nullptr && !a.is_empty()) [[unlikely]] {
      to.part = part_in(*b.band, *a.part);
    } else if (to.part.get() != a.part) [[unlikely]] {
      to.part = a.part;  // an earlier attempt used a band
    }
  }
  command made;
  if (why == nullptr) {
    made.what = launch_ref(&launch);
    made.prepares_only = what.task->is_preparation;
  } else {
    made.what = failed_command{*why};
  }
  submit(what.number, what.after, std::move(made));
}

}  // namespace hocket::detail
