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
  bool reached = false;
  // Whoever ends the epoch calls wake_all() afterwards, so what is registered here is not missed.
  const bool waits = waiters_.add_unless([&] {
    reached = completed() >= value;
    return reached || epoch_->ended();
  });
  if (!waits) return reached ? state::reached : state::lost;
  waiting_.push_back({value, std::move(waiter)});
  return state::pending;
}

void host_timeline::reach(std::uint64_t value) {
  if (!waiters_.advance([&] { advance(value); })) return;
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
  waiters_.remove(all.size());
  return all;
}

std::vector<host_timeline::entry> host_timeline::take_until(std::uint64_t value) {
  const auto ready = std::stable_partition(waiting_.begin(), waiting_.end(),
                                           [&](const entry& e) { return e.value > value; });
  std::vector<entry> taken(std::make_move_iterator(ready), std::make_move_iterator(waiting_.end()));
  waiting_.erase(ready, waiting_.end());
  waiters_.remove(taken.size());
  return taken;
}

}  // namespace hocket
