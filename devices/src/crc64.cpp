// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "crc64.hpp"

#include <array>
#include <bit>
#include <cstring>

namespace hocket {

namespace {

/// tables[k][b]: what the byte b adds to the remainder when k other bytes follow it. With eight of
/// them eight bytes are one step; Boost.CRC, with one table, takes almost four times as long.
using remainder_tables = std::array<std::array<std::uint64_t, 256>, 8>;

consteval remainder_tables make_tables() {
  constexpr std::uint64_t polynomial = 0xC96C5795D7870F42;  // of ECMA-182, lowest power first
  remainder_tables made{};
  for (std::size_t byte = 0; byte < 256; ++byte) {
    std::uint64_t remainder = byte;
    for (int bit = 0; bit < 8; ++bit) {
      remainder = (remainder >> 1U) ^ ((remainder & 1U) != 0 ? polynomial : 0);
    }
    made[0][byte] = remainder;
  }
  for (std::size_t k = 1; k < made.size(); ++k) {
    for (std::size_t byte = 0; byte < 256; ++byte) {
      const std::uint64_t before = made[k - 1][byte];
      made[k][byte] = (before >> 8U) ^ made[0][before & 0xFFU];
    }
  }
  return made;
}

constexpr remainder_tables tables = make_tables();

static_assert(std::endian::native == std::endian::little, "A step takes the first byte as lowest.");

}  // namespace

void crc64::add(const void* bytes, std::size_t count) noexcept {
  const auto* at = static_cast<const unsigned char*>(bytes);
  std::uint64_t state = state_;
  for (; count >= sizeof state; count -= sizeof state, at += sizeof state) {
    std::uint64_t eight = 0;
    std::memcpy(&eight, at, sizeof eight);
    eight ^= state;
    state = 0;
    for (unsigned k = 0; k < tables.size(); ++k) {
      state ^= tables[tables.size() - 1 - k][(eight >> (8 * k)) & 0xFFU];
    }
  }
  for (; count > 0; --count, ++at) state = (state >> 8U) ^ tables[0][(state ^ *at) & 0xFFU];
  state_ = state;
}

}  // namespace hocket
