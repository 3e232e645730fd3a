// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <memory>

#include <hocket/execution/steal_deque.hpp>

namespace hocket {

/// A queue of bounded length, first in first out, for many threads on both ends: one exchange of a
/// counter for each operation, and no memory. After D. Vyukov's bounded MPMC queue: each slot knows
/// whose turn it is. Cell says what an item is: see word_cell.
template <class Cell>
class item_ring {
  using atomics = typename Cell::atomics;
  template <class T>
  using atomic = typename atomics::template atomic<T>;

 public:
  using value_type = typename Cell::value_type;

  /// capacity is a power of two.
  explicit item_ring(std::size_t capacity)
      : slots_(std::make_unique<slot[]>(capacity)), mask_(capacity - 1) {
    assert(capacity > 1 && (capacity & mask_) == 0);
    // Nobody else knows the ring as yet: relaxed.
    for (std::size_t i = 0; i < capacity; ++i) slots_[i].turn.store(i, std::memory_order_relaxed);
  }

  /// Returns false if the ring is full.
  [[nodiscard]] bool try_push(value_type item) noexcept {
    std::size_t at = last_.load(std::memory_order_relaxed);
    for (;;) {
      slot& s = slots_[at & mask_];
      // Pairs with the release in try_pop(): what was in the slot has been read.
      const std::size_t turn = s.turn.load(std::memory_order_acquire);
      if (turn == at) {
        // The slot's turn orders what is in it, the counter only who gets it. Sequentially
        // consistent for a thread that looks whether the ring is occupied.
        if (last_.compare_exchange_weak(at, at + 1, std::memory_order_seq_cst,
                                        std::memory_order_relaxed)) [[likely]] {
          s.item.put(item);
          // Pairs with the acquire in try_pop().
          s.turn.store(at + 1, std::memory_order_release);
          return true;
        }
      } else if (turn < at) {
        return false;
      } else {
        at = last_.load(std::memory_order_relaxed);
      }
    }
  }

  /// True if there is an item, or one is being pushed.
  [[nodiscard]] bool occupied() const noexcept {
    // Relaxed: an older one only makes the ring seem fuller.
    return first_.load(std::memory_order_relaxed) != last_.load();
  }

  /// How many items have been pushed so far, or are being pushed.
  [[nodiscard]] std::size_t pushed() const noexcept { return last_.load(); }

  /// How many items have been popped so far.
  [[nodiscard]] std::size_t popped() const noexcept {
    // Only a number: relaxed.
    return first_.load(std::memory_order_relaxed);
  }

  /// Returns false if the ring is empty, or its first item is still being pushed.
  [[nodiscard]] bool try_pop(value_type& item) noexcept {
    std::size_t at = first_.load(std::memory_order_relaxed);
    for (;;) {
      slot& s = slots_[at & mask_];
      // Pairs with the release in try_push().
      const std::size_t turn = s.turn.load(std::memory_order_acquire);
      if (turn == at + 1) {
        // The slot's turn orders what is in it: relaxed.
        if (first_.compare_exchange_weak(at, at + 1, std::memory_order_relaxed,
                                         std::memory_order_relaxed)) [[likely]] {
          item = s.item.get();
          // Pairs with the acquire in try_push().
          s.turn.store(at + mask_ + 1, std::memory_order_release);
          return true;
        }
      } else if (turn < at + 1) {
        return false;
      } else {
        at = first_.load(std::memory_order_relaxed);
      }
    }
  }

  /// Pops the first item if accepts(item) is true. Returns false if that is not so, or another
  /// thread pops the item meanwhile.
  template <class Accepts>
  [[nodiscard]] bool pop_if(const Accepts& accepts) noexcept {
    // Relaxed: the exchange finds out.
    std::size_t at = first_.load(std::memory_order_relaxed);
    slot& s = slots_[at & mask_];
    // Pairs with the release in try_push(). Until the item is popped no other one is put there.
    if (s.turn.load(std::memory_order_acquire) != at + 1 || !accepts(s.item.get())) return false;
    // The slot's turn orders what is in it: relaxed.
    if (!first_.compare_exchange_strong(at, at + 1, std::memory_order_relaxed,
                                        std::memory_order_relaxed)) {
      return false;
    }
    // Pairs with the acquire in try_push().
    s.turn.store(at + mask_ + 1, std::memory_order_release);
    return true;
  }

 private:
  struct slot {
    atomic<std::size_t> turn{0};
    Cell item;
  };

  std::unique_ptr<slot[]> slots_;
  std::size_t mask_;
  alignas(64) atomic<std::size_t> last_{0};
  alignas(64) atomic<std::size_t> first_{0};
};

}  // namespace hocket
