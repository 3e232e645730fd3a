// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "placement/duplicate_rules.hpp"

#include <algorithm>

#include <hocket/core/saturating.hpp>

#include "placement/device_queues.hpp"

namespace hocket::placement {

namespace {

/// True if two accesses of the task overlap, and one of them writes.
bool is_in_conflict_with_itself(const placed_task& t) {
  for (std::size_t i = 0; i < t.accesses.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      const task_access &a = t.accesses[i], &b = t.accesses[j];
      const bool writes = writes_content(a.mode) || writes_content(b.mode);
      if (a.data == b.data && writes && overlap(a.region(), b.region())) return true;
    }
  }
  return false;
}

}  // namespace

bool duplicate_rules::may_have_one(const placed_task& t) const {
  if (s_.losses.holds_tasks() || s_.log.is_cutting()) return false;
  if (t.is_duplicate || t.is_preparation || t.is_recovery || !t.is_issued() ||
      !task_log::is_repeatable(t))
    return false;
  if (t.on.valid() || t.in_order || t.run.may_leave || t.run.is_trial || t.poisoned ||
      t.blockers > 0)
    return false;
  if (s_.duplicates.has_had_one(t.id)) return false;
  if (is_in_conflict_with_itself(t) || has_issued_reader(t)) return false;
  return std::ranges::all_of(t.accesses, [&](const task_access& a) {
    if (a.is_empty()) return true;
    return only_reads(a) ? is_read_as_it_is(t, a) : is_sole_writer(t, a);
  });
}

bool duplicate_rules::has_issued_reader(const placed_task& t) const {
  return std::ranges::any_of(t.followers, [](const task_edge& edge) {
    return edge.kind == edge_kind::content && edge.after->is_issued();
  });
}

/// The content is valid where the first run reads it, and has been there since that began: commands
/// that replace it there wait for the first run, and views that do have not ended.
bool duplicate_rules::is_read_as_it_is(const placed_task& t, const task_access& a) const {
  const memory_id memory = s_.node_of(t).memory;
  if (!s_.content.valid(a.data, a.region(), memory)) return false;
  if (!s_.commands.all_done(s_.content.ready(a.data, a.region(), memory))) return false;
  bool is_older = true;
  s_.content.content_of(a.data).visit(a.region(), [&](const box&, const origin& from) {
    const bool is_pending = from.writer.valid() && s_.tasks.find(from.writer) != nullptr;
    if (is_pending || !from.sound()) is_older = false;
  });
  return is_older;
}

bool duplicate_rules::is_sole_writer(const placed_task& t, const task_access& a) const {
  bool is_sole = true;
  s_.content.content_of(a.data).visit(a.region(), [&](const box&, const origin& from) {
    if (from.writer != t.id || !from.sound()) is_sole = false;
  });
  return is_sole;
}

bool duplicate_rules::is_untouched(const task_access& a, memory_id memory) const {
  return s_.commands.all_done(s_.content.before_write(a.data, a.region(), memory));
}

std::optional<duplicate_rules::candidate> duplicate_rules::best_device(const placed_task& t) const {
  std::optional<candidate> best;
  for (std::size_t i = 0; i < s_.devices.size(); ++i) {
    const device_id device{i};
    if (!is_free_for(t, device)) continue;
    const auto moving = time_to_move(t, s_.nodes.devices[i].memory);
    if (!moving) continue;
    const nanoseconds time = s_.costs.predict(*t.launch, device) + *moving;
    if (!best || time < best->time) best = candidate{device, time};
  }
  return best;
}

bool duplicate_rules::is_free_for(const placed_task& t, device_id device) const {
  const device_record& d = s_.devices[device.value];
  const machine::device_node& node = s_.nodes.devices[device.value];
  if (!s_.lanes.is_idle(device) || !d.is_empty() || d.reserving != nullptr || d.fetching > 0) {
    return false;
  }
  return node.memory != s_.node_of(t).memory && s_.view.can_run(t, device) &&
         !may_leave(*t.launch->kernel, node) && !s_.retries.avoids(t.id, device) &&
         has_room(t, node.memory);
}

/// A duplicate evicts nothing, and its blocks are for whole buffers.
bool duplicate_rules::has_room(const placed_task& t, memory_id memory) const {
  if (s_.replicas.may_use_bands(t, memory)) return false;
  std::uint64_t bytes = 0;
  for (const need& each : s_.replicas.needs_of(t, memory)) {
    bytes = saturating_add(bytes, each.bytes);
  }
  const reservation_ledger& ledger = s_.replicas.ledger();
  const std::uint64_t capacity = ledger.capacity(memory), used = ledger.used(memory);
  return ledger.shortage(memory) == 0 && used <= capacity && bytes <= capacity - used;
}

/// None if the task cannot have its input there, or its outputs are in use.
std::optional<nanoseconds> duplicate_rules::time_to_move(const placed_task& t,
                                                         memory_id memory) const {
  const memory_id own = s_.node_of(t).memory;
  nanoseconds sum{0};
  for (std::size_t i = 0; i < t.accesses.size(); ++i) {
    const task_access& a = t.accesses[i];
    if (a.is_empty()) continue;
    if (only_reads(a)) {
      const std::uint64_t missing = s_.content.missing(a.data, a.region(), memory);
      if (missing > 0) sum += time_of_copy(own, memory, missing);
      continue;
    }
    if (!is_untouched(a, memory)) return std::nullopt;
    if (only_writes(a)) continue;
    const auto from = older_content(t, i, memory);
    if (!from) return std::nullopt;
    const std::uint64_t bytes = a.region().elements() * a.buffer->element_size;
    if (*from != memory) sum += time_of_copy(*from, memory, bytes);
  }
  return sum;
}

/// The block was noted when the task was issued; commands that were planned since and overwrite it
/// wait for the task, and have not ended.
std::optional<memory_id> duplicate_rules::older_content(const placed_task& t, std::size_t access,
                                                        memory_id to) const {
  const task_access& a = t.accesses[access];
  std::optional<memory_id> found;
  s_.duplicates.each_older(t.id, [&](const duplicate_table::older_content& each) {
    if (each.access != access || found == to) return;
    if (s_.content.block(a.data, each.memory) != each.block) return;
    const bool is_near = each.memory == to || s_.nodes.link_between(each.memory, to).has_value();
    if (is_near && is_untouched(a, each.memory)) found = each.memory;
  });
  return found;
}

nanoseconds duplicate_rules::time_of_copy(memory_id from, memory_id to, std::uint64_t bytes) const {
  const copy_costs& costs = s_.costs.copies();
  if (s_.nodes.link_between(from, to)) return costs.predict(from, to, bytes);
  return costs.predict(from, host_memory, bytes) + costs.predict(host_memory, to, bytes);
}

}  // namespace hocket::placement
