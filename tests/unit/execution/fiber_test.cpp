// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <gtest/gtest.h>

#include <array>
#include <memory>
#include <stdexcept>
#include <thread>
#include <vector>

#include "fiber.hpp"

namespace hocket {
namespace {

TEST(fiber, runs_bodies_one_after_another) {
  const auto f = fiber::create();
  int ran = 0;
  for (int i = 0; i < 3; ++i) {
    f->set_body([&] { ++ran; });
    EXPECT_TRUE(f->run());
  }
  EXPECT_EQ(ran, 3);
}

TEST(fiber, may_end_without_having_begun) { EXPECT_NE(fiber::create(), nullptr); }

TEST(fiber, is_left_and_gone_on_with) {
  const auto f = fiber::create();
  std::vector<int> order;
  f->set_body([&] {
    order.push_back(1);
    f->leave();
    order.push_back(3);
    f->leave();
    order.push_back(5);
  });
  EXPECT_FALSE(f->run());
  order.push_back(2);
  EXPECT_FALSE(f->run());
  order.push_back(4);
  EXPECT_TRUE(f->run());
  EXPECT_EQ(order, (std::vector<int>{1, 2, 3, 4, 5}));
}

TEST(fiber, is_gone_on_with_by_other_threads) {
  const auto f = fiber::create();
  std::vector<std::thread::id> threads;
  f->set_body([&] {
    std::array<int, 1000> kept{};
    for (int i = 0; i < 3; ++i) {
      kept.fill(i);
      threads.push_back(std::this_thread::get_id());
      f->leave();
      for (const int k : kept) EXPECT_EQ(k, i);
    }
  });
  for (int i = 0; i < 3; ++i) std::thread([&] { EXPECT_FALSE(f->run()); }).join();
  EXPECT_TRUE(f->run());
  EXPECT_EQ(threads.size(), 3U);
}

TEST(fiber, destroys_its_body_when_that_ends) {
  const auto held = std::make_shared<int>(0);
  const auto f = fiber::create();
  f->set_body([held] {});
  EXPECT_TRUE(f->run());
  EXPECT_EQ(held.use_count(), 1);
}

TEST(fiber, bodies_throw_and_catch) {
  const auto f = fiber::create();
  int caught = 0;
  f->set_body([&] {
    for (int i = 0; i < 2; ++i) {
      try {
        throw std::runtime_error("inside");
      } catch (const std::runtime_error&) {
        ++caught;
      }
      f->leave();
    }
  });
  while (!f->run()) {
  }
  EXPECT_EQ(caught, 2);
}

TEST(fiber, one_runs_another) {
  const auto outer = fiber::create();
  const auto inner = fiber::create();
  std::vector<int> order;
  inner->set_body([&] {
    order.push_back(1);
    inner->leave();
    order.push_back(4);
  });
  outer->set_body([&] {
    EXPECT_FALSE(inner->run());
    order.push_back(2);
    outer->leave();
    EXPECT_TRUE(inner->run());
  });
  EXPECT_FALSE(outer->run());
  order.push_back(3);
  EXPECT_TRUE(outer->run());
  EXPECT_EQ(order, (std::vector<int>{1, 2, 3, 4}));
}

}  // namespace
}  // namespace hocket
