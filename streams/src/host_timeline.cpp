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
  if (completed() >= value) return state::reached;
  // Whoever ends the epoch calls wake_all() afterwards, so what is registered here is not missed.
  if (epoch_->ended()) return state::lost;
  waiting_.push_back({value, std::move(waiter)});
  return state::pending;
}

void host_timeline::reach(std::uint64_t value) {
  std::vector<entry> ready;
  {
    const std::lock_guard lock(mutex_);
    advance(value);
    if (!waiting_.empty()) ready = take_until(value);
  }
  for (const entry& e : ready) e.who->resume();
}

void host_timeline::wake_all() {
  std::vector<entry> all;
  {
    const std::lock_guard lock(mutex_);
    all.swap(waiting_);
  }
  for (const entry& e : all) e.who->resume();
}

void host_timeline::drop_all() {
  std::vector<entry> dropped;
  const std::lock_guard lock(mutex_);
  dropped.swap(waiting_);
}

std::vector<host_timeline::entry> host_timeline::take_until(std::uint64_t value) {
  const auto ready = std::stable_partition(waiting_.begin(), waiting_.end(),
                                           [&](const entry& e) { return e.value > value; });
  std::vector<entry> taken(std::make_move_iterator(ready), std::make_move_iterator(waiting_.end()));
  waiting_.erase(ready, waiting_.end());
  return taken;
}

}  // namespace hocket
