// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "placement/eviction_table.hpp"

#include <algorithm>
#include <utility>

namespace hocket::placement {

/// Unissued tasks that were submitted before are found once, in their order.
void eviction_table::begin() {
  is_used_ = true;
  std::vector<placed_task*> all = tasks_.sorted();
  std::ranges::sort(all, {}, &placed_task::age);
  for (placed_task* const t : all) {
    if (!t->is_issued()) add_unissued(*t);
  }
  touch_all();
}

void eviction_table::add_unissued(placed_task& t) {
  for (task_access& a : t.accesses) {
    a.age = t.age;
    a.buffer->unissued.push_back(a);
    put_in_order_later(*a.buffer);
  }
}

void eviction_table::remove_unissued(placed_task& t) noexcept {
  for (task_access& a : t.accesses) {
    a.among_unissued.unlink();
    touch(*a.buffer);
  }
}

void eviction_table::touch_all() {
  buffers_.each([this](data_id, tracked_buffer& buffer) { touch(buffer); });
}

void eviction_table::forget(const tracked_buffer& buffer) {
  for (const memory_id memory : buffer.evictable_in) orders_[memory.value].erase(buffer.id);
}

std::vector<data_id> eviction_table::choose(memory_id memory, std::uint64_t bytes,
                                            std::uint64_t latest_issued) {
  if (!is_used_) begin();
  while (!touched_.empty()) {
    tracked_buffer& buffer = touched_.front();
    touched_.pop_front();
    order_again(buffer);
  }
  return orders_[memory.value].choose(bytes, latest_issued);
}

void eviction_table::order_again(tracked_buffer& buffer) {
  eviction_candidate candidate{.data = buffer.id,
                               .bytes = 0,
                               .next_use = eviction_candidate::unknown,
                               .last_use = buffer.last_use,
                               .sole_copy = false};
  if (!buffer.unissued.empty()) candidate.next_use = buffer.unissued.front().age;
  const memory_list before = std::exchange(buffer.evictable_in, {});
  content_.for_unpinned(buffer.id, [&](memory_id memory) {
    candidate.bytes = content_.bytes(buffer.id, memory);
    candidate.sole_copy = content_.sole_copy(buffer.id, memory);
    if (candidate.sole_copy && memory == host_memory) return;
    orders_[memory.value].set(candidate);
    buffer.evictable_in.push_back(memory);
  });
  for (const memory_id memory : before) {
    if (std::ranges::count(buffer.evictable_in, memory) == 0) {
      orders_[memory.value].erase(buffer.id);
    }
  }
}

}  // namespace hocket::placement
