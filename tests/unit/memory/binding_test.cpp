// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <gtest/gtest.h>

#include <cstdint>
#include <optional>

#include <hocket/memory/binding.hpp>

namespace hocket {
namespace {

/// The first place by trying all of them, as far as elements go.
std::optional<std::uint64_t> searched(std::uint64_t begin, std::uint64_t size, std::uint64_t unit) {
  for (std::uint64_t before = 0; before <= begin; before += size) {
    if ((begin - before) % unit == 0) return before;
  }
  return std::nullopt;
}

TEST(Binding, BeginsWholeElementsBeforeTheRegion) {
  EXPECT_EQ(bytes_before(260, 4, 256), 4U);
  EXPECT_EQ(bytes_before(16, 12, 16), 0U);
  EXPECT_EQ(bytes_before(24, 12, 16), 24U);
  EXPECT_EQ(bytes_before(4096 + 48, 12, 256), 48U);
}

TEST(Binding, IsNotThereWhereUnitsAndElementsDoNotMeet) {
  EXPECT_EQ(bytes_before(16, 12, 256), std::nullopt) << "they meet before the memory begins";
  EXPECT_EQ(bytes_before(4096 + 16, 32, 256), std::nullopt) << "they never meet";
  EXPECT_EQ(bytes_before(4096 + 18, 12, 256), std::nullopt);
}

TEST(Binding, IsFoundWhereThereIsOne) {
  for (const std::uint64_t unit : {1U, 4U, 16U, 64U, 256U}) {
    for (const std::uint64_t size : {1U, 4U, 6U, 8U, 12U, 20U, 32U, 520U}) {
      for (std::uint64_t begin = 0; begin < 5000; begin += 2) {
        const auto found = bytes_before(begin, size, unit), wanted = searched(begin, size, unit);
        ASSERT_EQ(found, wanted) << begin << ' ' << size << ' ' << unit;
      }
    }
  }
}

}  // namespace
}  // namespace hocket
