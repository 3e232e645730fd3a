// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

// Each device with a driver is drained, resumed and connected again during a computation that uses
// all devices.

#include <gtest/gtest.h>

#include <cstdio>

#include "circle.hpp"
#include "runtime/runtime_core.hpp"

namespace hocket::testing {

namespace {

/// Devices with memories of their own, so that content has to leave them.
runtime_options options(resilience_kind how) {
  return {.backends = {{"opencl", "sub-devices=2,import=no"}, {"vulkan", "import=no"}},
          .resilience = how};
}

class drains : public ::testing::TestWithParam<resilience_kind> {};

TEST_P(drains, of_any_device_change_no_result) {
  runtime rt(options(GetParam()));
  const std::vector<device_info> infos = rt.devices();
  std::vector<device_handle> all;
  for (const device_info& each : infos) all.push_back(rt.device(each.name));
  circle each(rt, all, 3);
  for (std::size_t number = 0; number < infos.size(); ++number) {
    if (!infos[number].can_be_lost) continue;
    SCOPED_TRACE(infos[number].name);
    each.record(rt);
    each.expect_run();
    rt.drain(all[number]).get();
    const device_report drained = rt.report().devices[number];
    EXPECT_EQ(drained.state, device_state::drained);
    if (!infos[number].imports_host_memory) {
      EXPECT_EQ(drained.used_bytes, 0U);
    }
    // Tasks of the computation that name the device wait meanwhile.
    rt.resume(all[number]);
    each.record(rt);
    each.expect_run();
    EXPECT_EQ(each.difference(), "");
  }
  rt.wait();
}

TEST(reopened, devices_take_their_part_in_the_computation_again) {
  runtime rt({.backends = {{"opencl", "sub-devices=2"}}, .resilience = resilience_kind::survive});
  const std::vector<device_info> infos = rt.devices();
  std::vector<device_handle> all;
  for (const device_info& each : infos) all.push_back(rt.device(each.name));
  circle each(rt, all, 3);
  std::size_t reopened = 0;
  for (std::size_t number = 0; number < infos.size(); ++number) {
    if (!infos[number].can_be_lost) continue;
    SCOPED_TRACE(infos[number].name);
    each.record(rt);
    each.expect_run();
    if (number % 2 == 0) {
      rt.core()
          ->connection()
          .machine()
          .at(device_id{number})
          .lose({failure_code::device_lost, "It is lost for a test."});
      EXPECT_EQ(each.difference(), "");
    } else {
      rt.drain(all[number]).get();
    }
    if (number % 2 == 1) rt.remove(all[number]);
    rt.reopen(all[number]);
    ++reopened;
    const std::uint64_t before = rt.report().devices[number].kernels;
    each.record(rt);
    each.expect_run();
    EXPECT_EQ(each.difference(), "");
    EXPECT_GT(rt.report().devices[number].kernels, before);
  }
  rt.wait();
  EXPECT_EQ(rt.report().given_up, 0U);
  std::printf("%zu devices were connected again\n", reopened);
}

INSTANTIATE_TEST_SUITE_P(, drains,
                         ::testing::Values(resilience_kind::none, resilience_kind::survive));

}  // namespace

}  // namespace hocket::testing
