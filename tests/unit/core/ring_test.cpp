// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#include <deque>
#include <memory>
#include <random>

#include <gtest/gtest.h>

#include <hocket/core/ring.hpp>

namespace hocket {
namespace {

TEST(ring, gives_back_in_order_what_it_was_given) {
  ring<int> all;
  EXPECT_TRUE(all.empty());
  for (int i = 0; i < 20; ++i) all.push_back(i);
  EXPECT_EQ(all.size(), 20U);
  EXPECT_EQ(all[7], 7);
  EXPECT_EQ(all.back(), 19);
  for (int i = 0; i < 20; ++i) EXPECT_EQ(all.take_front(), i);
  EXPECT_TRUE(all.empty());
}

TEST(ring, a_dropped_value_is_gone_at_once) {
  ring<std::shared_ptr<int>> all;
  const auto value = std::make_shared<int>(1);
  for (int i = 0; i < 3; ++i) all.push_back(value);
  all.drop_back();
  EXPECT_EQ(value.use_count(), 3);
  (void)all.take_front();
  EXPECT_EQ(value.use_count(), 2);
  all.clear();
  EXPECT_EQ(value.use_count(), 1);
  EXPECT_TRUE(all.empty());
}

TEST(ring, does_what_a_deque_does) {
  std::mt19937 random(11);
  ring<int> all;
  std::deque<int> model;
  for (int step = 0; step < 20000; ++step) {
    // It runs full and empty in turn.
    const bool fills = step / 1000 % 2 == 0;
    if (model.empty() || random() % 4 < (fills ? 3U : 1U)) {
      all.push_back(step);
      model.push_back(step);
    } else if (random() % 8 == 0) {
      all.drop_back();
      model.pop_back();
    } else {
      EXPECT_EQ(all.take_front(), model.front());
      model.pop_front();
    }
    ASSERT_EQ(all.size(), model.size());
    std::size_t i = 0;
    for (const int value : all) ASSERT_EQ(value, model[i++]);
    if (all.empty()) all.shrink();
  }
}

}  // namespace
}  // namespace hocket
