// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <hocket/execution/inbox.hpp>
#include <hocket/execution/worker_record.hpp>

namespace hocket::detail {

/// How many tasks of a runtime were started and how many of them have ended, counted by each worker
/// in memory of its own, and by all other threads together, whose record is null.
///
/// A worker only counts, and looks at seems_awaited(). It looks exactly, by is_awaited(), when it
/// has run out of items or seems_awaited() was true. A thread that is no worker may count the last
/// end and then touch nothing more, because a thread that waits could destroy this: see try_end().
template <class Atomics = real_atomics>
class basic_task_count {
 public:
  using record = basic_worker_record<Atomics>;

  /// Before the first task, and before a thread waits.
  void add_up(std::vector<record*> workers) { workers_ = std::move(workers); }

  void start(record* worker) noexcept {
    if (worker != nullptr) return add_one(worker->started, std::memory_order_relaxed);
    // Relaxed, here and above: who sees the end of a task sees that it was started, by the release
    // of the end and the acquire in unfinished().
    started_.fetch_add(1, std::memory_order_relaxed);
  }

  /// Returns false, and has not counted, if the caller has to call end_awaited(): that may have to
  /// wake a thread. If true is returned to a thread that is no worker, it must not touch this.
  [[nodiscard]] bool try_end(record* worker) noexcept {
    if (worker == nullptr) return try_end_outside();
    // Release: pairs with the acquire in unfinished().
    add_one(worker->ended, std::memory_order_release);
    return true;
  }
  [[nodiscard]] bool try_end_outside() noexcept {
    // Relaxed, here and where the exchange fails: that finds out.
    std::uint64_t seen = ended_.load(std::memory_order_relaxed);
    while (seen < one_waiting) {
      // Release: pairs with unfinished() and begin_wait().
      if (ended_.compare_exchange_weak(seen, seen + 1, std::memory_order_release,
                                       std::memory_order_relaxed)) {
        return true;
      }
    }
    return false;
  }
  /// For a thread that is no worker, under the lock that threads which wait have to take.
  void end_awaited() noexcept {
    // Release: as in try_end().
    ended_.fetch_add(1, std::memory_order_release);
  }

  /// While a thread waits for the last end. It looks at unfinished() after the first.
  void begin_wait() noexcept {
    // Acquire and release: of this and of is_awaited(), the second sees what came before the first.
    ended_.fetch_add(one_waiting, std::memory_order_acq_rel);
  }
  // Relaxed: the thread that has waited publishes nothing by it.
  void end_wait() noexcept { ended_.fetch_sub(one_waiting, std::memory_order_relaxed); }

  /// True if a thread waits: either that, or the thread that comes to wait sees all that the caller
  /// has counted.
  [[nodiscard]] bool is_awaited() noexcept {
    // Acquire and release: pairs with begin_wait(), and with itself: of two workers that count the
    // last two ends, the second one's call sees the first one's count.
    return ended_.fetch_add(0, std::memory_order_acq_rel) >= one_waiting;
  }

  /// is_awaited(), but perhaps false although a thread began to wait just now.
  [[nodiscard]] bool seems_awaited() const noexcept {
    // The count comes before this look. Relaxed: a thread that began to wait just now looks once
    // more, see data_runtime::wait_until().
    std::atomic_signal_fence(std::memory_order_seq_cst);
    return ended_.load(std::memory_order_relaxed) >= one_waiting;
  }

  /// How many tasks have not ended. Zero only if at one moment during the call there was none; it
  /// may be more although there was such a moment.
  [[nodiscard]] std::uint64_t unfinished() const noexcept {
    // The ends first: what was started before a task ended is counted below. Acquire: pairs with
    // the releases in try_end() and end_awaited(). Relaxed for the starts: what an end has released
    // is seen.
    std::uint64_t ended = ended_.load(std::memory_order_acquire) % one_waiting;
    for (const record* each : workers_) ended += each->ended.load(std::memory_order_acquire);
    std::uint64_t started = started_.load(std::memory_order_relaxed);
    for (const record* each : workers_) started += each->started.load(std::memory_order_relaxed);
    return started - ended;
  }

  /// How many tasks have ended so far.
  [[nodiscard]] std::uint64_t ended() const noexcept {
    // Relaxed: only a number.
    std::uint64_t all = ended_.load(std::memory_order_relaxed) % one_waiting;
    for (const record* each : workers_) all += each->ended.load(std::memory_order_relaxed);
    return all;
  }

 private:
  using counter = typename Atomics::template atomic<std::uint64_t>;

  // 48 bits for tasks, 16 for threads that wait.
  static constexpr std::uint64_t one_waiting = std::uint64_t{1} << 48U;

  static void add_one(counter& own, std::memory_order order) noexcept {
    // Relaxed: no other thread writes it.
    own.store(own.load(std::memory_order_relaxed) + 1, order);
  }

  std::vector<record*> workers_;
  alignas(64) counter started_{0};  // by threads that are no workers
  alignas(64) counter ended_{0};    // the same
};

using task_count = basic_task_count<>;

}  // namespace hocket::detail
