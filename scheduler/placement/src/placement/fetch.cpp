// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <boost/container/flat_set.hpp>
#include <hocket/core/saturating.hpp>

#include "placement/engine.hpp"

namespace hocket::placement {

void engine::fetch_ahead(device_id device) {
  device_record& d = devices_[device.value];
  if (d.absent.empty()) return;
  std::vector<placed_task*> wanted;
  (void)d.absent.until([&](const place_in_queue& place) {
    if (d.fetching + wanted.size() >= fetch_window) return true;
    if (!place.task->run.fetching) wanted.push_back(place.task);
    return false;
  });
  // Fetching may find the data already there, which moves the task to the other queue.
  for (placed_task* const t : wanted) {
    if (!fetch(*t)) return;
  }
}

void engine::fetch_early(placed_task& t) {
  // The device is chosen before the budget is granted: the wait for the budget hides the copies.
  if (!t.on || !view_.can_run(t, *t.on) || devices_[t.on->value].fetching >= fetch_window) return;
  t.run.device = *t.on;
  (void)fetch(t);
}

bool engine::fetch(placed_task& t) {
  const memory_id memory = machine_.devices[t.run.device.value].memory;
  if (unusable_input(t)) return true;  // the failure is found again when the task is committed
  std::uint64_t bytes = 0;
  boost::container::small_flat_set<data_id, 8> wanted;
  for (const task_access& a : t.accesses) {
    if (!reads_content(a.mode) || coherence_.has_block(a.data, memory)) continue;
    if (wanted.insert(a.data).second) bytes = saturating_add(bytes, coherence_.bytes(a.data));
  }
  // Only free memory is used: fetching ahead never evicts.
  const std::uint64_t capacity = replicas_.ledger().capacity(memory),
                      used = replicas_.ledger().used(memory);
  if (bytes > 0 &&
      (used > capacity || bytes > capacity - used || replicas_.ledger().shortage(memory) > 0)) {
    return false;
  }
  for (const data_id data : wanted) {
    replicas_.ledger().take(memory, coherence_.bytes(data));
    replicas_.give_block(data, memory);
  }
  timepoint_set arrives;
  for (const task_access& a : t.accesses) {
    if (reads_content(a.mode) && !a.is_empty())
      arrives.add(transfers_.bring(a.data, a.region(), memory, t.id));
  }
  t.run.fetching = true;
  ++devices_[t.run.device.value].fetching;
  commands_.when_done(arrives, [this, id = t.id, device = t.run.device] { fetched(id, device); });
  return true;
}

void engine::fetched(task_id id, device_id device) {
  device_record& d = devices_[device.value];
  --d.fetching;
  mark_dirty(device);
  placed_task* t = tasks_.find(id);
  if (t == nullptr) return;
  t->run.fetching = false;
  if (t->phase != task_phase::queued) return;
  // The device was lost meanwhile, and the task is queued at another one.
  if (t->run.device != device) return mark_dirty(t->run.device);
  // Also if a copy failed: it is repeated once when the task is committed, which fails if the copy
  // does. Fetching ahead again could go on for ever.
  (void)d.absent.erase(place_of(*t));
  d.present.insert(place_of(*t));
}

}  // namespace hocket::placement
