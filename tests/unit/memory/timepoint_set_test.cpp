// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#include <algorithm>
#include <map>
#include <random>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <hocket/memory/timepoint_set.hpp>

namespace hocket {
namespace {

using testing::ElementsAre;

point at(std::uint64_t stream, std::uint64_t value) { return {stream_id{stream}, value}; }

std::vector<point> list(const timepoint_set& set) { return {set.begin(), set.end()}; }

TEST(timepoint_set, keeps_the_latest_of_each_stream_in_order) {
  timepoint_set set;
  set.add(at(5, 1));
  set.add(at(2, 7));
  set.add(at(5, 3));
  set.add(at(5, 2));
  EXPECT_THAT(list(set), ElementsAre(at(2, 7), at(5, 3)));
}

TEST(timepoint_set, leaves_out_an_invalid_timepoint) {
  timepoint_set set;
  set.add(point{});
  EXPECT_TRUE(set.empty());
}

TEST(timepoint_set, joins_another) {
  timepoint_set a;
  a.add(at(1, 1));
  a.add(at(2, 9));
  timepoint_set b;
  b.add(at(2, 4));
  b.add(at(3, 1));
  a.add(b);
  EXPECT_THAT(list(a), ElementsAre(at(1, 1), at(2, 9), at(3, 1)));
  a.add(a);
  EXPECT_EQ(a.size(), 3U);
}

// In whatever order they come, and whether or not they fit without an allocation.
TEST(timepoint_set, is_sorted_by_stream) {
  std::vector<std::uint64_t> streams{0, 1, 2, 3, 4, 5, 6};
  std::mt19937 random(3);
  for (int round = 0; round < 200; ++round) {
    std::shuffle(streams.begin(), streams.end(), random);
    const std::size_t count = 1 + static_cast<std::size_t>(round) % streams.size();
    timepoint_set set;
    std::map<std::uint64_t, std::uint64_t> latest;
    for (std::uint64_t value : {2U, 3U, 1U}) {
      for (std::size_t i = 0; i < count; ++i) {
        set.add(at(streams[i], value + i));
        latest[streams[i]] = std::max(latest[streams[i]], value + i);
      }
    }
    std::vector<point> expected;
    for (const auto& [stream, value] : latest) expected.push_back(at(stream, value));
    ASSERT_EQ(list(set), expected);
    timepoint_set joined;
    joined.add(at(streams[0], 1));
    joined.add(set);
    ASSERT_EQ(joined, set);
  }
}

TEST(timepoint_set, prunes_what_is_done) {
  timepoint_set set;
  for (std::uint64_t s = 0; s < 10; ++s) set.add(at(s, s));
  set.prune([](point t) { return t.value % 3 != 0; });
  EXPECT_THAT(list(set), ElementsAre(at(0, 0), at(3, 3), at(6, 6), at(9, 9)));
}

}  // namespace
}  // namespace hocket
