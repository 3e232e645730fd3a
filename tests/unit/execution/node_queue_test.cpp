// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "node_queue.hpp"

#include <gtest/gtest.h>

#include <oneapi/tbb/task_arena.h>

#include <functional>

#include "machine.hpp"

namespace hocket {
namespace {

TEST(node_queue, keeps_one_worker_of_a_node_from_standing_still) {
  const auto two_cores = testing::machine("numa:1 core:2 pu:1");
  tbb::task_arena arena(1);
  const std::function<void()> no_look;
  node_queue queue(this, 0, *two_cores, arena, 3, no_look);
  for (int round = 0; round < 3; ++round) {
    EXPECT_TRUE(queue.park());
    EXPECT_FALSE(queue.park()) << "it is the last one";
    EXPECT_FALSE(queue.park()) << "who was refused does not count";
    queue.unpark();
  }
}

}  // namespace
}  // namespace hocket
