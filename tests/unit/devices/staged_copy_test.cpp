// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <hocket/devices/staged_copy.hpp>

#include <gtest/gtest.h>

#include <vector>

namespace hocket {

namespace {

using bytes = std::vector<std::byte>;

copy_command columns(std::size_t rows, std::size_t width, std::size_t begin, std::size_t end) {
  const box region{{0, begin}, {rows, end}};
  return {{}, {}, {rows, width}, 1, region, region.elements()};
}

}  // namespace

TEST(staged_copy, chunks_have_their_bytes_and_runs_at_most) {
  const copy_command what = columns(100, 50, 10, 40);
  for (const std::uint64_t most : {7U, 64U, 1000U, 100'000U}) {
    for (const std::size_t runs : {1U, 3U, 1000U}) {
      std::uint64_t sum = 0;
      for (const staged_chunk& chunk : cut_into_chunks(what, most, runs)) {
        std::uint64_t staged = 0;
        EXPECT_LE(chunk.runs.size(), runs);
        for (const staged_chunk::run& r : chunk.runs) {
          EXPECT_EQ(r.staged, staged) << "they lie one behind the other";
          staged += r.bytes;
        }
        EXPECT_LE(staged, most);
        sum += staged;
      }
      EXPECT_EQ(sum, what.bytes);
    }
  }
  EXPECT_TRUE(cut_into_chunks(columns(4, 4, 2, 2), 64, 64).empty());
}

TEST(staged_copy, what_goes_in_comes_out) {
  const copy_command what = columns(20, 30, 5, 25);
  bytes from(600), to(600), staging(64);
  for (std::size_t i = 0; i < from.size(); ++i) from[i] = static_cast<std::byte>(i % 251 + 1);
  for (const staged_chunk& chunk : cut_into_chunks(what, staging.size(), 8)) {
    move_chunk(chunk, copy_direction::inbound, from.data(), staging.data());
    move_chunk(chunk, copy_direction::outbound, to.data(), staging.data());
  }
  for (std::size_t i = 0; i < from.size(); ++i) {
    const bool inside = i % 30 >= 5 && i % 30 < 25;
    EXPECT_EQ(to[i], inside ? from[i] : std::byte{0}) << i;
  }
}

}  // namespace hocket
