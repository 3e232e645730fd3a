// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <array>
#include <bit>
#include <cstdint>

namespace hocket {

/// The splitmix64 generator: one step of state, and a well mixed number.
[[nodiscard]] constexpr std::uint64_t splitmix64(std::uint64_t& state) noexcept {
  state += 0x9e3779b97f4a7c15U;
  std::uint64_t mixed = state;
  mixed = (mixed ^ (mixed >> 30U)) * 0xbf58476d1ce4e5b9U;
  mixed = (mixed ^ (mixed >> 27U)) * 0x94d049bb133111ebU;
  return mixed ^ (mixed >> 31U);
}

/// A stream of random numbers, the same on every machine (xoshiro256**). One seed gives many
/// streams that are independent: taking numbers from one does not change the others.
class seeded_stream {
 public:
  constexpr explicit seeded_stream(std::uint64_t seed, std::uint64_t stream = 0) noexcept {
    std::uint64_t mixed = stream;
    std::uint64_t state = seed ^ splitmix64(mixed);
    for (auto& word : state_) word = splitmix64(state);
  }

  constexpr std::uint64_t next() noexcept {
    const std::uint64_t value = std::rotl(state_[1] * 5, 7) * 9;
    const std::uint64_t shifted = state_[1] << 17U;
    state_[2] ^= state_[0];
    state_[3] ^= state_[1];
    state_[1] ^= state_[2];
    state_[0] ^= state_[3];
    state_[2] ^= shifted;
    state_[3] = std::rotl(state_[3], 45);
    return value;
  }

  /// A number in [0, bound), every one equally likely; bound is at least 1.
  constexpr std::uint64_t below(std::uint64_t bound) noexcept {
    // Numbers under 2^64 mod bound are drawn again: the rest divides evenly.
    const std::uint64_t uneven = (0 - bound) % bound;
    std::uint64_t drawn = next();
    while (drawn < uneven) drawn = next();
    return drawn % bound;
  }

  /// A number in [0, 1).
  constexpr double uniform() noexcept { return static_cast<double>(next() >> 11U) * 0x1.0p-53; }

  constexpr bool chance(double probability) noexcept { return uniform() < probability; }

 private:
  std::array<std::uint64_t, 4> state_{};
};

}  // namespace hocket
