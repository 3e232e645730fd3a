// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <cstdint>
#include <numeric>
#include <optional>

namespace hocket {

/// How many bytes of whole elements of `size` bytes lie between `begin` and the next place before
/// it that a device can bind memory from, a multiple of `unit`. None where no such place is there:
/// multiples of the unit and the elements may never meet, or meet only before the memory begins.
[[nodiscard]] constexpr std::optional<std::uint64_t> bytes_before(std::uint64_t begin,
                                                                  std::uint64_t size,
                                                                  std::uint64_t unit) noexcept {
  if (unit % size == 0 && begin % size == 0) return begin % unit;
  const std::uint64_t repeats = std::lcm(unit, size);
  for (std::uint64_t before = 0; before <= begin && before < repeats; before += size) {
    if ((begin - before) % unit == 0) return before;
  }
  return std::nullopt;
}

}  // namespace hocket
