// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "run_state.hpp"

#include <algorithm>

namespace hocket::detail {

run_state::run_state(const host_plan& plan) : waits_for(plan.size()), numbers(plan.numbers()) {
  for (std::uint32_t i = 0; i < plan.size(); ++i) {
    // Nobody else knows of this: relaxed.
    waits_for[i].store(plan.before(i), std::memory_order_relaxed);
  }
  // With one seat a run can end, should there be no memory for more.
  free_seat(take_seat());
}

void run_state::make_ready() {
  ended = 0;
  begun = false;
  std::fill(numbers.begin(), numbers.end(), 0);
}

host_seat& run_state::take_seat() {
  const std::lock_guard lock(guard_);
  if (!free_.empty()) {
    host_seat& last = *free_.back();
    free_.pop_back();
    return last;
  }
  // All that can throw comes before anybody knows of the seat; free_seat() cannot then.
  free_.reserve(all_.size() + 1);
  host_seat& made = all_.emplace_back();
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

bool run_state::has_stock() const noexcept {
  for (const host_seat* seat = seats(); seat != nullptr; seat = seat->next) {
    if (seat->ready.occupied() || seat->starts.occupied()) return true;
  }
  return false;
}

void run_state::free_seat(host_seat& seat) noexcept {
  const std::lock_guard lock(guard_);
  free_.push_back(&seat);
}

}  // namespace hocket::detail
