// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <hocket/execution/inbox.hpp>

namespace hocket::detail {

/// Numbers that their owner pushes and takes at one end, the newest first, while others steal them
/// at the other, the oldest first (Chase and Lev, "Dynamic circular work-stealing deque", with a
/// fixed size). A thread that gets a number sees what was written before it was pushed.
template <class Atomics = real_atomics>
class steal_deque {
 public:
  /// Makes room for so many at a time. While no other thread knows of the deque.
  void reserve(std::size_t most) {
    const std::size_t wanted = std::bit_ceil(most);
    if (wanted <= cells_.size()) return;
    cells_ = std::vector<cell>(wanted);
    mask_ = static_cast<std::int64_t>(wanted - 1);
  }

  /// Only for the owner, as take() is. There must be room.
  void push(std::uint32_t value) noexcept {
    // Relaxed: only the owner writes the bottom. The cell's content is published by the bottom.
    const std::int64_t bottom = bottom_.load(std::memory_order_relaxed);
    at(bottom).store(value, std::memory_order_relaxed);
    // Release: pairs with the load in steal().
    bottom_.store(bottom + 1, std::memory_order_release);
  }

  [[nodiscard]] bool take(std::uint32_t& value) noexcept {
    const std::int64_t bottom = bottom_.load(std::memory_order_relaxed) - 1;
    // The top only grows: where it has reached the bottom there is nothing. Relaxed: if it has
    // grown meanwhile, what follows finds out.
    if (bottom < top_.load(std::memory_order_relaxed)) return false;
    // Sequentially consistent, as the load of the top and those in steal(): either a thief sees
    // that the last one is being taken, or the owner sees that it was stolen.
    bottom_.store(bottom, std::memory_order_seq_cst);
    std::int64_t top = top_.load(std::memory_order_seq_cst);
    bool got = top <= bottom;
    if (got) value = at(bottom).load(std::memory_order_relaxed);
    if (top < bottom) return true;
    if (got) {
      got = top_.compare_exchange_strong(top, top + 1, std::memory_order_seq_cst,
                                         std::memory_order_relaxed);
    }
    // Release, as in push(): what lies below was published by stores that this one hides.
    bottom_.store(bottom + 1, std::memory_order_release);
    return got;
  }

  /// Any thread. Returns false if there is nothing, or if another thread was faster.
  [[nodiscard]] bool steal(std::uint32_t& value) noexcept {
    std::int64_t top = top_.load(std::memory_order_seq_cst);
    // Acquires what push() has released.
    if (top >= bottom_.load(std::memory_order_seq_cst)) return false;
    // Relaxed: if the owner has put another number here since, the top has moved.
    value = at(top).load(std::memory_order_relaxed);
    return top_.compare_exchange_strong(top, top + 1, std::memory_order_seq_cst,
                                        std::memory_order_relaxed);
  }

  /// True if there was something, a moment ago.
  [[nodiscard]] bool occupied() const noexcept {
    // A hint, that nothing is read because of: relaxed.
    return top_.load(std::memory_order_relaxed) < bottom_.load(std::memory_order_relaxed);
  }

 private:
  using cell = typename Atomics::template atomic<std::uint32_t>;

  [[nodiscard]] cell& at(std::int64_t index) noexcept {
    return cells_[static_cast<std::size_t>(index & mask_)];
  }

  alignas(64) typename Atomics::template atomic<std::int64_t> top_{0};
  alignas(64) typename Atomics::template atomic<std::int64_t> bottom_{0};
  std::int64_t mask_ = 0;
  std::vector<cell> cells_;
};

}  // namespace hocket::detail
