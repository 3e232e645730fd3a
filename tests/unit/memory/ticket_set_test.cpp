// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <hocket/memory/ticket_set.hpp>

namespace hocket {
namespace {

using testing::ElementsAre;

ticket at(std::uint64_t stream, std::uint64_t value) { return {stream_id{stream}, value}; }

std::vector<ticket> list(const ticket_set& set) { return {set.begin(), set.end()}; }

TEST(ticket_set, keeps_the_latest_of_each_stream_in_order) {
  ticket_set set;
  set.add(at(5, 1));
  set.add(at(2, 7));
  set.add(at(5, 3));
  set.add(at(5, 2));
  EXPECT_THAT(list(set), ElementsAre(at(2, 7), at(5, 3)));
}

TEST(ticket_set, leaves_out_an_invalid_ticket) {
  ticket_set set;
  set.add(ticket{});
  EXPECT_TRUE(set.empty());
}

TEST(ticket_set, joins_another) {
  ticket_set a;
  a.add(at(1, 1));
  a.add(at(2, 9));
  ticket_set b;
  b.add(at(2, 4));
  b.add(at(3, 1));
  a.add(b);
  EXPECT_THAT(list(a), ElementsAre(at(1, 1), at(2, 9), at(3, 1)));
  a.add(a);
  EXPECT_EQ(a.size(), 3U);
}

TEST(ticket_set, prunes_what_is_done) {
  ticket_set set;
  for (std::uint64_t s = 0; s < 10; ++s) set.add(at(s, s));
  set.prune([](ticket t) { return t.value % 3 != 0; });
  EXPECT_THAT(list(set), ElementsAre(at(0, 0), at(3, 3), at(6, 6), at(9, 9)));
}

}  // namespace
}  // namespace hocket
