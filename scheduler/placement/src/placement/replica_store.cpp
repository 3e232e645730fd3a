// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "placement/replica_store.hpp"

#include <algorithm>
#include <utility>

#include <boost/container/flat_set.hpp>
#include <hocket/core/saturating.hpp>

#include "data/seeded_bug.hpp"

namespace hocket::placement {

namespace {

std::vector<std::uint64_t> capacities(const machine& m) {
  std::vector<std::uint64_t> bytes;
  for (const auto& memory : m.memories) bytes.push_back(memory.capacity);
  return bytes;
}

}  // namespace

replica_store::replica_store(const machine& machine, coherence& content, eviction_table& evictions)
    : content_(content),
      evictions_(evictions),
      ledger_(capacities(machine)),
      coming_(machine.memories.size(), 0),
      peaks_(machine.memories.size(), 0) {}

std::vector<need> replica_store::needs_of(const request& r, memory_id memory) const {
  std::uint64_t bytes = 0;
  if (may_use_bands(r, memory)) {
    for (const wanted_block& each : blocks_of(r, memory)) bytes += each.is_there ? 0 : each.bytes;
    if (bytes == 0) return {};
    return {{memory, bytes}};
  }
  boost::container::small_flat_set<data_id, 8> counted;
  for (const task_access& a : r.accesses) {
    if (a.is_empty() || content_.has_block(a.data, memory)) continue;
    if (counted.insert(a.data).second) bytes = saturating_add(bytes, content_.bytes(a.data));
  }
  if (counted.empty()) return {};
  return {{memory, bytes}};
}

bool replica_store::has_band(const request& r, memory_id memory) const {
  return std::any_of(r.accesses.begin(), r.accesses.end(), [&](const task_access& a) {
    return content_.band(a.data, memory) != nullptr;
  });
}

std::vector<data_id> replica_store::in_the_way(const request& r, memory_id memory) const {
  std::vector<data_id> found;
  if (!may_use_bands(r, memory)) return found;
  for (const wanted_block& each : blocks_of(r, memory)) {
    if (!each.is_there && content_.has_block(each.data, memory)) found.push_back(each.data);
  }
  return found;
}

void replica_store::give_block(data_id data, memory_id memory, const box* band) {
  const block_id block{blocks_++};
  std::shared_ptr<const box> kept;
  if (band != nullptr) {
    content_.set_block(data, memory, block, *band);
    kept = std::make_shared<const box>(*band);
  } else {
    content_.set_block(data, memory, block);
  }
  evictions_.touch(data);
  out_->emplace_back(
      allocate_block{block, data, memory, content_.bytes(data, memory), std::move(kept)});
  std::uint64_t& peak = peaks_[memory.value];
  peak = std::max(peak, ledger_.used(memory));
}

void replica_store::give_blocks(const request& r, memory_id memory) {
  if (may_use_bands(r, memory)) {
    for (const wanted_block& each : blocks_of(r, memory)) {
      if (each.is_there) continue;
      const bool is_whole = each.bytes == content_.bytes(each.data);
      give_block(each.data, memory, is_whole ? nullptr : &each.band);
    }
    return;
  }
  for (const task_access& a : r.accesses) {
    if (!a.is_empty() && !content_.has_block(a.data, memory)) give_block(a.data, memory, nullptr);
  }
}

void replica_store::take_block(data_id data, memory_id memory) {
  if (content_.has_block(data, memory)) return;
  ledger_.take(memory, content_.bytes(data));
  give_block(data, memory, nullptr);
}

void replica_store::lend_block(data_id data, detail::lent_memory_ptr memory) {
  const block_id block{blocks_++};
  lent_.insert(block);
  content_.set_block(data, host_memory, block);
  content_.pin(data, host_memory);  // so that it is never evicted
  out_->emplace_back(placement::lend_block{block, std::move(memory)});
}

void replica_store::pin(placed_task& t, memory_id memory) {
  if (seeded_bug(bug::forget_pins)) return;
  for (task_access& a : t.accesses) {
    if (a.is_empty()) continue;
    const bool is_known = std::ranges::any_of(t.accesses, [&](const task_access& other) {
      return other.is_pinned && other.data == a.data;
    });
    if (is_known || !content_.has_block(a.data, memory)) continue;
    content_.pin(a.data, memory);
    if (a.mode == access_mode::read && coherence::ready(*a.buffer->where, memory)) {
      evictions_.put_in_order_later(*a.buffer);
    } else {
      evictions_.touch(*a.buffer);  // a copy comes next, or a write
    }
    a.is_pinned = true;
  }
}

bool replica_store::unpin(placed_task& t, memory_id memory) {
  bool any = false;
  for (task_access& a : t.accesses) {
    if (!std::exchange(a.is_pinned, false)) continue;
    any = true;
    coherence::unpin(*a.buffer->where, memory);
    evictions_.put_in_order_later(*a.buffer);
  }
  return any;
}

bool replica_store::forget_pin(placed_task& t, data_id data) {
  bool any = false;
  for (task_access& a : t.accesses) {
    if (a.data == data && std::exchange(a.is_pinned, false)) any = true;
  }
  return any;
}

void replica_store::end_release(block_id block, memory_id memory, std::uint64_t bytes) {
  out_->emplace_back(free_block{block});
  if (lent_.erase(block) > 0) return;
  coming_[memory.value] -= bytes;
  ledger_.give_back(memory, bytes);
}

std::uint64_t replica_store::lacking(memory_id memory) const {
  const std::uint64_t shortage = ledger_.shortage(memory), coming = coming_[memory.value];
  return shortage > coming ? shortage - coming : 0;
}

}  // namespace hocket::placement
