// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "schedule.hpp"

#include <gtest/gtest.h>

#include <random>
#include <set>
#include <vector>

#include <hocket/core/error.hpp>

namespace train {
namespace {

constexpr std::array all_schedules{schedule::none, schedule::gpipe, schedule::one_f_one_b};

std::vector<double> equal(std::size_t stages, double time) {
  return std::vector<double>(stages, time);
}

TEST(Schedule, EqualStagesHaveTheBubbleOfTheFormula) {
  for (std::size_t p = 1; p <= 9; ++p) {
    for (const std::size_t m : {1U, 2U, 3U, 4U, 7U, 8U, 16U, 24U, 65U}) {
      const double expected = static_cast<double>(p - 1) / static_cast<double>(m + p - 1);
      for (const schedule kind : {schedule::gpipe, schedule::one_f_one_b}) {
        EXPECT_NEAR(bubble(kind, equal(p, 1), equal(p, 2), m), expected, 1e-12)
            << to_string(kind) << " p=" << p << " m=" << m;
        EXPECT_DOUBLE_EQ(makespan(kind, equal(p, 1), equal(p, 2), m),
                         3 * static_cast<double>(m + p - 1));
      }
      EXPECT_NEAR(bubble(schedule::none, equal(p, 1), equal(p, 2), m),
                  1 - 1 / static_cast<double>(p), 1e-12);
    }
  }
}

TEST(Schedule, GoldenMakespans) {
  EXPECT_EQ(makespan(schedule::gpipe, equal(8, 1), equal(8, 2), 24), 93);
  EXPECT_EQ(makespan(schedule::one_f_one_b, equal(8, 1), equal(8, 2), 24), 93);
  EXPECT_EQ(makespan(schedule::none, equal(8, 1), equal(8, 2), 24), 576);
  EXPECT_NEAR(bubble(schedule::one_f_one_b, equal(8, 1), equal(8, 2), 24), 0.2258, 5e-5);
}

// By hand: stage 0 takes 1 + 1, stage 1 takes 2 + 3.
TEST(Schedule, UnequalStagesByHand) {
  const std::vector<double> forward{1, 2};
  const std::vector<double> backward{1, 3};
  // F 1..3, 3..5, then B 5..8, 8..11 on stage 1; the last B of stage 0 ends at 12.
  EXPECT_EQ(makespan(schedule::gpipe, forward, backward, 2), 12);
  // Stage 1: F 1..3, B 3..6, F 6..8, B 8..11; the last B of stage 0 ends at 12.
  EXPECT_EQ(makespan(schedule::one_f_one_b, forward, backward, 2), 12);
  EXPECT_EQ(makespan(schedule::none, forward, backward, 2), 14);
  EXPECT_NEAR(bubble(schedule::gpipe, forward, backward, 2), 1 - 14.0 / 24, 1e-12);
}

TEST(Schedule, NoScheduleBeatsTheLowerBounds) {
  const unsigned seed = std::random_device{}();
  SCOPED_TRACE(testing::Message() << "seed " << seed);
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> time(0.1, 2);
  for (int round = 0; round < 200; ++round) {
    const std::size_t p = 1 + random() % 6;
    const std::size_t m = 1 + random() % 12;
    std::vector<double> forward(p), backward(p);
    double chain = 0;
    double longest_stage = 0;
    for (std::size_t stage = 0; stage < p; ++stage) {
      forward[stage] = time(random);
      backward[stage] = time(random);
      chain += forward[stage] + backward[stage];
      longest_stage = std::max(longest_stage, forward[stage] + backward[stage]);
    }
    const double serial = makespan(schedule::none, forward, backward, m);
    for (const schedule kind : all_schedules) {
      const double result = makespan(kind, forward, backward, m);
      EXPECT_GE(result, static_cast<double>(m) * longest_stage - 1e-9);
      EXPECT_GE(result, chain - 1e-9);
      EXPECT_LE(result, serial + 1e-9);
      EXPECT_GE(bubble(kind, forward, backward, m), -1e-12);
      EXPECT_LT(bubble(kind, forward, backward, m), 1);
    }
  }
}

TEST(Schedule, TheOrderOfAStageKeepsItsSlotsAndTheOrderOfMicroBatches) {
  for (const schedule kind : all_schedules) {
    for (std::size_t p = 1; p <= 6; ++p) {
      for (std::size_t m = 1; m <= 10; ++m) {
        for (std::size_t stage = 0; stage < p; ++stage) {
          std::size_t forward = 0, backward = 0, most = 0;
          for (const pipeline_task& task : stage_order(kind, stage, p, m)) {
            std::size_t& next = task.way == direction::forward ? forward : backward;
            ASSERT_EQ(task.micro_batch, next++);
            ASSERT_LE(backward, forward);
            most = std::max(most, forward - backward);
          }
          EXPECT_EQ(forward, m);
          EXPECT_EQ(backward, m);
          EXPECT_EQ(most, slots(kind, stage, p, m)) << to_string(kind) << stage << p << m;
        }
      }
    }
  }
}

TEST(Schedule, FirstStageOf1F1B) {
  using enum direction;
  const std::vector<pipeline_task> expected{{forward, 0},  {forward, 1},  {backward, 0},
                                            {forward, 2},  {backward, 1}, {forward, 3},
                                            {backward, 2}, {backward, 3}};
  EXPECT_EQ(stage_order(schedule::one_f_one_b, 0, 2, 4), expected);
}

TEST(Schedule, PrioritiesOfAStageAreDistinctWhereOrderMatters) {
  for (const schedule kind : {schedule::gpipe, schedule::one_f_one_b}) {
    std::set<std::int64_t> seen;
    for (std::size_t micro = 0; micro < 20; ++micro) {
      for (const direction way : {direction::forward, direction::backward}) {
        EXPECT_TRUE(seen.insert(priority(kind, 1, 4, micro, way)).second);
      }
    }
  }
  EXPECT_EQ(priority(schedule::none, 1, 4, 3, direction::backward), 0);
}

TEST(Schedule, AnEmptyPipelineIsWrongUse) {
  EXPECT_THROW(static_cast<void>(makespan(schedule::gpipe, {}, {}, 1)), hocket::usage_error);
  EXPECT_THROW(static_cast<void>(bubble(schedule::gpipe, equal(2, 1), equal(1, 1), 1)),
               hocket::usage_error);
  EXPECT_THROW(static_cast<void>(bubble(schedule::gpipe, equal(2, 1), equal(2, 1), 0)),
               hocket::usage_error);
}

}  // namespace
}  // namespace train
