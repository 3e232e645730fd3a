// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "graphs/worker_supply.hpp"

#include <algorithm>

#include "graphs/host_run.hpp"
#include "tasks/live_runtimes.hpp"

namespace hocket::detail {

namespace {

/// For some ten microseconds, less than it takes to send for the thread again.
constexpr std::size_t looks_of_real_threads = 200;

std::size_t all_workers(executor& where) {
  std::size_t sum = 0;
  for (std::size_t i = 0; i < where.arenas(); ++i) sum += where.workers(i);
  return std::min(sum, run_workers<>::most);
}

}  // namespace

worker_supply::worker_supply(host_run& run, executor& where, int priority)
    : run_(run),
      where_(where),
      priority_(priority),
      count_(all_workers(where)),
      // No other thread runs while a thread of the seeded executor spins.
      looks_(where.is_virtual() ? 0 : looks_of_real_threads) {}

void worker_supply::send() noexcept {
  count_.send_for();
  intrusive_ptr_add_ref(&run_);  // run() takes it over
  try {
    where_.post_intrusive(next_arena(), priority_, *this);
  } catch (...) {
    // No memory for the item: this thread does the work itself.
    const boost::intrusive_ptr<host_run> keeps(&run_, false);
    while (run_.work()) count_.send_for();
  }
}

std::size_t worker_supply::next_arena() noexcept {
  const std::size_t arenas = where_.arenas();
  if (arenas == 1) return 0;
  // Relaxed: any order of the arenas will do.
  return arenas_used_.fetch_add(1, std::memory_order_relaxed) % arenas;
}

void worker_supply::take_back() noexcept {
  const std::size_t arenas = where_.arenas();
  // Relaxed: in another arena the item is not found.
  const std::size_t last = arenas == 1 ? 0 : arenas_used_.load(std::memory_order_relaxed) - 1;
  executor::intrusive_item* const item = this;
  if (!where_.take_back(last % arenas, item)) return;
  count_.send_for_no_more();
  intrusive_ptr_release(&run_);
}

void worker_supply::run() noexcept {
  const boost::intrusive_ptr<host_run> keeps(&run_, false);
  if (run_.work()) send();
}

void worker_supply::send_if_open() noexcept {
  const live_runtimes::user uses(run_.home());
  if (uses) send();
}

void worker_supply::begin_wait() noexcept {
  count_.leave();
  send_if_wanted();
}

}  // namespace hocket::detail
