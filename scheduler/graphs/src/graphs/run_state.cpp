// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "graphs/run_state.hpp"

#include <algorithm>

namespace hocket::detail {

run_state::run_state(const host_plan& plan) : waits_for(plan.size()), numbers(plan.numbers()) {
  for (std::uint32_t i = 0; i < plan.size(); ++i) {
    // No other thread knows of this: relaxed.
    waits_for[i].store(plan.before(i), std::memory_order_relaxed);
  }
  if (plan.waits_outside()) from_outside_.resize(plan.size());
  // With one slot a run can end, should there be no memory for more.
  free_slot(take_slot());
}

void run_state::make_ready() {
  // Relaxed: threads learn of the state when its run begins, after this.
  ended.store(0, std::memory_order_relaxed);
  begun.store(false, std::memory_order_relaxed);
  std::fill(numbers.begin(), numbers.end(), 0);
}

worker_slot& run_state::take_slot() {
  const tbb::spin_mutex::scoped_lock lock(guard_);
  if (!free_.empty()) {
    worker_slot& last = *free_.back();
    free_.pop_back();
    return last;
  }
  // All that can throw comes before anybody knows of the slot; free_slot() cannot then.
  free_.reserve(all_.size() + 1);
  worker_slot& made = all_.emplace_back();
  try {
    made.ready.reserve(waits_for.size());
  } catch (...) {
    all_.pop_back();
    throw;
  }
  // Relaxed: only this writes it, under the lock.
  made.next = newest_.load(std::memory_order_relaxed);
  newest_.store(&made, std::memory_order_release);
  return made;
}

void run_state::add_from_outside(std::uint32_t node) noexcept {
  std::uint32_t seen = newest_from_outside_.load(std::memory_order_relaxed);
  do {
    from_outside_[node] = seen;
    // Sequentially consistent: the caller looks for workers afterwards; see has_from_outside().
  } while (!newest_from_outside_.compare_exchange_weak(seen, node));
}

bool run_state::has_stock() const noexcept {
  if (has_from_outside()) return true;
  for (const worker_slot* slot = slots(); slot != nullptr; slot = slot->next) {
    if (slot->ready.occupied() || slot->starts.occupied()) return true;
  }
  return false;
}

void run_state::free_slot(worker_slot& slot) noexcept {
  const tbb::spin_mutex::scoped_lock lock(guard_);
  free_.push_back(&slot);
}

}  // namespace hocket::detail
