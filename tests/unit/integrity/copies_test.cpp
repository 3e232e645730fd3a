// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

// Corrupted copies are noticed, and made again: on devices of host threads and of a driver, on both
// clocks.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "../faults/rounds.hpp"

namespace hocket {
namespace {

using ::testing::Each;
using testing::fault_place;
using ::testing::HasSubstr;
using testing::options_at;
using testing::run_rounds;

class compared_copies : public ::testing::TestWithParam<fault_place> {
 protected:
  [[nodiscard]] static runtime_options options(const std::string& plan) {
    runtime_options made = options_at(GetParam(), plan);
    made.integrity = integrity_kind::copies;
    return made;
  }
  [[nodiscard]] static std::string device() { return GetParam().device; }
  [[nodiscard]] static const std::vector<float>& expected() {
    static const std::vector<float> result = [] {
      runtime rt(options_at(testing::virtual_sim, {}));
      return run_rounds(rt, "NUMA0");
    }();
    return result;
  }
  [[nodiscard]] static bool is_alive(runtime& rt) {
    bool alive = false;
    for (const device_report& each : rt.report().devices) {
      if (each.name == device()) alive = each.alive;
    }
    return alive;
  }
};

TEST_P(compared_copies, change_nothing_where_no_copy_is_corrupted) {
  runtime rt(options({}));
  EXPECT_EQ(run_rounds(rt, device()), expected());
  EXPECT_GE(rt.report().copies.checked, 6U);
  EXPECT_EQ(rt.report().copies.corrupted, 0U);
}

TEST_P(compared_copies, are_made_again_whichever_is_corrupted) {
  for (const char* const call : {" copy-in ", " copy-out "}) {
    std::uint64_t corrupted = 1;
    std::uint64_t number = 0;
    while (corrupted > 0 && number < 1000) {
      const std::string plan = "corrupt " + device() + call + std::to_string(++number);
      runtime rt(options(plan));
      EXPECT_EQ(run_rounds(rt, device()), expected()) << plan;
      rt.wait();
      const runtime_report report = rt.report();
      corrupted = report.faults.corrupted;
      EXPECT_EQ(report.copies.corrupted, corrupted) << plan;
      EXPECT_EQ(report.copies.failed, 0U) << plan;
    }
    EXPECT_GT(number, 3U);
  }
}

TEST_P(compared_copies, are_all_noticed_where_many_are_corrupted) {
  for (int seed = 0; seed < 5; ++seed) {
    runtime rt(options("corrupt * copy 10%; seed " + std::to_string(seed)));
    EXPECT_EQ(run_rounds(rt, device()), expected()) << seed;
    rt.wait();
    EXPECT_EQ(rt.report().copies.corrupted, rt.report().faults.corrupted) << seed;
  }
}

TEST_P(compared_copies, fail_after_three_attempts) {
  for (const char* const call : {" copy-in 2..", " copy-out 2.."}) {
    runtime rt(options("corrupt " + device() + call));
    try {
      (void)run_rounds(rt, device());
      FAIL() << call;
    } catch (const error& thrown) {
      EXPECT_THAT(thrown.what(), HasSubstr(device()));
      EXPECT_THAT(thrown.what(), HasSubstr("3 times"));
    }
    try {
      rt.wait();  // other copies may be between two attempts
    } catch (const error& thrown) {
      EXPECT_THAT(thrown.what(), HasSubstr("3 times"));
    }
    const copy_check_counts copies = rt.report().copies;
    EXPECT_GE(copies.failed, 1U) << call;
    EXPECT_EQ(copies.corrupted, 3 * copies.failed) << call;
    EXPECT_EQ(copies.corrupted, rt.report().faults.corrupted) << call;
    EXPECT_TRUE(is_alive(rt));
  }
}

TEST_P(compared_copies, say_so_where_a_task_fails_for_one) {
  runtime rt(options("corrupt " + device() + " copy-in 1.."));
  const buffer<float> x{rt, 1000, 1.0F};
  rt.submit([](buffer_view<float> v) { v(0) = 7; }, updates(x));
  const future<void> fails =
      rt.submit({.on = rt.device(device())}, testing::scale, 2.0F, updates(x));
  EXPECT_EQ(fails.error().code(), failure_code::dependency_failed);
  EXPECT_THAT(fails.error().message(), HasSubstr("differs from its source"));
}

TEST_P(compared_copies, give_up_a_link_that_corrupts_what_it_brings) {
  runtime_options survives = options("corrupt " + device() + " copy-in 3..");
  survives.resilience = resilience_kind::survive;
  runtime rt(survives);
  EXPECT_EQ(run_rounds(rt, device()), expected());
  rt.wait();
  EXPECT_FALSE(is_alive(rt));
  EXPECT_GE(rt.report().copies.failed, 1U);
  EXPECT_EQ(rt.report().recoveries, 1U);
}

TEST_P(compared_copies, give_up_a_link_that_corrupts_what_it_takes) {
  runtime_options survives = options("corrupt " + device() + " copy-out 1..");
  survives.resilience = resilience_kind::survive;
  runtime rt(survives);
  const buffer<float> x{rt, 1000};
  rt.submit([](buffer_view<float> v) { std::ranges::fill(v, 3.0F); }, writes(x));
  for (int i = 0; i < 4; ++i) {
    rt.submit({.on = rt.device(device())}, testing::scale, 2.0F, updates(x));
  }
  EXPECT_THAT(x.to_vector(), Each(48.0F));
  EXPECT_FALSE(is_alive(rt));
  EXPECT_GE(rt.report().copies.failed, 1U);
  EXPECT_EQ(rt.report().recoveries, 1U);
}

INSTANTIATE_TEST_SUITE_P(places, compared_copies, ::testing::ValuesIn(testing::fault_places),
                         [](const auto& each) { return std::string(each.param.name); });

TEST(Integrity, IsOffUnlessItIsAskedFor) {
  runtime rt(options_at(testing::virtual_sim, {}));
  (void)run_rounds(rt, "Sim0");
  EXPECT_EQ(rt.report().copies.checked, 0U);
}

TEST(Integrity, IsAskedForByTheEnvironmentToo) {
  ::setenv("HOCKET_INTEGRITY", "sometimes", 1);
  EXPECT_THROW(runtime rt, usage_error);
  ::setenv("HOCKET_INTEGRITY", "copies", 1);
  runtime rt(options_at(testing::virtual_sim, {}));
  ::unsetenv("HOCKET_INTEGRITY");
  (void)run_rounds(rt, "Sim0");
  EXPECT_GE(rt.report().copies.checked, 6U);
  EXPECT_THAT(summary(rt.report()), HasSubstr("of which differed: 0"));
}

TEST(Integrity, LeavesDevicesAloneThatExecuteNothing) {
  runtime_options options{.backends = {{"sim", "1,execute=no"}}, .clock = clock_kind::simulated};
  options.integrity = integrity_kind::copies;
  runtime rt(options);
  const buffer<float> x{rt, 1000, 1.0F};
  rt.submit([](buffer_view<float> v) { v(0) = 7; }, updates(x));
  rt.submit({.on = rt.device("Sim0")}, testing::scale, 2.0F, updates(x)).get();
  EXPECT_EQ(rt.report().copies.checked, 0U);
}

}  // namespace
}  // namespace hocket
