// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

// A tiled Cholesky factorisation in which each launch in turn fails, or loses its device.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "../unit/execution/machine.hpp"
#include "algorithms.hpp"

namespace examples_test {

namespace {

using namespace hocket;
using ::testing::HasSubstr;

class tiled_faults : public ::testing::Test {
 protected:
  static runtime_options options(const std::string& plan, resilience_kind how) {
    return {.backends = {{"sim", "1,flops=10G;1,flops=5G"}},
            .clock = clock_kind::simulated,
            .policy = "earliest-end",
            .topology = hocket::testing::machine("numa:1 core:2 pu:1"),
            .resilience = how,
            .faults = plan};
  }
  static double residual(runtime& rt) {
    const auto problem = tiled::make_cholesky(rt, 4, 24);
    problem->generate(rt, rt.device("Sim0"));
    problem->submit(rt);
    return problem->residual();
  }
  static std::string rule(const char* action, const char* device, std::uint64_t number) {
    return std::string(action) + " " + device + " launch " + std::to_string(number);
  }
};

TEST_F(tiled_faults, end_with_the_right_factor_or_an_error) {
  std::uint64_t failed = 0;
  do {
    const std::string plan = rule("fail", "Sim0", ++failed);
    runtime rt(options(plan, resilience_kind::none));
    try {
      EXPECT_LT(residual(rt), 10);
    } catch (const error& thrown) {
      EXPECT_THAT(thrown.what(), HasSubstr(plan));
    }
    if (rt.report().faults.failed == 0) break;
  } while (failed < 1000);
  EXPECT_GT(failed, 10U);
}

TEST_F(tiled_faults, change_no_bit_where_losses_are_survived) {
  runtime whole(options("", resilience_kind::survive));
  const double expected = residual(whole);
  EXPECT_LT(expected, 10);
  for (const char* const device : {"Sim0", "Sim1"}) {
    std::uint64_t number = 0;
    std::uint64_t lost = 1;
    while (lost > 0 && number < 1000) {
      const std::string plan = rule("lose", device, ++number);
      runtime rt(options(plan, resilience_kind::survive));
      EXPECT_EQ(residual(rt), expected) << plan;
      lost = rt.report().faults.lost;
      EXPECT_EQ(rt.report().recoveries, lost) << plan;
    }
    EXPECT_GT(number, 3U);
  }
}

}  // namespace

}  // namespace examples_test
