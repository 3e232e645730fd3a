// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "placement/prefetcher.hpp"

#include <algorithm>

#include <boost/container/flat_set.hpp>
#include <hocket/core/saturating.hpp>

namespace hocket::placement {

void prefetcher::fetch_ahead(device_id device) {
  device_record& d = s_.devices[device.value];
  if (d.absent.empty()) return;
  std::vector<placed_task*> wanted;
  (void)d.absent.until([&](const place_in_queue& place) {
    if (d.fetching + wanted.size() >= window) return true;
    if (place.task->run.fetching) return false;
    wanted.push_back(place.task);
    return false;
  });
  // Fetching may find the data already there, which moves the task to the other queue.
  for (placed_task* const t : wanted) {
    if (!fetch(*t)) return;
  }
}

void prefetcher::fetch_early(placed_task& t) {
  if (!t.on.valid() || !s_.view.can_run(t, t.on) || !has_room(s_.devices[t.on.value])) return;
  t.run.device = t.on;
  (void)fetch(t);
}

bool prefetcher::fetch(placed_task& t) {
  const memory_id memory = s_.node_of(t).memory;
  if (s_.transfers.unusable_input(t))
    return true;  // the failure is found again when the task is committed
  // For bands there is little room: they are made when the task has its turn.
  if (s_.replicas.may_use_bands(t, memory) && !s_.replicas.needs_of(t, memory).empty()) {
    return false;
  }
  std::uint64_t bytes = 0;
  boost::container::small_flat_set<data_id, 8> wanted;
  for (const task_access& a : t.accesses) {
    if (!reads_content(a.mode) || s_.content.has_block(a.data, memory)) continue;
    if (wanted.insert(a.data).second) bytes = saturating_add(bytes, s_.content.bytes(a.data));
  }
  reservation_ledger& ledger = s_.replicas.ledger();
  const std::uint64_t capacity = ledger.capacity(memory), used = ledger.used(memory);
  if (bytes > 0 && (used > capacity || bytes > capacity - used || ledger.shortage(memory) > 0)) {
    return false;
  }
  for (const data_id data : wanted) s_.replicas.take_block(data, memory);
  timepoint_set arrives;
  for (const task_access& a : t.accesses) {
    s_.evictions.touch(*a.buffer);
    if (reads_content(a.mode) && !a.is_empty())
      arrives.add(s_.transfers.bring(a.data, a.region(), memory, t.id));
  }
  t.run.fetching = true;
  ++s_.device_of(t).fetching;
  if (await_hung_device(arrives)) set_aside(t);
  s_.commands.when_done(arrives, [this, id = t.id, device = t.run.device] { fetched(id, device); });
  return true;
}

bool prefetcher::await_hung_device(const timepoint_set& arrives) const {
  return std::any_of(arrives.begin(), arrives.end(), [&](point p) {
    const auto device = s_.nodes.streams[p.stream.value].device;
    return device && s_.devices[device->value].state == device_state::hung;
  });
}

void prefetcher::set_aside(const placed_task& t) {
  std::size_t& counted = s_.device_of(t).fetching;
  if (counted == 0 || !set_aside_.emplace(t.id, t.run.device).second) return;
  --counted;
  s_.work.mark_dirty(t.run.device);
}

void prefetcher::fetched(task_id id, device_id device) {
  device_record& d = s_.devices[device.value];
  const auto aside = set_aside_.find(id);
  if (aside == set_aside_.end() || aside->second != device) {
    --d.fetching;
  } else {
    set_aside_.erase(aside);
  }
  s_.work.mark_dirty(device);
  placed_task* t = s_.tasks.find(id);
  if (t == nullptr) return;
  t->run.fetching = false;
  if (t->phase != task_phase::queued) return;
  // The device was lost meanwhile, and the task is queued at another one.
  if (t->run.device != device) return s_.work.mark_dirty(t->run.device);
  // Also if a copy failed: it is repeated once when the task is committed, which fails if the copy
  // does. Fetching ahead again could go on for ever.
  // The task is not there if it was queued when its data had come, before this was told of that.
  if (d.absent.erase(place_of(*t))) d.present.insert(place_of(*t));
}

}  // namespace hocket::placement
