// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace hocket::placement {

/// A set of numbers below a bound: one bit for each.
class number_set {
 public:
  explicit number_set(std::size_t bound) : words_((bound + bits - 1) / bits, 0) {}

  void insert(std::size_t number) noexcept { set(number, true); }
  /// Inserts the number, or erases it.
  void set(std::size_t number, bool in) noexcept {
    std::uint64_t& word = words_[number / bits];
    const std::uint64_t bit = std::uint64_t{1} << (number % bits);
    if (((word & bit) != 0) == in) return;
    word ^= bit;
    in ? ++size_ : --size_;
  }
  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] bool empty() const noexcept { return size_ == 0; }

  /// The smallest number. Precondition: not empty.
  [[nodiscard]] std::size_t first() const noexcept {
    std::size_t i = 0;
    while (words_[i] == 0) ++i;
    return number_of(i, words_[i]);
  }

  /// Calls visit(number) for each, in order, until it returns true. The set must not change
  /// meanwhile.
  template <class Visit>
  void until(const Visit& visit) const {
    for (std::size_t i = 0; i < words_.size(); ++i) {
      for (std::uint64_t left = words_[i]; left != 0; left &= left - 1) {
        if (visit(number_of(i, left))) return;
      }
    }
  }

  /// Empties the set and calls visit(number) for each of its numbers, in order. A number that is
  /// inserted meanwhile is either visited as well or stays.
  template <class Visit>
  void take_each(const Visit& visit) {
    for (std::size_t i = 0; size_ > 0 && i < words_.size(); ++i) {
      for (std::uint64_t left = std::exchange(words_[i], 0); left != 0; left &= left - 1) {
        --size_;
        visit(number_of(i, left));
      }
    }
  }

 private:
  static constexpr std::size_t bits = 64;

  [[nodiscard]] static std::size_t number_of(std::size_t word, std::uint64_t left) noexcept {
    return word * bits + static_cast<std::size_t>(std::countr_zero(left));
  }

  std::vector<std::uint64_t> words_;
  std::size_t size_ = 0;
};

}  // namespace hocket::placement
