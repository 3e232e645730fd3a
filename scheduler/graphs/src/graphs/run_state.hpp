// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <mutex>
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

  /// All seats that were ever taken, linked; more may come, none goes.
  [[nodiscard]] worker_slot* slots() const noexcept {
    // Pairs with the release in take_slot(): a thread that sees a slot sees the one that it is
    // linked to.
    return newest_.load(std::memory_order_acquire);
  }

  /// True if some slot had something in stock, a moment ago.
  [[nodiscard]] bool has_stock() const noexcept;

  std::vector<std::atomic<std::uint32_t>> waits_for;  ///< of each function: how many others
  std::atomic<bool> begun{false};                   ///< a thread has the functions that follow none
  alignas(64) std::atomic<std::uint64_t> ended{0};  ///< functions, as far as told
  std::vector<std::uint64_t> numbers;               ///< of choices: answers, and rounds so far

 private:
  alignas(64) std::atomic<worker_slot*> newest_{nullptr};

  std::mutex guard_;  // for what follows
  std::deque<worker_slot> all_;
  std::vector<worker_slot*> free_;
};

}  // namespace hocket::detail
