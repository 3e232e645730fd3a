// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include <hocket/execution/inbox.hpp>

namespace hocket {

/// Counts the items that wait for a worker, the workers that are at it, and the items that are
/// suspended, in one word: so that no item waits while there could be one more worker, and that
/// nothing being left is one look.
template <class Atomics = real_atomics>
class worker_count {
 public:
  explicit worker_count(std::size_t max_workers) noexcept : full_(max_workers * one_worker) {}

  /// One more item waits; it is in its queue already. Returns true if the caller has to see to it
  /// that one more worker comes.
  [[nodiscard]] bool add() noexcept {
    std::uint64_t seen = state_.load(std::memory_order_relaxed);
    for (;;) {
      const bool one_more = (seen & workers_mask) < full_;
      const std::uint64_t wanted = seen + (one_more ? one_waiting + one_worker : one_waiting);
      // Release: pairs with the acquire in take(), which finds the item in its queue.
      if (state_.compare_exchange_weak(seen, wanted, std::memory_order_release,
                                       std::memory_order_relaxed)) {
        return one_more;
      }
    }
  }

  /// Only for a worker. Returns true if it has to take one item. Returns false if none is left: it
  /// is no worker any more then, and must not touch what belongs to the worker count.
  [[nodiscard]] bool take() noexcept {
    std::uint64_t seen = state_.load(std::memory_order_relaxed);
    for (;;) {
      const bool found = waiting(seen) != 0;
      const std::uint64_t wanted = seen - (found ? one_waiting : one_worker);
      // Acquire: pairs with add(). Release: pairs with idle().
      if (state_.compare_exchange_weak(seen, wanted, std::memory_order_acq_rel,
                                       std::memory_order_relaxed)) {
        return found;
      }
    }
  }

  /// Only for a worker. Returns true if it has to take one item. Returns false if none is left; it
  /// is still a worker then.
  [[nodiscard]] bool take_another() noexcept {
    std::uint64_t seen = state_.load(std::memory_order_relaxed);
    do {
      if (waiting(seen) == 0) return false;
      // Acquire: pairs with add(). Who stays has nothing to publish: no release.
    } while (!state_.compare_exchange_weak(seen, seen - one_waiting, std::memory_order_acquire,
                                           std::memory_order_relaxed));
    return true;
  }

  /// For a thread that is no worker, and can be one for a while. Returns true if it is one now, and
  /// has to take one item: if one waits, and at most as many workers as may be are there. One more
  /// than that is allowed, because the last of them may not have come as yet.
  [[nodiscard]] bool join() noexcept {
    std::uint64_t seen = state_.load(std::memory_order_relaxed);
    do {
      if (waiting(seen) == 0 || (seen & workers_mask) > full_) return false;
      // Acquire: pairs with add(), as in take().
    } while (!state_.compare_exchange_weak(seen, seen + one_worker - one_waiting,
                                           std::memory_order_acquire, std::memory_order_relaxed));
    return true;
  }
  /// Only for a worker that has joined: it is none any more, and must not touch what belongs to the
  /// worker count, but if true is returned: then it has to see to it that a worker comes in its
  /// place.
  [[nodiscard]] bool leave() noexcept {
    std::uint64_t seen = state_.load(std::memory_order_relaxed);
    do {
      if (waiting(seen) != 0 && (seen & workers_mask) <= full_) return true;
      // Release: pairs with idle().
    } while (!state_.compare_exchange_weak(seen, seen - one_worker, std::memory_order_release,
                                           std::memory_order_relaxed));
    return false;
  }

  /// Only for a worker: an item is suspended from now on.
  void suspend() noexcept {
    // Relaxed: the worker itself keeps the worker count from being idle.
    state_.fetch_add(one_suspended, std::memory_order_relaxed);
  }
  /// After the item was added again, or by the worker that suspended it: it is not any more. This
  /// is the last access of who calls it.
  void go_on() noexcept {
    // Pairs with the acquire in idle().
    state_.fetch_sub(one_suspended, std::memory_order_release);
  }

  /// How many items wait and workers work.
  [[nodiscard]] std::size_t at_work() const noexcept {
    // Only numbers: relaxed.
    const std::uint64_t seen = state_.load(std::memory_order_relaxed);
    return waiting(seen) + workers(seen);
  }

  /// How many items are suspended.
  [[nodiscard]] std::size_t suspended() const noexcept {
    // Only a number: relaxed.
    return state_.load(std::memory_order_relaxed) / one_suspended;
  }

  /// True if nothing waits, works or is suspended: then no thread uses the worker count any more.
  [[nodiscard]] bool idle() const noexcept {
    // Pairs with the releases in take() and go_on().
    return state_.load(std::memory_order_acquire) == 0;
  }

 private:
  // 28 bits for what waits, 12 for workers, 24 for what is suspended.
  static constexpr std::uint64_t one_waiting = 1;
  static constexpr std::uint64_t one_worker = std::uint64_t{1} << 28U;
  static constexpr std::uint64_t one_suspended = std::uint64_t{1} << 40U;

  static constexpr std::uint64_t workers_mask = one_suspended - one_worker;

  static constexpr std::uint64_t waiting(std::uint64_t state) noexcept {
    return state & (one_worker - 1);
  }
  static constexpr std::uint64_t workers(std::uint64_t state) noexcept {
    return (state & workers_mask) / one_worker;
  }

  std::uint64_t full_;  // with as many workers as may be
  alignas(64) typename Atomics::template atomic<std::uint64_t> state_ = 0;
};

}  // namespace hocket
