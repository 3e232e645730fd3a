// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <cstdint>
#include <utility>

#include <hocket/execution/inbox.hpp>

namespace hocket::detail {

/// Consecutive indices, in one atomic word: their owner takes the first, others steal the upper
/// half.
template <class Atomics = real_atomics>
class index_range {
 public:
  using limits = std::pair<std::uint32_t, std::uint32_t>;  ///< the first, and one past the last

  /// Only for the owner, and only while it is empty.
  void assign(limits range) noexcept {
    // Release: a thread that steals from here sees what the owner knew, the tasks among others.
    word_.store(packed(range), std::memory_order_release);
  }

  /// Only for the owner. left: how many there are still.
  [[nodiscard]] bool take(std::uint32_t& index, std::uint32_t& left) noexcept {
    std::uint64_t seen = word_.load(std::memory_order_relaxed);
    limits range;
    do {
      range = unpacked(seen);
      if (range.first == range.second) return false;
      // Relaxed: others read only the word.
    } while (!word_.compare_exchange_weak(seen, packed({range.first + 1, range.second}),
                                          std::memory_order_relaxed, std::memory_order_relaxed));
    index = range.first;
    left = range.second - range.first - 1;
    return true;
  }

  /// Any thread. Returns an empty range if there is nothing, or if another thread was faster.
  [[nodiscard]] limits steal() noexcept {
    // Acquire: pairs with assign().
    std::uint64_t seen = word_.load(std::memory_order_acquire);
    const limits range = unpacked(seen);
    if (range.first == range.second) return {};
    const std::uint32_t middle = range.first + (range.second - range.first) / 2;
    const bool got = word_.compare_exchange_strong(
        seen, packed({range.first, middle}), std::memory_order_acquire, std::memory_order_relaxed);
    return got ? limits{middle, range.second} : limits{};
  }

  /// True if there was something, a moment ago.
  [[nodiscard]] bool occupied() const noexcept {
    // A hint, that nothing is read because of: relaxed.
    const limits range = unpacked(word_.load(std::memory_order_relaxed));
    return range.first != range.second;
  }

 private:
  static constexpr std::uint64_t packed(limits range) noexcept {
    return std::uint64_t{range.first} << 32U | range.second;
  }
  static constexpr limits unpacked(std::uint64_t word) noexcept {
    return {static_cast<std::uint32_t>(word >> 32U), static_cast<std::uint32_t>(word)};
  }

  typename Atomics::template atomic<std::uint64_t> word_{0};
};

}  // namespace hocket::detail
