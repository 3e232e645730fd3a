// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

// Each device with a driver is drained and resumed during a computation that uses all devices.

#include <gtest/gtest.h>

#include "circle.hpp"

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

INSTANTIATE_TEST_SUITE_P(, drains,
                         ::testing::Values(resilience_kind::none, resilience_kind::survive));

}  // namespace

}  // namespace hocket::testing
