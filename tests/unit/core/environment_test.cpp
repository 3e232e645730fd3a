// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <limits>
#include <string>

#include <hocket/core/environment.hpp>
#include <hocket/core/error.hpp>

namespace hocket {
namespace {

using namespace std::chrono_literals;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST(parse_duration, knows_four_units) {
  EXPECT_EQ(parse_duration("wait", "1ms"), 1ms);
  EXPECT_EQ(parse_duration("wait", "500ms"), 500ms);
  EXPECT_EQ(parse_duration("wait", "10s"), 10s);
  EXPECT_EQ(parse_duration("wait", "2m"), 2min);
  EXPECT_EQ(parse_duration("wait", "1h"), 1h);
}

TEST(parse_duration, refuses_all_else_by_name) {
  for (const char* const text : {"", "s", "ms", "10", "10 s", " 10s", "-1s", "+1s", "0s", "0ms",
                                 "1.5s", "10us", "10sec", "10S", "s10", "10s ", "10ss"}) {
    try {
      (void)parse_duration("HOCKET_WATCHDOG", text);
      ADD_FAILURE() << text;
    } catch (const usage_error& wrong) {
      EXPECT_THAT(wrong.what(), AllOf(HasSubstr("HOCKET_WATCHDOG"), HasSubstr(text),
                                      HasSubstr("500ms, 10s, 2m or 1h")));
    }
  }
}

TEST(parse_duration, is_exact_up_to_the_longest_time) {
  EXPECT_EQ(parse_duration("wait", "9223372036s"), 9223372036s);
  EXPECT_THROW((void)parse_duration("wait", "9223372037s"), usage_error);
  EXPECT_THROW((void)parse_duration("wait", "2562048h"), usage_error);
  EXPECT_THROW((void)parse_duration("wait", "99999999999999999999s"), usage_error);
}

TEST(parse_bytes, knows_powers_of_1024) {
  EXPECT_EQ(parse_bytes("memory", "4096"), 4096U);
  EXPECT_EQ(parse_bytes("memory", "64K"), 64U << 10);
  EXPECT_EQ(parse_bytes("memory", "2G"), std::uint64_t{2} << 30);
  EXPECT_EQ(parse_bytes("memory", "16777215T"), std::uint64_t{16777215} << 40);
  for (const char* const text : {"", "K", "1k", "1KB", "-1", "1.5G", "16777216T", "1 K"}) {
    EXPECT_THROW((void)parse_bytes("memory", text), usage_error) << text;
  }
}

TEST(parse_number, keeps_to_its_bounds) {
  EXPECT_EQ(parse_number("lanes", "1", 1, 8), 1U);
  EXPECT_EQ(parse_number("lanes", "8", 1, 8), 8U);
  constexpr std::uint64_t most = std::numeric_limits<std::uint64_t>::max();
  EXPECT_EQ(parse_number("seed", "18446744073709551615", 0, most), most);
  for (const char* const text : {"", "0", "9", "-1", "1x", " 1", "18446744073709551616"}) {
    EXPECT_THROW((void)parse_number("lanes", text, 1, 8), usage_error) << text;
  }
}

TEST(split, keeps_empty_parts) {
  EXPECT_THAT(split("", ','), IsEmpty());
  EXPECT_THAT(split("a", ','), ElementsAre("a"));
  EXPECT_THAT(split("a,b", ','), ElementsAre("a", "b"));
  EXPECT_THAT(split(",a,,", ','), ElementsAre("", "a", "", ""));
}

}  // namespace
}  // namespace hocket
