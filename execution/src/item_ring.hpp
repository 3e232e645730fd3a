// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>

#include <hocket/execution/inbox.hpp>

namespace hocket {

/// A queue of bounded length, first in first out, for many threads on both ends: one exchange of a
/// counter for each operation, and no memory. After D. Vyukov's bounded MPMC queue: each slot knows
/// whose turn it is.
template <class T, class Atomics = real_atomics>
class item_ring {
 public:
  /// capacity is a power of two.
  explicit item_ring(std::size_t capacity)
      : slots_(std::make_unique<slot[]>(capacity)), mask_(capacity - 1) {
    assert(capacity > 1 && (capacity & mask_) == 0);
    // Nobody else knows the ring as yet: relaxed.
    for (std::size_t i = 0; i < capacity; ++i) slots_[i].turn.store(i, std::memory_order_relaxed);
  }

  /// Returns the item's number, which is how many were pushed before, or nothing if the ring is full.
  [[nodiscard]] std::optional<std::size_t> try_push(T item) noexcept {
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
          s.item = item;
          // Pairs with the acquire in try_pop().
          s.turn.store(at + 1, std::memory_order_release);
          return at;
        }
      } else if (turn < at) {
        return std::nullopt;
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

  /// How many items have been taken so far.
  [[nodiscard]] std::size_t taken() const noexcept {
    // Only a number: relaxed.
    return first_.load(std::memory_order_relaxed);
  }

  /// Returns false if the ring is empty, or its first item is still being pushed.
  [[nodiscard]] bool try_pop(T& item) noexcept {
    std::size_t at = first_.load(std::memory_order_relaxed);
    for (;;) {
      slot& s = slots_[at & mask_];
      // Pairs with the release in try_push().
      const std::size_t turn = s.turn.load(std::memory_order_acquire);
      if (turn == at + 1) {
        // The slot's turn orders what is in it: relaxed.
        if (first_.compare_exchange_weak(at, at + 1, std::memory_order_relaxed,
                                         std::memory_order_relaxed)) [[likely]] {
          item = s.item;
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

  /// Takes the item that the caller has pushed with this number, if it is the first.
  [[nodiscard]] bool take_back(std::size_t number) noexcept {
    // Relaxed, as in try_pop(): the caller knows the item, which is there while it is the first.
    std::size_t at = first_.load(std::memory_order_relaxed);
    if (at != number || !first_.compare_exchange_strong(at, at + 1, std::memory_order_relaxed,
                                                        std::memory_order_relaxed)) {
      return false;
    }
    // Pairs with the acquire in try_push().
    slots_[at & mask_].turn.store(at + mask_ + 1, std::memory_order_release);
    return true;
  }

 private:
  struct slot {
    typename Atomics::template atomic<std::size_t> turn{0};
    typename Atomics::template plain<T> item{};
  };

  std::unique_ptr<slot[]> slots_;
  std::size_t mask_;
  alignas(64) typename Atomics::template atomic<std::size_t> last_{0};
  alignas(64) typename Atomics::template atomic<std::size_t> first_{0};
};

}  // namespace hocket
