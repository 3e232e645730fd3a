// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "conformance.hpp"

namespace hocket::testing {

TEST_P(conformance, allocations_are_aligned_and_apart) {
  std::vector<allocation> all;
  for (const std::size_t bytes :
       {std::size_t{1}, std::size_t{63}, std::size_t{64}, std::size_t{4097}, std::size_t{100000}}) {
    for (const std::size_t alignment :
         {std::size_t{1}, first().info().alignment, std::size_t{4096}}) {
      all.push_back(memory().allocate(bytes, alignment).value());
      EXPECT_GE(all.back().bytes, bytes);
      if (!runs_host_bodies()) continue;
      EXPECT_EQ(reinterpret_cast<std::uintptr_t>(all.back().address()) % alignment, 0U);
      std::memset(all.back().address(), 1, bytes);
    }
  }
  for (const allocation& a : all) memory().deallocate(a);
}

TEST_P(conformance, memory_that_is_not_there_is_refused_and_named) {
  const auto refused = memory().allocate(first().info().memory_bytes + 1, 64);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code(), failure_code::out_of_memory);
  EXPECT_NE(refused.error().message().find(first().info().name), std::string::npos);
}

TEST_P(conformance, memory_that_is_used_up_can_be_given_back) {
  const std::size_t piece = first().info().memory_bytes / 8;
  for (int round = 0; round < 2; ++round) {
    std::vector<allocation> all;
    for (auto made = memory().allocate(piece, 64); made; made = memory().allocate(piece, 64)) {
      all.push_back(made.value());
      ASSERT_LE(all.size(), 8U) << "more than the device has";
    }
    EXPECT_GE(all.size(), 7U);
    for (const allocation& a : all) memory().deallocate(a);
  }
}

}  // namespace hocket::testing
