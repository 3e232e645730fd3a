// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "placement/engine_history.hpp"

#include <gtest/gtest.h>

#include <random>
#include <set>
#include <utility>

namespace hocket::placement {
namespace {

constexpr std::size_t rows = 12;
const box all = box::whole({rows});

using edges = std::set<std::pair<task_id, edge_kind>>;

task_access access_to(const box& region, access_mode mode) {
  static std::vector<array_part_ref> parts;
  parts.push_back(part_of_array(element_type::f32, {rows}, region));
  return {data_id{0}, parts.back().get(), mode, region == all};
}

/// An order with and one without a way of its own for all of a buffer, which are to agree.
class both_chains {
 public:
  void append(task_id task, const box& region, access_mode mode) {
    const auto live = [&](task_id each) { return !ended_.contains(each); };
    edges found, expected;
    const auto into = [&](edges& where) {
      return [&](task_id earlier, edge_kind kind) {
        if (live(earlier)) where.insert({earlier, kind});
      };
    };
    chain_.append(task, access_to(region, mode), all, live, into(found));
    plain_.append(task, region, mode, live, into(expected));
    ASSERT_EQ(found, expected) << "task " << task.value;
    const auto unissued = [&](task_id each) { return live(each) && each.value % 3 != 0; };
    ASSERT_EQ(chain_.next_user(unissued), plain_.next_user(unissued)) << "task " << task.value;
  }
  void end(task_id task) {
    ended_.insert(task);
    chain_.ended(task);
  }

 private:
  engine_history chain_;
  access_history plain_;
  std::set<task_id> ended_;
};

TEST(engine_history, orders_uses_of_all_and_of_parts_as_boxes_do) {
  std::mt19937 random(20261121);
  const auto below = [&](std::size_t bound) { return random() % bound; };
  for (int round = 0; round < 300; ++round) {
    both_chains chains;
    const std::size_t parts_in_ten = below(10);  // from only all to mostly parts
    for (std::uint64_t task = 0; task < 60; ++task) {
      const std::size_t begin = below(rows);
      const std::size_t end = begin + 1 + below(rows - begin);
      const box region = below(10) < parts_in_ten ? box{{begin}, {end}} : all;
      const auto mode = static_cast<access_mode>(below(3));
      chains.append(task_id{task}, region, mode);
      if (HasFatalFailure()) return;
      if (below(2) == 0) chains.end(task_id{below(task + 1)});
    }
  }
}

TEST(engine_history, forgets_readers_that_have_ended) {
  engine_history chain;
  std::size_t asked = 0;
  const auto live = [&](task_id) {
    ++asked;
    return false;
  };
  const auto nothing = [](task_id, edge_kind) { ADD_FAILURE() << "they have ended"; };
  for (std::uint64_t task = 0; task < 10000; ++task) {
    chain.append(task_id{task}, access_to(all, access_mode::read), all, live, nothing);
  }
  EXPECT_LE(asked, 10000U);
  std::size_t reported = 0;
  chain.append(task_id{10000}, access_to(all, access_mode::write), all, live,
               [&](task_id, edge_kind) { ++reported; });
  EXPECT_LE(reported, 16U);
}

}  // namespace
}  // namespace hocket::placement
