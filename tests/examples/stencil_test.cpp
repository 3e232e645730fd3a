// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <gtest/gtest.h>

#include "program.hpp"

namespace examples_test {

namespace {

/// Tiles that are cut off at the right and below.
const arguments small_plate = {"--rows", "50", "--columns", "37", "--tile", "16", "--steps", "9"};
constexpr double tasks_of_plate = 12 * 9;

TEST(Stencil, IsRightOnTheHost) {
  const auto report = report_of(STENCIL, small_plate + arguments{"--devices", "NUMA0"});
  EXPECT_TRUE(report.at("checked").as_bool());
}

TEST(Stencil, IsRightOnAllDevices) {
  const auto report = report_of(STENCIL, small_plate);
  EXPECT_TRUE(report.at("checked").as_bool());
  EXPECT_EQ(sum_over_devices(report, "tasks"), tasks_of_plate);
}

TEST(Stencil, OfOnePoint) {
  const auto report = report_of(STENCIL, {"--rows", "1", "--columns", "1", "--devices", "NUMA0"});
  EXPECT_TRUE(report.at("checked").as_bool());
}

TEST(Stencil, TakesTheSameTimeOnAMachineEachTime) {
  const arguments run = small_plate + arguments{"--machine", "laptop-igpu"};
  const auto report = report_of(STENCIL, run);
  EXPECT_EQ(report, report_of(STENCIL, run));
  EXPECT_FALSE(report.at("checked").as_bool());
  EXPECT_EQ(sum_over_devices(report, "tasks"), tasks_of_plate);
}

TEST(Stencil, RefusesWrongUse) {
  constexpr int wrong_use = 2;
  expect_wrong_use_is_refused(STENCIL, small_plate);
  expect_end(STENCIL, {"--tile", "0"}, wrong_use, "--tile is \"0\"");
  expect_end(STENCIL, {"--steps", "-1"}, wrong_use, "--steps is \"-1\"");
}

}  // namespace

}  // namespace examples_test
