// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

// A computation over the host and two simulated devices, again and again: the n-th call of a kind
// fails, for every n, or loses its device. It ends with the right result or with an error that
// names the rule; where losses are survived, with the right result.

#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "../all_devices/circle.hpp"
#include "../unit/execution/machine.hpp"

namespace hocket::testing {

namespace {

using ::testing::HasSubstr;

constexpr int runs = 2;
// More calls than any of the runs makes of one kind, for a test that would not end.
constexpr std::uint64_t most_calls = 1000;

class every_call : public ::testing::TestWithParam<const char*> {
 protected:
  [[nodiscard]] static std::string rule(const std::string& action, const std::string& device,
                                        std::uint64_t number, const char* end = "") {
    return action + " " + device + " " + GetParam() + " " + std::to_string(number) + end;
  }

  [[nodiscard]] static runtime_options options(const std::string& plan, resilience_kind how) {
    return {.backends = {{"sim", "2,lanes=2,memory=1M"}},
            .clock = clock_kind::simulated,
            .topology = machine("numa:1 core:2 pu:1"),
            .resilience = how,
            .faults = plan};
  }

  /// Of a computation that begins anew each time.
  [[nodiscard]] static std::string difference(runtime& rt) {
    std::vector<device_handle> handles;
    for (const device_info& each : rt.devices()) handles.push_back(rt.device(each.name));
    circle each(rt, handles, 5);
    for (int run = 0; run < runs; ++run) {
      each.record(rt);
      each.expect_run();
    }
    std::string found = each.difference();
    rt.wait();
    return found;
  }

  static void expect_good_end(runtime& rt, const std::string& plan) {
    try {
      EXPECT_EQ(difference(rt), "") << plan;
    } catch (const error& thrown) {
      EXPECT_THAT(thrown.what(), HasSubstr(plan));
    }
  }
};

TEST_P(every_call, that_fails_ends_the_run_well) {
  for (const char* const end : {"", ".."}) {
    std::uint64_t number = 0;
    bool met = true;
    while (met && number < most_calls) {
      const std::string plan = rule("fail", "*", ++number, end);
      runtime rt(options(plan, resilience_kind::none));
      expect_good_end(rt, plan);
      met = rt.report().faults.failed > 0;
    }
    EXPECT_GT(number, 2U);
    EXPECT_FALSE(met);
  }
}

TEST_P(every_call, that_loses_its_device_ends_the_run_well) {
  std::uint64_t number = 0;
  bool met = true;
  while (met && number < most_calls) {
    runtime rt(options(rule("lose", "Sim1", ++number), resilience_kind::none));
    expect_good_end(rt, "Sim1");
    met = rt.report().faults.lost > 0;
  }
  EXPECT_GT(number, 2U);
}

TEST_P(every_call, that_loses_its_device_is_survived) {
  for (const char* const device : {"Sim0", "Sim1", "*"}) {
    std::uint64_t number = 0;
    bool met = true;
    while (met && number < most_calls) {
      const std::string plan = rule("lose", device, ++number);
      runtime rt(options(plan, resilience_kind::survive));
      EXPECT_EQ(difference(rt), "") << plan;
      const runtime_report report = rt.report();
      met = report.faults.lost > 0;
      EXPECT_EQ(report.recoveries > 0, met) << plan;
      EXPECT_EQ(report.given_up, 0U) << plan;
    }
    EXPECT_GT(number, 2U);
  }
}

INSTANTIATE_TEST_SUITE_P(, every_call,
                         ::testing::Values("allocation", "copy-in", "copy-out", "launch",
                                           "compile"),
                         [](const auto& each) {
                           std::string name = each.param;
                           std::ranges::replace(name, '-', '_');
                           return name;
                         });

}  // namespace

}  // namespace hocket::testing
