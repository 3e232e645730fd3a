// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <oneapi/tbb/spin_mutex.h>

#include <atomic>
#include <cstdint>
#include <deque>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "graphs/host_plan.hpp"
#include "graphs/worker_slot.hpp"

namespace hocket::detail {

/// What changes while a plan is run. A later run can use it again.
struct run_state {
  explicit run_state(const host_plan& plan);

  /// Before each run. The counters of functions are what they have to be already: each is set back
  /// when its function becomes ready.
  void make_ready();

  /// A free slot with room for every function. There are as many as are ever needed at a time:
  /// threads that were suspended within a function keep theirs. Throws std::bad_alloc.
  [[nodiscard]] worker_slot& take_slot();
  void free_slot(worker_slot& slot) noexcept;

  /// All slots that were ever taken, linked; more may come, none goes.
  [[nodiscard]] worker_slot* slots() const noexcept {
    // Pairs with the release in take_slot(): a thread that sees a slot sees the one that it is
    // linked to.
    return newest_.load(std::memory_order_acquire);
  }

  /// True if some slot had something in stock, a moment ago.
  [[nodiscard]] bool has_stock() const noexcept;

  /// Something is over that a function of the plan comes after. Returns true if it was the last of
  /// it.
  [[nodiscard]] bool arrive(const host_plan& plan, std::uint32_t node) noexcept {
    std::atomic<std::uint32_t>& left = waits_for[node];
    // Release: pairs with the acquire of the last arrival, which sees what came before all of them.
    if (left.fetch_sub(1, std::memory_order_acq_rel) != 1) return false;
    // Relaxed: the next one to count is in a later run.
    left.store(plan.before(node), std::memory_order_relaxed);
    return true;
  }

  /// Counts the functions that have ended in the slot. Returns true if the last one of the run is
  /// among them.
  [[nodiscard]] bool count_ended(worker_slot& slot) noexcept {
    const std::uint64_t more = std::exchange(slot.ended, 0);
    return more != 0 && ended.fetch_add(more) + more == waits_for.size();
  }
  [[nodiscard]] bool all_ended() const noexcept { return ended.load() == waits_for.size(); }

  // Functions that became ready by something outside of the run, put there by any thread.
  void add_from_outside(std::uint32_t node) noexcept;
  [[nodiscard]] bool has_from_outside() const noexcept {
    // Sequentially consistent: a worker that leaves looks here after it has said so.
    return newest_from_outside_.load() != none;
  }
  /// Takes all of them, to be handed to take(node), the newest first.
  template <class Take>
  void take_from_outside(const Take& take) noexcept {
    // Acquire: pairs with add_from_outside().
    std::uint32_t node = newest_from_outside_.exchange(none, std::memory_order_acquire);
    while (node != none) {
      const std::uint32_t next = from_outside_[node];
      take(node);
      node = next;
    }
  }

  std::vector<std::atomic<std::uint32_t>> waits_for;  ///< of each function: how many others
  std::span<const std::uint32_t> starts;              ///< functions that are ready at the beginning
  std::atomic<bool> begun{false};                   ///< a thread has the functions that follow none
  alignas(64) std::atomic<std::uint64_t> ended{0};  ///< functions, as far as told
  std::vector<std::uint64_t> numbers;               ///< of choices: answers, and rounds so far

 private:
  static constexpr std::uint32_t none = std::numeric_limits<std::uint32_t>::max();

  alignas(64) std::atomic<worker_slot*> newest_{nullptr};
  std::atomic<std::uint32_t> newest_from_outside_{none};
  std::vector<std::uint32_t> from_outside_;  ///< of each that is there, the one before

  tbb::spin_mutex guard_;  // for what follows
  std::deque<worker_slot> all_;
  std::vector<worker_slot*> free_;
};

}  // namespace hocket::detail
