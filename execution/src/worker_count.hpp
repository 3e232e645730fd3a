// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include <hocket/execution/inbox.hpp>

namespace hocket {

/// Counts the workers of a node, those of them that search for an item, and the items that are
/// suspended, in one word that is written only when one of these changes: not for an item.
///
/// No item waits while there could be one more worker. A thread that has made an item known, by a
/// sequentially consistent operation, calls wants_worker() afterwards; a worker that finds nothing
/// calls leave(), which counts it out before it looks for the last time. So either the first one
/// sees that the other has left, or the other one sees the item. While a worker searches none is
/// sent for: it finds the item, and sends for the next one if it finds that there are more.
template <class Atomics = real_atomics>
class worker_count {
 public:
  explicit worker_count(std::size_t max_workers) noexcept : max_workers_(max_workers) {}

  /// An item is where workers look for it. Returns true if the caller has to see to it that one
  /// more worker comes: it is counted, as one that searches.
  [[nodiscard]] bool wants_worker() noexcept {
    std::uint64_t seen = state_.load();
    while (lacks_worker(seen)) {
      if (state_.compare_exchange_weak(seen, seen + one_worker + one_searching,
                                       std::memory_order_seq_cst, std::memory_order_seq_cst)) {
        return true;
      }
    }
    return false;
  }

  /// A thread that may be no worker is about to make an item known. A worker could run that and
  /// leave, and the worker count be gone: not before end_post().
  void begin_post() noexcept {
    // Relaxed: the caller knows that the worker count lives, and the item that it makes known
    // publishes this before any thread can end that.
    state_.fetch_add(one_visitor, std::memory_order_relaxed);
  }
  /// wants_worker(), after the item was made known. If true is returned the caller sees to it that
  /// the worker comes, and then calls post_is_over(). If false is returned it must not touch what
  /// belongs to the worker count.
  [[nodiscard]] bool end_post() noexcept {
    // Relaxed: the exchange finds out.
    std::uint64_t seen = state_.load(std::memory_order_relaxed);
    for (;;) {
      const bool wanted = lacks_worker(seen);
      const std::uint64_t next = wanted ? seen + one_worker + one_searching : seen - one_visitor;
      // Acquire and release: of this and leave(), and of this and found(), the second sees what
      // came before the first. Release pairs with idle() as well. Relaxed where it fails: nothing
      // was decided.
      if (state_.compare_exchange_weak(seen, next, std::memory_order_acq_rel,
                                       std::memory_order_relaxed)) {
        return wanted;
      }
    }
  }
  /// This is the last access of who calls it.
  void post_is_over() noexcept {
    // Release: pairs with the acquire in idle().
    state_.fetch_sub(one_visitor, std::memory_order_release);
  }

  /// Only for a worker that does not: it searches.
  void search() noexcept {
    // Relaxed: leave() is what others may have to see.
    state_.fetch_add(one_searching, std::memory_order_relaxed);
  }

  /// Only for a worker that searches: it does no more, because an item waits. Returns true if none
  /// does: then the caller has to look whether another item waits, and to call wants_worker() if
  /// one does.
  [[nodiscard]] bool found() noexcept { return searching(state_.fetch_sub(one_searching)) == 1; }

  /// Only for a worker that searches, and has found nothing. Returns false if it has to go on,
  /// because has_items() is true. Returns true if it is no worker any more: then it must not touch
  /// what belongs to the worker count.
  template <class HasItems>
  [[nodiscard]] bool leave(const HasItems& has_items) noexcept {
    return leave(one_worker + one_searching, has_items);
  }

  /// For a thread that is no worker, and can be one for a while. Returns true if it is one now: if
  /// at most as many workers as may be are there. One more than that is allowed, because the last
  /// of them may not have come as yet.
  [[nodiscard]] bool join() noexcept {
    // Relaxed: this keeps the worker count from being idle, and the caller knows that it lives.
    std::uint64_t seen = state_.load(std::memory_order_relaxed);
    do {
      if (workers(seen) > max_workers_) return false;
    } while (!state_.compare_exchange_weak(seen, seen + one_worker, std::memory_order_relaxed,
                                           std::memory_order_relaxed));
    return true;
  }
  /// leave() for a worker that has joined: where that returns false, the caller has to see to it
  /// that a worker comes in its place.
  template <class HasItems>
  [[nodiscard]] bool leave_as_guest(const HasItems& has_items) noexcept {
    return leave(one_worker, has_items);
  }

  /// Only for a worker: an item is suspended from now on.
  void suspend() noexcept {
    // Relaxed: the worker itself keeps the worker count from being idle.
    state_.fetch_add(one_suspended, std::memory_order_relaxed);
  }
  /// After the item was made known again, or by the worker that suspended it: it is not any more.
  /// This is the last access of who calls it.
  void go_on() noexcept {
    // Pairs with the acquire in idle().
    state_.fetch_sub(one_suspended, std::memory_order_release);
  }

  /// How many workers have an item.
  [[nodiscard]] std::size_t at_work() const noexcept {
    // Only numbers: relaxed.
    const std::uint64_t seen = state_.load(std::memory_order_relaxed);
    return workers(seen) - searching(seen);
  }

  /// How many items are suspended.
  [[nodiscard]] std::size_t suspended() const noexcept {
    // Only a number: relaxed.
    return state_.load(std::memory_order_relaxed) / one_suspended;
  }

  /// True if nothing works, is suspended, or about to leave or to post: then no thread uses the
  /// worker count any more, if none posts.
  [[nodiscard]] bool idle() const noexcept {
    // Acquire: pairs with the releases in leave(), go_on(), end_post() and post_is_over().
    return state_.load(std::memory_order_acquire) == 0;
  }

 private:
  // 12 bits each for workers and those that search, 16 for threads that leave or post, 24 for what
  // is suspended.
  static constexpr std::uint64_t one_worker = 1;
  static constexpr std::uint64_t one_searching = std::uint64_t{1} << 12U;
  static constexpr std::uint64_t one_visitor = std::uint64_t{1} << 24U;
  static constexpr std::uint64_t one_suspended = std::uint64_t{1} << 40U;

  static constexpr std::uint64_t workers(std::uint64_t state) noexcept {
    return state % one_searching;
  }
  static constexpr std::uint64_t searching(std::uint64_t state) noexcept {
    return state % one_visitor / one_searching;
  }

  [[nodiscard]] bool lacks_worker(std::uint64_t state) const noexcept {
    return searching(state) == 0 && workers(state) < max_workers_;
  }

  template <class HasItems>
  [[nodiscard]] bool leave(std::uint64_t counted_as, const HasItems& has_items) noexcept {
    state_.fetch_add(one_visitor - counted_as);
    const bool goes_on = has_items() && wants_worker();
    // Release: pairs with the acquire in idle().
    state_.fetch_sub(one_visitor, std::memory_order_release);
    return !goes_on;
  }

  std::size_t max_workers_;
  alignas(64) typename Atomics::template atomic<std::uint64_t> state_ = 0;
};

}  // namespace hocket
