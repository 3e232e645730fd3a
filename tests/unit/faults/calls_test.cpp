// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

// Each action at each call, on devices of host threads and of a driver, on both clocks.

#include <thread>
#include <tuple>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "rounds.hpp"

namespace hocket {
namespace {

using testing::fault_place;
using ::testing::HasSubstr;
using testing::options_at;
using testing::run_rounds;

class faults_at : public ::testing::TestWithParam<std::tuple<fault_place, fault_call>> {
 protected:
  [[nodiscard]] static const fault_place& place() { return std::get<0>(GetParam()); }
  [[nodiscard]] static fault_call call() { return std::get<1>(GetParam()); }
  [[nodiscard]] static std::string rule(const std::string& action, const std::string& when) {
    return action + " " + place().device + " " + std::string(to_string(call())) + " " + when;
  }
  [[nodiscard]] static runtime_options options(const std::string& plan) {
    return options_at(place(), plan);
  }
  [[nodiscard]] static const std::vector<float>& expected() {
    static const std::vector<float> result = [] {
      runtime rt(options_at(testing::virtual_sim, {}));
      return run_rounds(rt, "NUMA0");
    }();
    return result;
  }
  /// The computation ends with the right result, or with an error that names the rule.
  [[nodiscard]] static bool ends_well(runtime& rt, const std::string& rule) {
    try {
      EXPECT_EQ(run_rounds(rt, place().device), expected());
      rt.wait();
      return true;
    } catch (const error& thrown) {
      EXPECT_THAT(thrown.what(), HasSubstr(rule));
      return false;
    }
  }
};
/// Calls that need not be answered at once.
class commands_with_faults_at : public faults_at {};
/// Calls that write something.
class writes_with_faults_at : public faults_at {};

TEST_P(faults_at, fail) {
  const std::string fails = rule("fail", "2");
  runtime rt(options(fails));
  const bool well = ends_well(rt, fails);
  // Allocations and copies are tried again.
  const bool is_of_launches = call() == fault_call::launch || call() == fault_call::compile;
  EXPECT_FALSE(well && is_of_launches);
  EXPECT_EQ(to_string(rt.report().faults), "1 failed");
}

TEST_P(faults_at, fail_from_then_on) {
  const std::string fails = rule("fail", "2..");
  runtime rt(options(fails));
  (void)ends_well(rt, fails);
  EXPECT_GE(rt.report().faults.failed, 1U);
}

TEST_P(commands_with_faults_at, delay) {
  runtime rt(options(rule("delay", "1..3") + " by 300us"));
  const time_stamp begin = rt.now();
  EXPECT_EQ(run_rounds(rt, place().device), expected());
  EXPECT_GE(rt.now() - begin, std::chrono::microseconds(300));
  EXPECT_EQ(rt.report().faults.delayed, 3U);
}

TEST_P(commands_with_faults_at, hang_until_the_runtime_stops) {
  const std::string hangs = rule("hang", "2");
  runtime rt(options(hangs));
  if (place().clock == clock_kind::simulated) {
    EXPECT_THROW((void)run_rounds(rt, place().device), usage_error) << "it can never end";
    EXPECT_EQ(to_string(rt.report().faults), "1 hung");
    rt.stop();
  } else {
    std::jthread stops([&] {
      while (rt.report().faults.hung == 0) std::this_thread::yield();
      rt.stop();
    });
    EXPECT_FALSE(ends_well(rt, ""));
  }
  try {
    rt.wait();
  } catch (const error& thrown) {
    EXPECT_TRUE(thrown.code() == failure_code::cancelled ||
                thrown.code() == failure_code::dependency_failed)
        << thrown.what();
  }
}

TEST_P(commands_with_faults_at, hang_until_the_runtime_ends) {
  runtime rt(options(rule("hang", "1")));
  const buffer<float> x{rt, 1000, 1.0F};
  const device_handle on = rt.device(place().device);
  const buffer<float> y{rt, 1000};
  rt.submit([](buffer_view<float> v) { v(0) = 7; }, updates(x));
  rt.submit({.on = on}, ops::copy, reads(x), writes(y));
  rt.submit([](buffer_view<const float>) {}, reads(y));
}

TEST_P(writes_with_faults_at, corrupt) {
  runtime rt(options(rule("corrupt", "3..")));
  EXPECT_NE(run_rounds(rt, place().device), expected());
  rt.wait();
  const fault_counts counts = rt.report().faults;
  EXPECT_GE(counts.corrupted, 1U);
  EXPECT_EQ(counts.total(), counts.corrupted);
}

TEST_P(faults_at, lose) {
  const std::string loses = rule("lose", "2");
  runtime rt(options(loses));
  (void)ends_well(rt, place().device);
  EXPECT_EQ(to_string(rt.report().faults), "1 lost");
  for (const device_report& each : rt.report().devices) {
    EXPECT_EQ(each.alive, each.name != place().device) << each.name;
  }
}

TEST_P(faults_at, lose_and_survive) {
  runtime_options survives = options(rule("lose", "2"));
  survives.resilience = resilience_kind::survive;
  runtime rt(survives);
  EXPECT_EQ(run_rounds(rt, place().device), expected());
  rt.wait();
  EXPECT_EQ(rt.report().faults.lost, 1U);
  EXPECT_EQ(rt.report().recoveries, 1U);
}

std::string name_of(const ::testing::TestParamInfo<std::tuple<fault_place, fault_call>>& each) {
  std::string name = std::get<0>(each.param).name;
  name.append("_").append(to_string(std::get<1>(each.param)));
  std::ranges::replace(name, '-', '_');
  return name;
}

auto at_all_places(std::vector<fault_call> calls) {
  return ::testing::Combine(::testing::ValuesIn(testing::fault_places), ::testing::ValuesIn(calls));
}

constexpr auto copy_in = fault_call::copy_in, copy_out = fault_call::copy_out,
               launch = fault_call::launch, compile = fault_call::compile;

INSTANTIATE_TEST_SUITE_P(, faults_at,
                         at_all_places({fault_call::allocation, fault_call::copy, copy_in, copy_out,
                                        launch, compile}),
                         name_of);
INSTANTIATE_TEST_SUITE_P(, commands_with_faults_at,
                         at_all_places({fault_call::copy, copy_in, copy_out, launch, compile}),
                         name_of);
INSTANTIATE_TEST_SUITE_P(, writes_with_faults_at,
                         at_all_places({fault_call::copy, copy_in, copy_out, launch}), name_of);

// On a real clock it depends on times which commands have to wait.
const auto waits = ::testing::Combine(::testing::Values(testing::virtual_sim),
                                      ::testing::Values(fault_call::wait));
INSTANTIATE_TEST_SUITE_P(of, faults_at, waits, name_of);
INSTANTIATE_TEST_SUITE_P(of, commands_with_faults_at, waits, name_of);

}  // namespace
}  // namespace hocket
