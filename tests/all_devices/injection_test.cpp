// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

// Faults are injected into each device that is no core of the host, in a computation of all
// devices.

#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "circle.hpp"

namespace hocket::testing {

namespace {

using ::testing::HasSubstr;

constexpr int runs_with_faults = 3;

class injection : public ::testing::Test {
 protected:
  /// Devices with memories of their own, so that all of them have copies.
  static runtime_options options(const std::string& plan,
                                 resilience_kind how = resilience_kind::none) {
    return {.backends = {{"opencl", "sub-devices=2,import=no"}, {"vulkan", "import=no"}},
            .private_memory = true,
            .resilience = how,
            .faults = plan};
  }

  /// Calls the function with the name of each device that can be lost.
  template <class F>
  static void each_device(const F& call) {
    const std::vector<device_info> all = runtime(options("")).devices();
    for (const device_info& each : all) {
      SCOPED_TRACE(each.name);
      if (each.can_be_lost) call(each.name);
    }
  }

  [[nodiscard]] static std::string difference(runtime& rt) {
    std::vector<device_handle> handles;
    for (const device_info& each : rt.devices()) handles.push_back(rt.device(each.name));
    circle each(rt, handles, 4);
    for (int run = 0; run < runs_with_faults; ++run) {
      each.record(rt);
      each.expect_run();
    }
    std::string found = each.difference();
    rt.wait();
    return found;
  }
};

TEST_F(injection, of_a_failure_shows_as_one) {
  each_device([](const std::string& device) {
    for (const char* const call : {" allocation 2", " copy-in 2", " copy-out 2", " launch 3"}) {
      const std::string plan = "fail " + device + call;
      runtime rt(options(plan));
      try {
        EXPECT_EQ(difference(rt), "") << plan;
      } catch (const error& thrown) {
        EXPECT_THAT(thrown.what(), HasSubstr(plan));
      }
      EXPECT_EQ(to_string(rt.report().faults), "1 failed") << plan;
    }
  });
}

TEST_F(injection, of_corruption_changes_the_result_and_nothing_else) {
  each_device([](const std::string& device) {
    for (const char* const call : {" copy-in 3..", " copy-out 1..", " launch 3.."}) {
      const std::string plan = "corrupt " + device + call;
      runtime rt(options(plan));
      EXPECT_NE(difference(rt), "") << plan;
      EXPECT_GE(rt.report().faults.corrupted, 1U) << plan;
    }
  });
}

TEST_F(injection, of_corrupted_copies_is_noticed_where_copies_are_compared) {
  each_device([](const std::string& device) {
    // Content that is read back for the comparison is a copy from the device as well.
    for (const char* const call : {" copy-in 3..4", " copy-out 3", " copy-out 8"}) {
      const std::string plan = "corrupt " + device + call;
      runtime_options checked = options(plan);
      checked.integrity = integrity_kind::copies;
      runtime rt(checked);
      EXPECT_EQ(difference(rt), "") << plan;
      const runtime_report report = rt.report();
      EXPECT_GE(report.faults.corrupted, 1U) << plan;
      EXPECT_EQ(report.copies.corrupted, report.faults.corrupted) << plan;
    }
  });
}

TEST_F(injection, of_a_link_that_corrupts_all_is_survived_where_copies_are_compared) {
  each_device([](const std::string& device) {
    const std::string plan = "corrupt " + device + " copy-in 3..";
    runtime_options checked = options(plan, resilience_kind::survive);
    checked.integrity = integrity_kind::copies;
    runtime rt(checked);
    EXPECT_EQ(difference(rt), "") << plan;
    // Others may be on their way when the first one fails.
    EXPECT_GE(rt.report().copies.failed, 1U) << plan;
    EXPECT_GE(rt.report().recoveries, 1U) << plan;
  });
}

TEST_F(injection, of_delays_changes_no_result) {
  each_device([](const std::string& device) {
    std::string plan;
    for (const char* const call : {"copy-in", "copy-out", "launch", "wait"}) {
      plan += "delay " + device + " " + call + " 50% by 100us;";
    }
    runtime rt(options(plan));
    EXPECT_EQ(difference(rt), "");
    EXPECT_GE(rt.report().faults.delayed, 1U);
  });
}

TEST_F(injection, of_a_command_that_hangs_ends_with_the_runtime) {
  each_device([](const std::string& device) {
    runtime rt(options("hang " + device + " launch 2"));
    std::vector<device_handle> handles;
    for (const device_info& each : rt.devices()) handles.push_back(rt.device(each.name));
    const circle each(rt, handles, 6);
    each.record(rt);
    while (rt.report().faults.hung == 0) std::this_thread::yield();
    rt.stop();
    rt.wait();
    EXPECT_THROW((void)each.difference(), error);
  });
}

TEST_F(injection, of_a_loss_is_survived) {
  each_device([](const std::string& device) {
    for (const char* const call : {" copy-in 3", " copy-out 1", " launch 7"}) {
      const std::string plan = "lose " + device + call;
      runtime rt(options(plan, resilience_kind::survive));
      EXPECT_EQ(difference(rt), "") << plan;
      EXPECT_EQ(rt.report().faults.lost, 1U) << plan;
      EXPECT_EQ(rt.report().recoveries, 1U) << plan;
    }
  });
}

}  // namespace

}  // namespace hocket::testing
