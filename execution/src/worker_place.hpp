// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>

#include <hocket/execution/executor.hpp>
#include <hocket/execution/steal_deque.hpp>
#include <hocket/execution/worker_record.hpp>

#include "oldest_first.hpp"

namespace hocket {

class node_queue;
class suspendable_item;

/// The cell of a deque for an item.
class item_cell {
 public:
  using value_type = executor::bare_item;
  using atomics = real_atomics;

  // Relaxed: see word_cell. A thief that reads halves of two items finds that the top has moved.
  [[nodiscard]] value_type get() const noexcept {
    return {run_.load(std::memory_order_relaxed), what_.load(std::memory_order_relaxed)};
  }
  void put(value_type item) noexcept {
    run_.store(item.run, std::memory_order_relaxed);
    what_.store(item.what, std::memory_order_relaxed);
  }

 private:
  std::atomic<void (*)(void*)> run_{nullptr};
  std::atomic<void*> what_{nullptr};
};

/// The state of the worker that is in one slot of oneTBB's arena.
struct alignas(64) worker_place : worker_record {
  node_queue* queue = nullptr;  ///< that it is a place of
  std::unique_ptr<suspendable_item> spare;
  /// How many of the items are over already, at most: see own_items.hpp.
  std::uint32_t passed_over = 0;
  oldest_first oldest;           ///< when the worker takes the oldest item first
  steal_deque<item_cell> items;  ///< that were posted there: others may steal them
};

}  // namespace hocket
