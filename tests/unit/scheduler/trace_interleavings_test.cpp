// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "../execution/interleavings.hpp"
#include "tasks/span_ring.hpp"

namespace hocket {
namespace {

using interleavings::expect_none;
using interleavings::scenario;
using interleavings::search;
using interleavings::searched_atomics;

using ring = detail::span_ring<searched_atomics>;

/// Every second name needs two units of the ring, if it has them.
std::string name_of(std::uint64_t number) {
  return number % 2 == 0 ? std::string() : std::string(45, static_cast<char>('a' + number));
}
constexpr std::size_t in_one_unit = 40;

void push(ring& into, std::uint64_t number) {
  const auto begin = static_cast<std::int64_t>(10 * number);
  into.push(name_of(number), begin, begin + 1);
}

/// Whatever is read was pushed so, and nothing is missing in between.
void check_spans(const ring& from, std::size_t capacity, std::uint64_t pushed, bool at_the_end) {
  search& s = search::here();
  const std::size_t most = capacity == 1 ? in_one_unit : std::string::npos;
  const auto spans = from.read();
  for (std::size_t i = 0; i < spans.size(); ++i) {
    const auto& each = spans[i];
    s.require(each.number == spans.front().number + i, "a span is missing between others");
    s.require(each.number < pushed, "a span was never pushed");
    s.require(each.begin == static_cast<std::int64_t>(10 * each.number), "a begin is wrong");
    s.require(each.end == each.begin + 1, "an end is wrong");
    s.require(each.name == name_of(each.number).substr(0, most), "a name is wrong");
  }
  if (at_the_end) {
    s.require(!spans.empty() && spans.back().number + 1 == pushed, "the last span is not there");
  }
}

TEST(trace_interleavings, what_is_read_while_a_thread_writes_is_whole) {
  for (const std::size_t capacity : {1U, 2U, 4U}) {
    expect_none("ring", 2, [capacity] {
      constexpr std::uint64_t pushed = 4;
      auto r = std::make_shared<ring>(capacity);
      push(*r, 0);
      scenario result;
      result.threads.emplace_back([r] {
        for (std::uint64_t i = 1; i < pushed; ++i) push(*r, i);
      });
      result.threads.emplace_back([r, capacity] { check_spans(*r, capacity, pushed, false); });
      result.check = [r, capacity] { check_spans(*r, capacity, pushed, true); };
      return result;
    });
  }
}

TEST(trace_interleavings, a_ring_keeps_the_last_spans) {
  detail::span_ring<> four(4);
  for (std::int64_t i = 0; i < 1000; ++i) four.push("name", i, i + 1);
  const auto spans = four.read();
  ASSERT_EQ(spans.size(), 4U);
  EXPECT_EQ(spans.front().number, 996U);
  EXPECT_EQ(spans.back().begin, 999);
  EXPECT_EQ(spans.back().name, "name");
}

TEST(trace_interleavings, a_long_name_takes_the_place_of_other_spans) {
  detail::span_ring<> sixteen(16);
  for (std::int64_t i = 0; i < 16; ++i) sixteen.push({}, i, i + 1);
  const std::string most(432, 'x');
  sixteen.push(most + "y", 100, 101);
  const auto spans = sixteen.read();
  ASSERT_EQ(spans.size(), 9U);
  EXPECT_EQ(spans.front().number, 8U);
  EXPECT_EQ(spans.back().name, most);
}

}  // namespace
}  // namespace hocket
