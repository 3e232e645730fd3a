// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <cstdint>
#include <mutex>
#include <utility>
#include <vector>

#include <hocket/execution/inbox.hpp>

namespace hocket::detail {

/// Threads that wait until counters have come to zero, and may then destroy the counters, and this
/// object with them. Gate points to an executor::gate.
template <class Gate, class Atomics = real_atomics, class Mutex = std::mutex>
class zero_wait {
 public:
  using counter = typename Atomics::template atomic<std::int64_t>;

  /// Decrements, and opens the gates if that was the last one. A caller that counts to zero keeps
  /// what waiters may destroy until then: it touches nothing of this object after it has let them
  /// go on.
  void one_less(counter& count) noexcept {
    // No thread waits for anything but zero.
    std::int64_t seen = count.load();
    while (seen > 1) {
      if (count.compare_exchange_weak(seen, seen - 1, std::memory_order_seq_cst,
                                      std::memory_order_seq_cst)) {
        return;
      }
    }
    std::vector<Gate> due;
    {
      // Under the lock: a thread that waits for zero has to take it before it sees zero.
      const std::scoped_lock lock(guard_);
      if (count.fetch_sub(1) == 1) due.swap(waiters_);
    }
    for (const Gate& gate : due) gate->open();
  }

  /// Something else may have come to what threads wait for: opens the gates if reached() holds.
  /// count() is called before, if there is one, under the lock, as a decrement would be.
  template <class Reached, class Count>
  void look(const Reached& reached, const Count& count) noexcept {
    std::vector<Gate> due;
    {
      const std::scoped_lock lock(guard_);
      count();
      if (reached()) due.swap(waiters_);
    }
    for (const Gate& gate : due) gate->open();
  }

  /// Returns reached(), which looks at the counters. What it sees was counted by threads that touch
  /// this object no more.
  template <class Reached>
  [[nodiscard]] bool holds(const Reached& reached) {
    const std::scoped_lock lock(guard_);
    return reached();
  }

  /// Opens the gate when a counter has come to zero, or at once if reached() holds.
  template <class Reached>
  void await(const Gate& gate, const Reached& reached) {
    {
      const std::scoped_lock lock(guard_);
      if (!reached()) {
        waiters_.push_back(gate);
        return;
      }
    }
    gate->open();
  }

  /// The gate is awaited no more.
  void leave(const Gate& gate) {
    const std::scoped_lock lock(guard_);
    std::erase(waiters_, gate);
  }

 private:
  Mutex guard_;
  std::vector<Gate> waiters_;  // guarded by guard_
};

}  // namespace hocket::detail
