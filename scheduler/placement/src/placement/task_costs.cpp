// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "placement/task_costs.hpp"

#include <algorithm>
#include <limits>
#include <optional>
#include <span>
#include <utility>

#include <hocket/memory/binding.hpp>

#include "placement/time_counts.hpp"

namespace hocket::placement {

namespace {

/// True if the region is not too large to be an argument of a kernel there.
bool can_bind(const task_access& a, const machine::device_node& node) {
  if (a.is_empty()) return true;
  const tracked_buffer& d = *a.buffer;
  return bytes_to_bind(a.region(), d.all.end, d.element_size) <= node.largest_binding;
}

/// True unless the region is in memory of the program, and a kernel there cannot be given it where
/// it lies. Memory of the runtime begins where all elements do.
bool can_bind_in_place(const task_access& a, const machine::device_node& node) {
  const tracked_buffer& d = *a.buffer;
  if (node.binding_unit == 1 || !d.is_lent || a.is_empty()) return true;
  const std::uint64_t begin = d.lent_at % node.import_unit + a.part->first_byte();
  return bytes_before(begin, d.element_size, node.binding_unit).has_value();
}

/// Bytes that a task may use so that they fit into each device, and each argument as well.
std::uint64_t smallest_room(const machine& of, const replica_store& replicas) {
  std::uint64_t least = std::numeric_limits<std::uint64_t>::max();
  for (const machine::device_node& each : of.devices) {
    least = std::min(least, replicas.ledger().capacity(each.memory));
    if (each.largest_binding != 0) least = std::min(least, each.largest_binding);
  }
  return least;
}

bool bind_anywhere(const machine& of) {
  return std::ranges::all_of(of.devices, [](const auto& each) { return each.binding_unit == 1; });
}

bool links_peers(const machine& of) {
  const std::size_t count = of.memories.size();
  for (std::size_t from = 1; from < count; ++from) {
    for (std::size_t to = 1; to < count; ++to) {
      if (of.link_between(memory_id{from}, memory_id{to})) return true;
    }
  }
  return false;
}

void add_time(nanoseconds& to, nanoseconds time) { to = limited_sum(to, time); }

}  // namespace

task_costs::task_costs(const task_cost_table& table, const placed_task& task)
    : table_(table),
      task_(task),
      times_(&table.times_.of(*task.launch)),
      kept_(&table.note_changes(task)),
      runs_everywhere_(table.runs_everywhere(task)) {
  if (runs_everywhere_) {
    fastest_ = times_->fastest;
    return;
  }
  for (std::size_t i = 0; i < times_->on.size(); ++i) {
    const device_id device{i};
    if (!can_run(device)) continue;
    if (!fastest_.valid() || time(device) < time(fastest_)) fastest_ = device;
  }
}

nanoseconds task_costs::earliest_elsewhere() const {
  const data_cost& way = kept_->elsewhere;
  if (!way.first.valid() || table_.has_peer_links_) return nanoseconds{0};
  return table_.commands_.remaining(way.first) + way.over_first;
}

nanoseconds task_costs::way_to_fastest(device_id device) const {
  const auto& devices = table_.machine_.devices;
  return table_.time_to_move(task_, devices[device.value].memory, devices[fastest_.value].memory);
}

task_cost_table::task_cost_table(const machine& machine, const cost_model& model,
                                 const coherence& content, const in_flight_table& commands,
                                 const replica_store& replicas,
                                 const std::vector<device_record>& devices)
    : machine_(machine),
      model_(model),
      content_(content),
      commands_(commands),
      replicas_(replicas),
      devices_(devices),
      times_(machine, model, devices),
      smallest_(smallest_room(machine, replicas)),
      bind_anywhere_(bind_anywhere(machine)),
      has_peer_links_(links_peers(machine)),
      devices_with_(machine.memories.size()) {
  for (std::size_t i = 0; i < machine.devices.size(); ++i) {
    devices_with_[machine.devices[i].memory.value].push_back(device_id{i});
  }
}

bool task_cost_table::can_run(const request& r, device_id device) const {
  const device_record& d = devices_[device.value];
  return d.is_used() && could_run(r, device) &&
         (d.compiling.is_empty() || !leaves_time_to_compile(r, device));
}

/// True if the device compiles the kernel of the task, and another one can run it meanwhile.
bool task_cost_table::leaves_time_to_compile(const request& r, device_id device) const {
  if (r.on.valid() || r.host_only) return false;
  const auto compiles_it = [&](const device_record& d) {
    return d.compiling.contains(*r.launch->kernel, r.launch->cost.size());
  };
  if (!compiles_it(devices_[device.value])) return false;
  for (std::size_t i = 0; i < devices_.size(); ++i) {
    if (devices_[i].is_used() && !compiles_it(devices_[i]) && could_run(r, device_id{i})) {
      return true;
    }
  }
  return false;
}

bool task_cost_table::could_run(const request& r, device_id device) const {
  const machine::device_node& node = machine_.devices[device.value];
  const bool is_bound = r.on.valid() && !devices_[r.on.value].is_left;
  if (!devices_[device.value].alive() || (is_bound && r.on != device)) return false;
  const bool has_room =
      r.bytes <= replicas_.ledger().capacity(node.memory) || fits_in_bands(r, node.memory);
  if (r.host_only) return node.runs_host_tasks && (has_room || node.memory == host_memory);
  const kernel_definition& kernel = *r.launch->kernel;
  if (!has_room || !node.runs(kernel) || (!is_bound && !devices_[device.value].compiles(kernel))) {
    return false;
  }
  // A task that names the device fails there, which says what is wrong with the address.
  if (!is_bound && !bind_anywhere_ && !can_bind_in_place(r, device)) return false;
  return node.largest_binding == 0 ||
         std::all_of(r.accesses.begin(), r.accesses.end(),
                     [&](const task_access& a) { return can_bind(a, node); });
}

bool task_cost_table::can_bind_in_place(const request& r, device_id device) const {
  const machine::device_node& node = machine_.devices[device.value];
  return std::all_of(r.accesses.begin(), r.accesses.end(),
                     [&](const task_access& a) { return placement::can_bind_in_place(a, node); });
}

bool task_cost_table::can_bind_in_place(const request& r) const {
  for (std::size_t i = 0; i < machine_.devices.size(); ++i) {
    if (!can_bind_in_place(r, device_id{i})) return false;
  }
  return true;
}

/// The memory has no room for whole buffers.
bool task_cost_table::fits_in_bands(const request& r, memory_id memory) const {
  const reservation_ledger& ledger = replicas_.ledger();
  return r.bytes <= ledger.capacity(host_memory) &&
         least_bytes({r.accesses.data(), r.accesses.size()}) <= ledger.capacity(memory);
}

void task_cost_table::keep(placed_task& t) {
  if (unused_.empty()) {
    t.costs = static_cast<std::uint32_t>(kept_.size());
    kept_.emplace_back();
  } else {
    t.costs = unused_.back();
    unused_.pop_back();
  }
  kept_[t.costs].is_of_another = true;
}

void task_cost_table::forget(placed_task& t) {
  if (t.costs == 0) return;
  unused_.push_back(t.costs);
  t.costs = 0;
}

kept_data_costs& task_cost_table::note_changes(const placed_task& t) const {
  kept_data_costs& kept = kept_[t.costs];
  std::uint64_t changes = 0;
  for (const task_access& a : t.accesses) changes += a.buffer->changes;
  const bool is_as_before =
      !kept.is_of_another && kept.estimates == model_.changes() && kept.changes == changes;
  if (t.costs != 0 && is_as_before) return kept;
  kept.is_of_another = false;
  kept.estimates = model_.changes();
  kept.changes = changes;
  ++kept.round;
  note_needed(t, kept);
  return kept;
}

void task_cost_table::note_needed(const placed_task& t, kept_data_costs& to) const {
  to.on.resize(machine_.devices.size());
  to.worked_out = 0;
  to.needed.clear();
  to.elsewhere = {};
  to.is_in_parts = false;
  to.holders.clear();
  to.has_few_holders = true;
  constexpr std::size_t few = 4;
  for (const task_access& a : t.accesses) {
    if (!reads_content(a.mode) || a.is_empty()) continue;
    needed_data made{&a, a.region().elements() * a.buffer->element_size};
    coherence::for_missing(*a.buffer->where, a.region(), memory_id{},
                           [&](const box& part, std::span<const memory_id> holders) {
                             made.is_whole = part == a.region();
                             made.holders =
                                 short_list<memory_id, 4>(holders.begin(), holders.end());
                           });
    if (made.holders.empty()) continue;
    made.is_on_host = std::ranges::find(made.holders, host_memory) != made.holders.end();
    to.needed.push_back(made);
    if (!made.is_whole) {
      to.is_in_parts = true;
      continue;
    }
    for (const memory_id holder : made.holders) {
      for (const device_id each : devices_with_[holder.value]) {
        if (std::exchange(to.on[each.value].holds, to.round) == to.round) continue;
        if (to.holders.size() < few) {
          to.holders.push_back(each);
        } else {
          to.has_few_holders = false;
        }
      }
    }
    if (made.holders[0] == host_memory) continue;
    to.elsewhere.first = machine_.link_between(made.holders[0], host_memory)->stream;
    add_time(to.elsewhere.over_first,
             model_.copies().predict(made.holders[0], host_memory, made.bytes));
  }
  if (to.is_in_parts) {
    to.elsewhere = {};
    to.has_few_holders = false;
  }
}

void task_cost_table::work_out(kept_data_costs& of, device_id device) const {
  kept_data_cost& to = of.on[device.value];
  static_cast<data_cost&>(to) = {};
  ++of.worked_out;
  to.round = of.round;
  const memory_id memory = machine_.devices[device.value].memory;
  for (const needed_data& each : of.needed) {
    const bool is_absent =
        each.is_whole && std::ranges::find(each.holders, memory) == each.holders.end();
    if (is_absent && memory != host_memory && !has_peer_links_) {
      add_copy_by_host(each, memory, to);
    } else if (is_absent) {
      add_copy({each.holders.begin(), each.holders.end()}, each.bytes, memory, to);
    } else {
      add_parts(*each.access, memory, to);
    }
  }
}

void task_cost_table::add_parts(const task_access& a, memory_id memory, data_cost& to) const {
  if (const std::optional<point> there = coherence::ready(*a.buffer->where, memory)) {
    if (there->valid() && !commands_.done(*there)) to.awaited = *there;
  } else if (!add_copies(a, memory, to) && content_.valid(a.data, a.region(), memory)) {
    for (const point at : content_.ready(a.data, a.region(), memory)) {
      if (!commands_.done(at)) to.awaited = at;
    }
  }
}

void task_cost_table::add_copy(std::span<const memory_id> holders, std::uint64_t bytes,
                               memory_id to, data_cost& sum) const {
  const auto linked = std::ranges::find_if(
      holders, [&](memory_id each) { return machine_.link_between(each, to).has_value(); });
  memory_id from = linked == holders.end() ? holders.front() : *linked;
  if (linked == holders.end()) {
    sum.first = machine_.link_between(from, host_memory)->stream;
    add_time(sum.over_first, model_.copies().predict(from, host_memory, bytes));
    from = host_memory;
  }
  sum.last = machine_.link_between(from, to)->stream;
  add_time(sum.over_last, model_.copies().predict(from, to, bytes));
}

/// As add_copy(), where no memory of a device is linked to that of another one.
void task_cost_table::add_copy_by_host(const needed_data& what, memory_id to,
                                       data_cost& sum) const {
  if (!what.is_on_host) {
    const memory_id from = what.holders[0];
    sum.first = machine_.link_between(from, host_memory)->stream;
    add_time(sum.over_first, model_.copies().predict(from, host_memory, what.bytes));
  }
  sum.last = machine_.link_between(host_memory, to)->stream;
  add_time(sum.over_last, model_.copies().predict(host_memory, to, what.bytes));
}

/// Returns whether there is something to copy. Of copies over several links to one device the last
/// link is the last that was found.
bool task_cost_table::add_copies(const task_access& a, memory_id to, data_cost& sum) const {
  bool has_copies = false;
  coherence::for_missing(*a.buffer->where, a.region(), to,
                         [&](const box& part, std::span<const memory_id> holders) {
                           if (holders.empty()) return;
                           has_copies = true;
                           add_copy(holders, part.elements() * a.buffer->element_size, to, sum);
                         });
  return has_copies;
}

nanoseconds task_cost_table::time_to_move(const placed_task& t, memory_id from,
                                          memory_id to) const {
  nanoseconds sum{0};
  if (from == to) return sum;
  const bool is_direct = machine_.link_between(from, to).has_value();
  for (const task_access& a : t.accesses) {
    if (a.mode != access_mode::update) continue;
    const std::uint64_t bytes = a.region().elements() * a.buffer->element_size;
    add_time(sum, is_direct ? model_.copies().predict(from, to, bytes)
                            : model_.copies().predict(from, host_memory, bytes) +
                                  model_.copies().predict(host_memory, to, bytes));
  }
  return sum;
}

nanoseconds task_cost_table::arrival(const data_cost& cost, device_id device) const {
  nanoseconds at{0};
  const auto& lanes = machine_.devices[device.value].compute;
  if (cost.awaited.valid() && !commands_.done(cost.awaited) &&
      std::ranges::find(lanes, cost.awaited.stream) == lanes.end()) {
    at = commands_.remaining(cost.awaited.stream);
  }
  if (!cost.last.valid()) return at;
  nanoseconds begin = commands_.remaining(cost.last);
  if (cost.first.valid()) {
    begin = std::max(begin, commands_.remaining(cost.first) + cost.over_first);
  }
  return std::max(at, begin + cost.over_last);
}

}  // namespace hocket::placement
