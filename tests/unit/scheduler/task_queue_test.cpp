// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "placement/task_queue.hpp"

#include <gtest/gtest.h>

#include <random>
#include <set>
#include <vector>

#include "placement/number_set.hpp"

using hocket::placement::number_set;
using hocket::placement::place_in_queue;
using hocket::placement::task_queue;

namespace {

std::vector<place_in_queue> all_of(const task_queue& queue) {
  std::vector<place_in_queue> all;
  EXPECT_FALSE(queue.until([&](const place_in_queue& place) {
    all.push_back(place);
    return false;
  }));
  return all;
}

std::vector<place_in_queue> all_from_last(const task_queue& queue) {
  std::vector<place_in_queue> all;
  EXPECT_FALSE(queue.until_from_last([&](const place_in_queue& place) {
    all.push_back(place);
    return false;
  }));
  return all;
}

TEST(task_queue, is_ordered_by_rank_and_then_by_age) {
  task_queue queue;
  EXPECT_TRUE(queue.empty());
  const place_in_queue late{{1}, 1}, early{{-1}, 9}, middle{{-1}, 12};
  for (const place_in_queue& p : {middle, late, early}) queue.insert(p);
  EXPECT_EQ(all_of(queue), (std::vector{early, middle, late}));
  EXPECT_EQ(all_from_last(queue), (std::vector{late, middle, early}));
}

TEST(task_queue, a_visit_ends_where_it_is_told_to) {
  task_queue queue;
  for (std::uint64_t i = 0; i < 5; ++i) queue.insert({{0}, i});
  int visited = 0;
  EXPECT_TRUE(queue.until([&](const place_in_queue& p) { return ++visited, p.age == 2; }));
  EXPECT_EQ(visited, 3);
}

TEST(task_queue, says_whether_it_had_what_is_erased) {
  task_queue queue;
  for (std::uint64_t i = 0; i < 5; ++i) queue.insert({{0}, i});
  EXPECT_TRUE(queue.erase({{0}, 2}));
  EXPECT_FALSE(queue.erase({{0}, 2}));
  EXPECT_FALSE(queue.erase({{1}, 3}));
  EXPECT_TRUE(queue.erase({{0}, 0}));
  EXPECT_EQ(all_of(queue).size(), 3U);
}

// Tasks come in order and out of it, and leave from the front, from the back and from between.
TEST(task_queue, does_what_a_set_does) {
  std::mt19937 random(3);
  const auto below = [&](std::size_t n) {
    return std::uniform_int_distribution<std::size_t>(0, n - 1)(random);
  };
  task_queue queue;
  std::set<place_in_queue> model;
  for (std::uint64_t step = 0; step < 20000; ++step) {
    const bool fills = step / 500 % 2 == 0;
    if (model.empty() || below(4) < (fills ? 3U : 1U)) {
      const place_in_queue made{{below(8) == 0 ? -1 : 0}, step};
      queue.insert(made);
      model.insert(made);
    } else {
      auto at = model.begin();
      if (below(3) == 0) std::advance(at, static_cast<std::ptrdiff_t>(below(model.size())));
      if (below(5) == 0) at = std::prev(model.end());
      EXPECT_TRUE(queue.erase(*at));
      model.erase(at);
    }
    ASSERT_EQ(queue.empty(), model.empty());
    if (step % 16 != 0) continue;
    ASSERT_EQ(all_of(queue), std::vector(model.begin(), model.end()));
    ASSERT_EQ(all_from_last(queue), std::vector(model.rbegin(), model.rend()));
  }
}

TEST(number_set, has_each_number_once_and_in_order) {
  number_set some(200);
  EXPECT_TRUE(some.empty());
  for (const std::size_t n : {130U, 5U, 64U, 5U, 199U, 0U}) some.insert(n);
  EXPECT_EQ(some.first(), 0U);
  some.set(130, false);
  some.set(7, false);
  EXPECT_EQ(some.size(), 4U);
  std::vector<std::size_t> seen;
  some.until([&](std::size_t n) {
    seen.push_back(n);
    return n == 64;
  });
  EXPECT_EQ(seen, (std::vector<std::size_t>{0, 5, 64}));
  seen.clear();
  some.take_each([&](std::size_t n) { seen.push_back(n); });
  EXPECT_EQ(seen, (std::vector<std::size_t>{0, 5, 64, 199}));
  EXPECT_TRUE(some.empty());
  some.take_each([](std::size_t) { ADD_FAILURE() << "a number is in an empty set"; });
}

TEST(number_set, keeps_what_is_inserted_while_others_are_taken_out) {
  number_set some(200);
  some.insert(70);
  some.take_each([&](std::size_t n) { some.insert(n); });
  EXPECT_EQ(some.size(), 1U);
  some.take_each([](std::size_t n) { EXPECT_EQ(n, 70U); });
  EXPECT_TRUE(some.empty());
}

}  // namespace
