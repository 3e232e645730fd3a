// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

// Commands that never end: on simulated devices and the virtual clock.

#include <cstdlib>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "resilient_runtimes.hpp"

namespace hocket {
namespace {

using std::chrono::milliseconds;
using ::testing::AllOf;
using ::testing::Each;
using ::testing::HasSubstr;

runtime_options with(const std::string& faults, resilience_kind kind = resilience_kind::survive) {
  runtime_options made = surviving();
  made.resilience = kind;
  made.faults = faults;
  made.hang_timeout = milliseconds(100);
  return made;
}

/// Adds one so often, and to some of that another buffer.
void add_all(runtime& rt, const buffer<float>& x, const buffer<float>& y) {
  for (int i = 0; i < 20; ++i) {
    rt.submit(add_one, updates(x));
    rt.submit(add_other, reads(x), updates(y));
  }
}

/// Takes half a second and more.
const kernel<inout_buffer<float>> slow = kernel<inout_buffer<float>>{
    "slow", host_body{[](buffer_view<float> to) {
      for (float& each : to) each += 1;
    }}}.cost([](const launch_shape&) {
  return launch_work{2e9, 0};
});

class hangs : public ::testing::TestWithParam<const char*> {};

TEST_P(hangs, are_survived_as_losses_are) {
  std::vector<float> expected;
  for (const char* const faults : {"hang Sim2 launch 1000", GetParam()}) {
    runtime rt(with(faults));
    const buffer<float> x{rt, tile_size, 0.0F}, y{rt, tile_size, 0.0F};
    add_all(rt, x, y);
    rt.wait();
    if (expected.empty()) expected = y.to_vector();
    EXPECT_EQ(y.to_vector(), expected);
    EXPECT_THAT(x.to_vector(), Each(20.0F));
    const runtime_report report = rt.report();
    EXPECT_EQ(report.recoveries > 0, report.faults.hung > 0);
    EXPECT_EQ(report.given_up, 0U);
  }
}

INSTANTIATE_TEST_SUITE_P(, hangs,
                         ::testing::Values("hang Sim0 launch 1", "hang Sim0 launch 7",
                                           "hang Sim0 copy-in 1",
                                           "hang Sim0 launch 3; hang Sim1 launch 3",
                                           "hang Sim0 copy-out 1; hang Sim1 launch 2"));

TEST(hang_timeout, fails_the_tasks_of_the_device_without_survive) {
  runtime rt(with("hang Sim1 launch 2", resilience_kind::none));
  const buffer<float> x{rt, tile_size, 0.0F};
  const task_options there{.on = rt.device("Sim1")};
  rt.submit(there, ops::fill, 1.0F, writes(x)).get();
  const future<void> hung = rt.submit(there, add_one, updates(x));
  EXPECT_EQ(hung.error().code(), failure_code::device_lost);
  EXPECT_THAT(hung.error().message(),
              AllOf(HasSubstr("Sim1"), HasSubstr("launch of task \"add one\" does not end"),
                    HasSubstr("0.1 s")));
}

TEST(hang_timeout, lets_long_kernels_end) {
  runtime rt(with("delay Sim1 launch 1 by 5ms"));
  const buffer<float> x{rt, tile_size, 0.0F};
  const task_options there{.on = rt.device("Sim1")};
  // Half a second each, of which the second waits for the first.
  for (int i = 0; i < 3; ++i) rt.submit(there, slow, updates(x));
  rt.wait();
  EXPECT_THAT(x.to_vector(), Each(3.0F));
  EXPECT_EQ(rt.report().recoveries, 0U);
}

TEST(hang_timeout, blames_no_device_that_waits_for_another) {
  runtime rt(with("hang Sim0 launch 1000"));
  const buffer<float> x{rt, tile_size, 0.0F};
  rt.submit({.on = rt.device("Sim1")}, slow, updates(x));
  rt.submit({.on = rt.device("Sim2")}, add_one, updates(x));
  rt.wait();
  EXPECT_THAT(x.to_vector(), Each(2.0F));
  EXPECT_EQ(rt.report().recoveries, 0U);
}

TEST(hang_timeout, is_checked) {
  EXPECT_THROW(runtime(runtime_options{.hang_timeout = milliseconds(-1)}), usage_error);
  ::setenv("HOCKET_HANG_TIMEOUT", "soon", 1);
  EXPECT_THROW(runtime rt, usage_error);
  ::setenv("HOCKET_HANG_TIMEOUT", "30s", 1);
  EXPECT_NO_THROW(runtime rt);
  ::unsetenv("HOCKET_HANG_TIMEOUT");
}

}  // namespace
}  // namespace hocket
