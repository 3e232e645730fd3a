// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "placement/memory_reclaimer.hpp"

#include <algorithm>
#include <utility>

#include "tasks/caught.hpp"

namespace hocket::placement {

bool memory_reclaimer::has_memory(placed_task& t) {
  const memory_id memory = s_.node_of(t).memory;
  if (!clear_the_way(t, memory)) {
    begin_to_wait(t);
    return false;
  }
  s_.replicas.pin(t, memory);
  std::vector<need> needs = s_.replicas.needs_of(t, memory);
  if (needs.empty()) return true;
  reserve(t, std::move(needs));
  return false;
}

void memory_reclaimer::begin_to_wait(placed_task& t) {
  t.phase = task_phase::reserving;
  if (t.traced != nullptr) decision_log::reserving(t, s_.now);
  s_.device_of(t).reserving = &t;
  reserving_.insert(t.run.device.value);
}

void memory_reclaimer::reserve(placed_task& t, std::vector<need>&& needs) {
  begin_to_wait(t);
  s_.replicas.ledger().request(t.id, t.priority, std::move(needs));
  find_memory(s_.node_of(t).memory);
}

/// Evicts the replicas that leave no room for what the task uses of their buffers. While one is in
/// use the task waits with nothing pinned, so that no two wait for one another.
bool memory_reclaimer::clear_the_way(placed_task& t, memory_id memory) {
  const std::vector<data_id> in_the_way = s_.replicas.in_the_way(t, memory);
  const bool waits = std::ranges::any_of(
      in_the_way, [&](data_id data) { return s_.content.pinned(data, memory); });
  set_awaits_band(t, waits);
  if (waits) return false;
  for (const data_id data : in_the_way) {
    // Releasing one at once may have evicted more.
    if (s_.content.has_block(data, memory)) evict(data, memory);
  }
  return true;
}

void memory_reclaimer::set_awaits_band(placed_task& t, bool waits) {
  if (t.run.awaits_band) --awaiting_bands_;
  if (waits) ++awaiting_bands_;
  t.run.awaits_band = waits;
}

void memory_reclaimer::retry_bands(memory_id memory) {
  if (awaiting_bands_ == 0) return;
  for (device_record& d : s_.devices) {
    placed_task* const t = d.reserving;
    if (t == nullptr || !t->run.awaits_band || s_.node_of(*t).memory != memory) continue;
    if (!clear_the_way(*t, memory)) continue;
    s_.replicas.pin(*t, memory);
    s_.replicas.ledger().request(t->id, t->priority, s_.replicas.needs_of(*t, memory));
  }
}

placed_task* memory_reclaimer::withdraw(device_id device) {
  placed_task* const waited = std::exchange(s_.devices[device.value].reserving, nullptr);
  reserving_.set(device.value, false);
  if (waited == nullptr) return nullptr;
  s_.replicas.ledger().withdraw(waited->id);
  set_awaits_band(*waited, false);
  s_.work.mark_users_dirty(s_.nodes.devices[device.value].memory);
  return waited;
}

void memory_reclaimer::unpin(placed_task& t, memory_id memory) {
  if (s_.replicas.unpin(t, memory)) pins_dropped(memory);
}

void memory_reclaimer::pins_dropped(memory_id memory) {
  const bool may_wait = s_.replicas.ledger().shortage(memory) > 0 || awaiting_bands_ > 0;
  if (may_wait) s_.work.mark_users_dirty(memory);
}

void memory_reclaimer::grant_reservations() {
  for (const task_id id : s_.replicas.ledger().grant()) {
    placed_task& t = *s_.tasks.find(id);
    const memory_id memory = s_.node_of(t).memory;
    s_.replicas.give_blocks(t, memory);
    // Content that the task reads may have failed while it waited.
    failure why = s_.transfers.unusable_input(t);
    if (why && !seeded_bug(bug::look_at_input_once)) {
      s_.work.end_later(t, std::move(why));
      continue;
    }
    s_.device_of(t).reserving = nullptr;
    reserving_.set(t.run.device.value, false);
    s_.work.mark_dirty(t.run.device);
    s_.replicas.pin(t, memory);
    issuer_.issue(t);
    placer_.pass_followers(t);
  }
}

void memory_reclaimer::find_memory(memory_id memory) {
  retry_bands(memory);
  grant_reservations();
  relieve(memory);
}

void memory_reclaimer::relieve(memory_id memory) {
  const std::uint64_t lacking = s_.replicas.lacking(memory);
  if (lacking == 0) return;
  for (const data_id victim : s_.evictions.choose(memory, lacking, s_.latest_issued)) {
    // Releasing a block at once may have granted a reservation, and evicted more, meanwhile.
    if (s_.replicas.lacking(memory) == 0) return;
    if (s_.content.has_block(victim, memory) && !s_.content.pinned(victim, memory)) {
      evict(victim, memory);
    }
  }
}

void memory_reclaimer::evict(data_id data, memory_id memory) {
  if (s_.content.sole_copy(data, memory)) s_.transfers.write_back(data, memory);
  s_.evictions.touch(data);
  if (memory == host_memory) s_.guard.drops(*s_.buffers.find(data));
  release(s_.content.evict(data, memory));
}

void memory_reclaimer::release(const released_block& freed) {
  s_.replicas.begin_release(freed);
  s_.commands.when_done(seeded_bug(bug::free_early) ? timepoint_set() : freed.after,
                        [this, block = freed.block, memory = freed.memory, bytes = freed.bytes] {
                          s_.replicas.end_release(block, memory, bytes);
                          find_memory(memory);
                          s_.work.mark_users_dirty(memory);
                        });
}

bool memory_reclaimer::allocation_refused(allocation_failed& e) {
  const bool known = s_.buffers.find(e.data) != nullptr;
  // The block may have been released meanwhile.
  if (!known || s_.content.block(e.data, e.memory) != e.block) return false;
  bool fails_launches = false;
  for (placed_task* const t : s_.tasks.sorted()) {
    const bool is_launch = t->kind == task_kind::launch;
    if (is_launch && !t->run.device.valid()) continue;
    if ((is_launch ? s_.node_of(*t).memory : host_memory) != e.memory) continue;
    // A launch that was issued fails by itself; a view is failed here.
    const bool had_pin = replica_store::forget_pin(*t, e.data);
    if (had_pin && is_launch && t->is_issued()) fails_launches = true;
    if (had_pin && !is_launch) s_.work.end_later(*t, no_room_for(*t, e.why));
  }
  s_.duplicates.each([&](task_duplicate& d) {
    if (s_.node_of(d).memory == e.memory) (void)replica_store::forget_pin(d, e.data);
  });
  s_.evictions.touch(e.data);
  if (e.memory == host_memory) s_.log.versions().forget_block(e.data);
  const released_block dropped = s_.content.drop_unallocated(e.data, e.memory, e.why);
  // A task that had pinned it and waits for the rest of its memory has to reserve it again.
  for (const device_record& d : s_.devices) {
    placed_task* const t = d.reserving;
    if (t == nullptr || t->run.awaits_band || s_.node_of(*t).memory != e.memory) continue;
    if (s_.replicas.in_the_way(*t, e.memory).empty()) {
      s_.replicas.ledger().request(t->id, t->priority, s_.replicas.needs_of(*t, e.memory));
    } else {
      s_.replicas.ledger().withdraw(t->id);
      (void)s_.replicas.unpin(*t, e.memory);
      set_awaits_band(*t, true);
    }
  }
  release(dropped);
  s_.work.mark_users_dirty(e.memory);
  return fails_launches;
}

void memory_reclaimer::await_ended(task_id id) {
  awaits_memory_ = {};
  placed_task* const waiting = s_.tasks.find(id);
  if (!lacks_memory(waiting) || s_.ended != ended_before_) return;
  placed_task& t = *waiting;
  // It may not have been looked at since the last copy of something else came to another memory.
  find_memory(s_.node_of(t).memory);
  if (!lacks_memory(&t)) return;
  if (s_.commands.apart().empty()) {
    s_.work.end_later(t, failure(failure_code::out_of_memory, what_it_lacks(t) + "."));
  } else {
    t.warned_of = true;
    s_.work.actions().emplace_back(warn{what_it_lacks(t) +
                                        " but what functions keep that wait: should these wait "
                                        "for it, it waits for ever."});
  }
}

void memory_reclaimer::look_at_reservations() {
  // A task that has ended may be about to drop the last handle of a buffer, and a body that yielded
  // its lane may be about to end.
  constexpr nanoseconds moment = std::chrono::milliseconds(5), long_time = std::chrono::seconds(1);
  if (awaits_memory_.valid()) return;
  reserving_.until([&](std::size_t device) {
    const placed_task* const t = s_.devices[device].reserving;
    if (!lacks_memory(t)) return false;
    const bool is_hopeless = s_.commands.apart().empty();
    if (t->warned_of && !is_hopeless) return false;
    awaits_memory_ = t->id;
    ended_before_ = s_.ended;
    s_.work.actions().emplace_back(await_memory{t->id, is_hopeless ? moment : long_time});
    return true;
  });
}

/// True if the task waits for memory, and no command in flight will free any.
bool memory_reclaimer::lacks_memory(const placed_task* t) const {
  return t != nullptr && t->phase == task_phase::reserving &&
         s_.issued == s_.commands.apart().size() &&
         !s_.replicas.awaits_blocks(s_.node_of(*t).memory);
}

std::string memory_reclaimer::what_it_lacks(const placed_task& t) const {
  const memory_id memory = s_.node_of(t).memory;
  const reservation_ledger& ledger = s_.replicas.ledger();
  return detail::task_name(t.label_text()) + " lacks " + std::to_string(ledger.shortage(memory)) +
         " bytes in " + s_.nodes.memories[memory.value].name + ", where " +
         std::to_string(ledger.used(memory)) + " of " + std::to_string(ledger.capacity(memory)) +
         " are in use and none can be moved out";
}

}  // namespace hocket::placement
