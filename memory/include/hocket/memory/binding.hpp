// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <optional>

#include <hocket/core/shape.hpp>

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

/// How many bytes a kernel's argument has that is this region of a buffer, from its first element
/// to its last. With elements that are no power of two it may begin some of them earlier, where a
/// device's own unit and theirs meet.
[[nodiscard]] inline std::uint64_t bytes_to_bind(const box& region, const index_list& extents,
                                                 std::uint64_t element_size) {
  if (region.empty()) return 0;
  const index_list strides = dense_strides(extents);
  std::uint64_t span = 1;
  for (std::size_t i = 0; i < strides.size(); ++i) {
    span += (region.end[i] - region.begin[i] - 1) * strides[i];
  }
  constexpr std::uint64_t largest_unit = 256;
  const std::uint64_t before =
      std::has_single_bit(element_size) ? 0 : std::lcm(largest_unit, element_size);
  return span * element_size + before;
}

}  // namespace hocket
