// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "host_timeline.hpp"

#include <algorithm>
#include <iterator>
#include <limits>

namespace hocket {

host_timeline::state host_timeline::when(std::uint64_t value,
                                         std::shared_ptr<timeline_waiter> waiter) const {
  const std::lock_guard lock(mutex_);
  // Either this or that in reach() comes first and is seen by the other, with what came before it.
  waiters_.fetch_add(1, std::memory_order_acq_rel);
  // Whoever ends the epoch calls wake_all() afterwards, so what is registered here is not missed.
  const bool reached = completed() >= value;
  if (reached || epoch_->ended()) {
    // Only a count that is too large for a moment: relaxed.
    waiters_.fetch_sub(1, std::memory_order_relaxed);
    return reached ? state::reached : state::lost;
  }
  waiting_.push_back({value, std::move(waiter)});
  return state::pending;
}

void host_timeline::reach(std::uint64_t value) {
  advance(value);
  // See when(). It changes nothing; a load could be earlier than what advance() stores.
  if (waiters_.fetch_add(0, std::memory_order_acq_rel) == 0) return;
  std::vector<entry> ready;
  {
    const std::lock_guard lock(mutex_);
    ready = take_until(value);
  }
  for (const entry& e : ready) e.who->resume();
}

void host_timeline::wake_all() {
  for (const entry& e : take_all()) e.who->resume();
}

void host_timeline::drop_all() { (void)take_all(); }

std::vector<host_timeline::entry> host_timeline::take_all() {
  std::vector<entry> all;
  const std::lock_guard lock(mutex_);
  all.swap(waiting_);
  // Relaxed, here and below: see when().
  waiters_.fetch_sub(all.size(), std::memory_order_relaxed);
  return all;
}

std::vector<host_timeline::entry> host_timeline::take_until(std::uint64_t value) {
  const auto ready = std::stable_partition(waiting_.begin(), waiting_.end(),
                                           [&](const entry& e) { return e.value > value; });
  std::vector<entry> taken(std::make_move_iterator(ready), std::make_move_iterator(waiting_.end()));
  waiting_.erase(ready, waiting_.end());
  waiters_.fetch_sub(taken.size(), std::memory_order_relaxed);
  return taken;
}

}  // namespace hocket
