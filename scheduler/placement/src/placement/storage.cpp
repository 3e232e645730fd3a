// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <algorithm>
#include <utility>

#include <boost/container/flat_set.hpp>
#include <hocket/core/saturating.hpp>
#include <hocket/memory/eviction.hpp>

#include "data/seeded_bug.hpp"
#include "placement/engine.hpp"

namespace hocket::placement {

std::vector<need> engine::needs_of(const request& r, memory_id memory) const {
  std::uint64_t bytes = 0;
  boost::container::small_flat_set<data_id, 8> counted;
  for (const task_access& a : r.accesses) {
    if (a.is_empty() || coherence_.has_block(a.data, memory)) continue;
    if (counted.insert(a.data).second) bytes = saturating_add(bytes, coherence_.bytes(a.data));
  }
  if (counted.empty()) return {};
  return {{memory, bytes}};
}

void engine::give_block(data_id data, memory_id memory) {
  const block_id block{blocks_++};
  coherence_.set_block(data, memory, block);
  out_->emplace_back(allocate_block{block, data, memory, coherence_.bytes(data)});
  note_peak(memory);
}

void engine::note_peak(memory_id memory) {
  std::uint64_t& peak = peaks_[memory.value];
  peak = std::max(peak, ledger_.used(memory));
  for (std::size_t i = 0; i < devices_.size(); ++i) {
    if (machine_.devices[i].memory == memory) devices_[i].done.peak_bytes = peak;
  }
}

void engine::pin_present(task& t, memory_id memory) {
  if (seeded_bug(bug::forget_pins)) return;
  for (const task_access& a : t.request->accesses) {
    const bool known = std::find(t.pinned.begin(), t.pinned.end(), a.data) != t.pinned.end();
    if (known || !coherence_.has_block(a.data, memory)) continue;
    coherence_.pin(a.data, memory);
    t.pinned.push_back(a.data);
  }
}

void engine::unpin(task& t, memory_id memory) {
  const bool any = t.pinned_all || !t.pinned.empty();
  if (std::exchange(t.pinned_all, false)) {
    for (const data_state* d : t.data) coherence::unpin(*d->where, memory);
  }
  for (const data_id data : t.pinned) coherence_.unpin(data, memory);
  t.pinned.clear();
  if (any && ledger_.shortage(memory) > 0) mark_users_dirty(memory);
}

void engine::mark_users_dirty(memory_id memory) {
  for (std::size_t i = 0; i < machine_.devices.size(); ++i) {
    if (machine_.devices[i].memory == memory) mark_dirty(device_id{i});
  }
}

void engine::grant_reservations() {
  for (const task_id id : ledger_.grant()) {
    task& t = *find(id);
    const memory_id memory = machine_.devices[t.device.value].memory;
    devices_[t.device.value].reserving = {};
    mark_dirty(t.device);
    for (const task_access& a : t.request->accesses) {
      if (!a.is_empty() && !coherence_.has_block(a.data, memory)) give_block(a.data, memory);
    }
    pin_present(t, memory);
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
  const std::uint64_t shortage = ledger_.shortage(memory);
  std::uint64_t& coming = coming_[memory.value];
  if (shortage <= coming) return;
  const auto unissued = [&](task_id id) {
    const task* t = find(id);
    return t != nullptr && t->state != phase::issued;
  };
  std::vector<eviction_candidate> candidates;
  for (const data_id data : coherence_.evictable(memory)) {
    const data_state& d = *data_.find(data);
    const task_id next = d.history.next_user(unissued);
    std::uint64_t distance = eviction_candidate::unknown;
    if (next.valid()) distance = next.value > latest_issued_ ? next.value - latest_issued_ : 0;
    const bool sole = coherence_.sole_copy(data, memory);
    if (sole && memory == host_memory) continue;  // there is nowhere to write it back to
    candidates.push_back({data, coherence_.bytes(data), distance, d.last_use, sole});
  }
  for (const data_id victim : choose_victims(candidates, shortage - coming)) {
    // Releasing a block at once may have granted a reservation, and evicted more, meanwhile.
    if (ledger_.shortage(memory) <= coming_[memory.value]) return;
    if (coherence_.has_block(victim, memory) && !coherence_.pinned(victim, memory)) {
      evict(victim, memory);
    }
  }
}

void engine::evict(data_id data, memory_id memory) {
  if (coherence_.sole_copy(data, memory)) {
    need_host_block(data);
    coherence_.write_back(data, memory, host_memory,
                          [&](const copy_request& wanted) { return copy(wanted, task_id{}); });
  }
  release(coherence_.evict(data, memory));
}

void engine::release(const released_block& freed) {
  coming_[freed.memory.value] += freed.bytes;
  commands_.when_done(seeded_bug(bug::free_early) ? timepoint_set() : freed.after,
                      [this, block = freed.block, memory = freed.memory, bytes = freed.bytes] {
                        out_->emplace_back(free_block{block});
                        coming_[memory.value] -= bytes;
                        ledger_.give_back(memory, bytes);
                        find_memory(memory);
                        mark_users_dirty(memory);
                      });
}

bool engine::forget_pin(task& t, data_id data) {
  if (std::exchange(t.pinned_all, false)) {
    for (const task_access& a : t.request->accesses) t.pinned.push_back(a.data);
  }
  const auto kept = std::remove(t.pinned.begin(), t.pinned.end(), data);
  const bool any = kept != t.pinned.end();
  t.pinned.erase(kept, t.pinned.end());
  return any;
}

failure engine::no_room_for(const request& r, const failure& why) {
  return why.within("making room for \"" + std::string(r.label_text()) + "\"");
}

/// Drops the replica and returns its bytes, so that the next task that needs it reserves again.
void engine::handle(allocation_failed& e) {
  const bool known = data_.find(e.data) != nullptr;
  if (!known || coherence_.block(e.data, e.memory) != e.block) return;  // it was released meanwhile
  std::vector<task_id> delivered;
  tasks_.each([&](task_id id, task& t) {
    const bool is_launch = t.request->kind == task_kind::launch;
    if (is_launch && !(t.device.valid() && machine_.devices[t.device.value].memory == e.memory)) {
      return;
    }
    // A launch that was issued fails by itself; a view is failed here.
    if (forget_pin(t, e.data) && !is_launch) delivered.push_back(id);
  });
  std::sort(delivered.begin(), delivered.end());
  for (const task_id id : delivered) end_later(id, no_room_for(*find(id)->request, e.why));
  release(coherence_.drop_unallocated(e.data, e.memory, e.why));
  // A task that had pinned it and waits for the rest of its memory has to reserve it again.
  for (const device_state& d : devices_) {
    const task* const t = d.reserving.valid() ? find(d.reserving) : nullptr;
    if (t == nullptr || machine_.devices[t->device.value].memory != e.memory) continue;
    ledger_.request(t->request->id, t->request->priority, needs_of(*t->request, e.memory));
  }
  mark_users_dirty(e.memory);
}

void engine::bring_to_host(data_id data, const box& region, memory_id on_the_way_to,
                           task_id for_task) {
  std::vector<box> parts;
  coherence_.for_missing(
      data, region, on_the_way_to, [&](const box& part, std::span<const memory_id> holders) {
        const bool direct = std::any_of(holders.begin(), holders.end(), [&](memory_id from) {
          return machine_.link_between(from, on_the_way_to).has_value();
        });
        if (!direct) parts.push_back(part);
      });
  if (parts.empty()) return;
  need_host_block(data);
  for (const box& part : parts) {
    (void)bring(data, part, host_memory, for_task);
  }
}

void engine::need_host_block(data_id data) {
  if (coherence_.has_block(data, host_memory)) return;
  ledger_.take(host_memory, coherence_.bytes(data));
  give_block(data, host_memory);
}

timepoint_set engine::bring(data_id data, const box& region, memory_id memory, task_id for_task) {
  // Mostly the content is present.
  if (coherence_.valid(data, region, memory)) return coherence_.ready(data, region, memory);
  bring_to_host(data, region, memory, for_task);
  return coherence_.make_valid(
      data, region, memory,
      [&](std::span<const memory_id> holders, std::uint64_t bytes) {
        return nearest(holders, memory, bytes);
      },
      [&](const copy_request& wanted) { return copy(wanted, for_task); });
}

memory_id engine::nearest(std::span<const memory_id> holders, memory_id to,
                          std::uint64_t bytes) const {
  memory_id best = holders.front();
  nanoseconds best_time = nanoseconds::max();
  for (const memory_id from : holders) {
    const auto& link = machine_.link_between(from, to);
    if (!link) continue;
    const nanoseconds time = commands_.backlog(link->stream) + costs_.predict_copy(from, to, bytes);
    if (time < best_time) {
      best = from;
      best_time = time;
    }
  }
  return best;
}

point engine::copy(const copy_request& wanted, task_id for_task) {
  const machine::link& link = *machine_.link_between(wanted.from, wanted.to);
  const data_state& d = *data_.find(wanted.data);
  timepoint_set after = wanted.after;
  after.prune([&](point t) { return t.stream == link.stream || commands_.done(t); });
  const point number = commands_.next(link.stream);
  command_record& record = commands_.plan<issue_copy>(
      number, costs_.predict_copy(wanted.from, wanted.to, wanted.bytes), std::move(after), *out_,
      coherence_.block(wanted.data, wanted.from), coherence_.block(wanted.data, wanted.to),
      d.all.end, d.element_size, wanted.region, wanted.bytes);
  record.task = for_task;
  record.copy = std::make_shared<copied_part>(
      copied_part{wanted.data, wanted.region, wanted.from, wanted.to, wanted.bytes});
  record.wanted = now_;
  return number;
}

}  // namespace hocket::placement
