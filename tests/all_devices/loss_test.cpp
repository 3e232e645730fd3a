// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

// Each device with a driver is lost at several moments of a computation that uses all devices.

#include <thread>

#include <gtest/gtest.h>

#include <hocket/devices/driver_device.hpp>

#include "circle.hpp"
#include "runtime/runtime_core.hpp"

namespace hocket::testing {

namespace {

constexpr int runs_with_loss = 6;
constexpr std::uint64_t moments = 5;

runtime_options surviving() {
  return {.backends = {{"opencl", "sub-devices=2"}}, .resilience = resilience_kind::survive};
}

std::uint64_t kernels_so_far(runtime& rt) {
  std::uint64_t sum = 0;
  for (const device_report& each : rt.report().devices) sum += each.kernels;
  return sum;
}

class loss : public ::testing::Test {
 protected:
  /// Loses the device once so many kernels have run. Returns false if it has no driver.
  static bool lose(runtime& rt, std::size_t number, std::uint64_t after) {
    auto* const lost =
        dynamic_cast<driver_device*>(&rt.core()->connection().machine().at(device_id{number}));
    if (lost == nullptr) return false;
    while (kernels_so_far(rt) < after) std::this_thread::yield();
    lost->lose({failure_code::device_lost, "It is lost for a test."});
    return true;
  }

  /// Returns how many kernels ran; 0 if the device cannot be lost.
  static std::uint64_t lose_at(std::size_t number, std::uint64_t after) {
    runtime rt(surviving());
    std::vector<device_handle> handles;
    for (const device_info& each : rt.devices()) handles.push_back(rt.device(each.name));
    circle each(rt, handles, 3);
    for (int run = 0; run < runs_with_loss; ++run) {
      each.record(rt);
      each.expect_run();
    }
    if (!lose(rt, number, after)) return 0;
    rt.wait();
    EXPECT_EQ(each.difference(), "") << "after " << after << " kernels";
    const runtime_report report = rt.report();
    EXPECT_EQ(report.given_up, 0U);
    EXPECT_GE(report.recoveries, 1U);
    return kernels_so_far(rt);
  }
};

TEST_F(loss, of_any_device_at_any_moment_changes_no_result) {
  const std::size_t devices = runtime(surviving()).devices().size();
  for (std::size_t number = 0; number < devices; ++number) {
    const std::uint64_t all = lose_at(number, 1);
    for (std::uint64_t moment = 1; all > 0 && moment < moments; ++moment) {
      (void)lose_at(number, moment * all / (moments + 1));
    }
  }
}

/// Failures of the call, on each device that can be lost.
std::string on_all(const std::string& call) {
  std::string plan = "seed 5";
  runtime found(surviving());
  for (const device_info& each : found.devices()) {
    if (each.can_be_lost) plan += "; fail " + each.name + " " + call;
  }
  return plan;
}

TEST_F(loss, of_single_launches_changes_no_result) {
  for (const char* const call : {"launch 1", "launch 5", "launch 7%"}) {
    runtime_options options = surviving();
    options.faults = on_all(call);
    options.max_attempts = 10;
    runtime rt(options);
    std::vector<device_handle> handles;
    for (const device_info& each : rt.devices()) handles.push_back(rt.device(each.name));
    circle each(rt, handles, 3);
    for (int run = 0; run < runs_with_loss; ++run) {
      each.record(rt);
      each.expect_run();
    }
    rt.wait();
    EXPECT_EQ(each.difference(), "") << call;
    EXPECT_EQ(rt.report().given_up, 0U) << call;
  }
}

}  // namespace

}  // namespace hocket::testing
