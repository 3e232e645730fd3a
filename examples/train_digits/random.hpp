// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <cstdint>

namespace train {

/// The finaliser of splitmix64: a bijection of 64-bit words that looks random. With a counter as
/// its argument it is a generator whose n-th number needs none before it.
[[nodiscard]] constexpr std::uint64_t scramble(std::uint64_t x) noexcept {
  x += 0x9e3779b97f4a7c15U;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9U;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebU;
  return x ^ (x >> 31);
}

/// A stream of random words that is independent of those of other (seed, purpose) pairs.
class counter_random {
 public:
  constexpr counter_random(std::uint64_t seed, std::uint64_t purpose) noexcept
      : key_(scramble(scramble(seed) ^ purpose)) {}

  [[nodiscard]] constexpr std::uint64_t word(std::uint64_t index) const noexcept {
    return scramble(key_ ^ index);
  }

  /// The index-th number of 0 .. bound - 1.
  [[nodiscard]] constexpr std::uint32_t below(std::uint64_t index,
                                              std::uint32_t bound) const noexcept {
    return static_cast<std::uint32_t>(((word(index) >> 32) * bound) >> 32);
  }

  /// The index-th number of mean 0 and variance 1, nearly normal: the sum of twelve uniform
  /// integers. No call of the mathematical library is in it, so that every machine gets the same
  /// bits.
  [[nodiscard]] double normal(std::uint64_t index) const noexcept;

 private:
  std::uint64_t key_;
};

}  // namespace train
