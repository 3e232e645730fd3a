// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <algorithm>
#include <utility>

#include <hocket/memory/eviction.hpp>

#include "data/seeded_bug.hpp"
#include "placement/engine.hpp"

namespace hocket::placement {

void engine::unpin(placed_task& t, memory_id memory) {
  const bool any = replica_store::unpin(t, memory);
  if (any && replicas_.ledger().shortage(memory) > 0) mark_users_dirty(memory);
}

void engine::mark_users_dirty(memory_id memory) {
  for (std::size_t i = 0; i < machine_.devices.size(); ++i) {
    if (machine_.devices[i].memory == memory) mark_dirty(device_id{i});
  }
}

void engine::grant_reservations() {
  for (const task_id id : replicas_.ledger().grant()) {
    placed_task& t = *tasks_.find(id);
    const memory_id memory = machine_.devices[t.run.device.value].memory;
    devices_[t.run.device.value].reserving = nullptr;
    mark_dirty(t.run.device);
    replicas_.give_blocks(t, memory);
    replicas_.pin(t, memory);
    issue(t);
  }
}

/// Grants reservations again: the task at the front may have gone, and replicas that were in use
/// may be free.
void engine::find_memory(memory_id memory) {
  grant_reservations();
  relieve(memory);
}

void engine::relieve(memory_id memory) {
  const std::uint64_t lacking = replicas_.lacking(memory);
  if (lacking == 0) return;
  const auto unissued = [&](task_id id) {
    const placed_task* t = tasks_.find(id);
    return t != nullptr && !t->is_issued();
  };
  std::vector<eviction_candidate> candidates;
  for (const data_id data : coherence_.evictable(memory)) {
    const tracked_buffer& d = *data_.find(data);
    const task_id next = d.history.next_user(unissued);
    std::uint64_t distance = eviction_candidate::unknown;
    if (next.valid()) distance = next.value > latest_issued_ ? next.value - latest_issued_ : 0;
    const bool sole = coherence_.sole_copy(data, memory);
    if (sole && memory == host_memory) continue;  // there is nowhere to write it back to
    candidates.push_back({data, coherence_.bytes(data), distance, d.last_use, sole});
  }
  for (const data_id victim : choose_victims(candidates, lacking)) {
    // Releasing a block at once may have granted a reservation, and evicted more, meanwhile.
    if (replicas_.lacking(memory) == 0) return;
    if (coherence_.has_block(victim, memory) && !coherence_.pinned(victim, memory)) {
      evict(victim, memory);
    }
  }
}

void engine::evict(data_id data, memory_id memory) {
  if (coherence_.sole_copy(data, memory)) transfers_.write_back(data, memory);
  release(coherence_.evict(data, memory));
}

void engine::release(const released_block& freed) {
  replicas_.begin_release(freed);
  commands_.when_done(seeded_bug(bug::free_early) ? timepoint_set() : freed.after,
                      [this, block = freed.block, memory = freed.memory, bytes = freed.bytes] {
                        replicas_.end_release(block, memory, bytes);
                        find_memory(memory);
                        mark_users_dirty(memory);
                      });
}

failure engine::no_room_for(const request& r, const failure& why) {
  return why.within("making room for \"" + std::string(r.label_text()) + "\"");
}

/// Drops the replica and returns its bytes, so that the next task that needs it reserves again.
void engine::handle(allocation_failed& e) {
  const bool known = data_.find(e.data) != nullptr;
  if (!known || coherence_.block(e.data, e.memory) != e.block) return;  // it was released meanwhile
  for (placed_task* const t : tasks_.sorted()) {
    const bool is_launch = t->kind == task_kind::launch;
    if (is_launch &&
        !(t->run.device.valid() && machine_.devices[t->run.device.value].memory == e.memory)) {
      continue;
    }
    // A launch that was issued fails by itself; a view is failed here.
    if (replica_store::forget_pin(*t, e.data) && !is_launch) end_later(*t, no_room_for(*t, e.why));
  }
  release(coherence_.drop_unallocated(e.data, e.memory, e.why));
  // A task that had pinned it and waits for the rest of its memory has to reserve it again.
  for (const device_record& d : devices_) {
    const placed_task* const t = d.reserving;
    if (t == nullptr || machine_.devices[t->run.device.value].memory != e.memory) continue;
    replicas_.ledger().request(t->id, t->priority, replicas_.needs_of(*t, e.memory));
  }
  mark_users_dirty(e.memory);
}

}  // namespace hocket::placement
