// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "placement/task_costs.hpp"

#include <algorithm>
#include <optional>
#include <span>

namespace hocket::placement {

namespace {

/// True if the region is not too large to be an argument of a kernel there.
bool can_bind(const task_access& a, const machine::device_node& node) {
  if (a.is_empty()) return true;
  const tracked_buffer& d = *a.buffer;
  const index_list strides = dense_strides(d.all.end);
  std::uint64_t span = 1;
  for (std::size_t i = 0; i < strides.size(); ++i) {
    span += (a.region().end[i] - a.region().begin[i] - 1) * strides[i];
  }
  return span * d.element_size <= node.largest_binding;
}

}  // namespace

bool task_cost_table::can_run(const request& r, device_id device) const {
  const machine::device_node& node = machine_.devices[device.value];
  if (!devices_[device.value].alive || (r.on.valid() && r.on != device)) return false;
  if (r.host_only) return node.runs_host_tasks;
  if (!node.runs(*r.launch->kernel) || r.bytes > replicas_.ledger().capacity(node.memory))
    return false;
  return node.largest_binding == 0 ||
         std::all_of(r.accesses.begin(), r.accesses.end(),
                     [&](const task_access& a) { return can_bind(a, node); });
}

void task_cost_table::keep(placed_task& t) {
  if (unused_.empty()) {
    t.costs = static_cast<std::uint32_t>(kept_.size());
    kept_.emplace_back();
    return;
  }
  t.costs = unused_.back();
  unused_.pop_back();
  kept_[t.costs].on.clear();
}

void task_cost_table::forget(placed_task& t) {
  if (t.costs == 0) return;
  unused_.push_back(t.costs);
  t.costs = 0;
}

const task_costs& task_cost_table::of(const placed_task& t) const {
  task_costs& found = kept_[t.costs];
  std::uint64_t changes = 0;
  for (const task_access& a : t.accesses) changes += a.buffer->changes;
  const bool is_kept = t.costs != 0 && !found.on.empty();
  const bool has_times = is_kept && found.estimates == model_.changes();
  if (has_times && found.changes == changes) return found;
  if (!has_times) work_out_times(t, found);
  work_out_data(t, found);
  found.estimates = model_.changes();
  found.changes = changes;
  return found;
}

void task_cost_table::work_out_times(const placed_task& t, task_costs& to) const {
  to.on.assign(machine_.devices.size(), {});
  to.fastest = {};
  for (std::size_t i = 0; i < to.on.size(); ++i) {
    if (!can_run(t, device_id{i})) continue;
    to.on[i].can_run = true;
    to.on[i].time = model_.predict(*t.launch, device_id{i});
    const bool is_faster = !to.fastest.valid() || to.on[i].time < to.on[to.fastest.value].time;
    if (is_faster) to.fastest = device_id{i};
  }
  for (std::size_t i = 0; i < to.on.size(); ++i) {
    if (!to.on[i].can_run) continue;
    to.on[i].move =
        time_to_move(t, machine_.devices[i].memory, machine_.devices[to.fastest.value].memory);
  }
}

void task_cost_table::work_out_data(const placed_task& t, task_costs& to) const {
  for (std::size_t i = 0; i < to.on.size(); ++i) {
    if (!to.on[i].can_run) continue;
    data_cost& sum = to.on[i];
    sum = {};
    add_data(t, machine_.devices[i].memory, sum);
  }
}

void task_cost_table::add_data(const placed_task& t, memory_id memory, data_cost& to) const {
  for (const task_access& a : t.accesses) {
    if (!reads_content(a.mode) || a.is_empty()) continue;
    if (const std::optional<point> there = coherence::ready(*a.buffer->where, memory)) {
      if (there->valid() && !commands_.done(*there)) to.awaited = *there;
    } else if (content_.valid(a.data, a.region(), memory)) {
      for (const point at : content_.ready(a.data, a.region(), memory)) {
        if (!commands_.done(at)) to.awaited = at;
      }
    } else {
      add_copies(a, memory, to);
    }
  }
}

/// Of copies over several links to one device the last link is the last that was found.
void task_cost_table::add_copies(const task_access& a, memory_id to, data_cost& sum) const {
  content_.for_missing(
      a.data, a.region(), to, [&](const box& part, std::span<const memory_id> holders) {
        if (holders.empty()) return;
        const std::uint64_t bytes = part.elements() * a.buffer->element_size;
        const auto linked = std::ranges::find_if(
            holders, [&](memory_id each) { return machine_.link_between(each, to).has_value(); });
        memory_id from = linked == holders.end() ? holders.front() : *linked;
        if (linked == holders.end()) {
          sum.first = machine_.link_between(from, host_memory)->stream;
          sum.over_first += model_.predict_copy(from, host_memory, bytes);
          from = host_memory;
        }
        sum.last = machine_.link_between(from, to)->stream;
        sum.over_last += model_.predict_copy(from, to, bytes);
      });
}

nanoseconds task_cost_table::time_to_move(const placed_task& t, memory_id from,
                                          memory_id to) const {
  nanoseconds sum{0};
  if (from == to) return sum;
  const bool is_direct = machine_.link_between(from, to).has_value();
  for (const task_access& a : t.accesses) {
    if (a.mode != access_mode::update) continue;
    const std::uint64_t bytes = a.region().elements() * a.buffer->element_size;
    sum += is_direct ? model_.predict_copy(from, to, bytes)
                     : model_.predict_copy(from, host_memory, bytes) +
                           model_.predict_copy(host_memory, to, bytes);
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
