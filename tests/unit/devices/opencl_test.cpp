// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

// Run where no driver can be found. What drivers do is the conformance suite's.

#include <gtest/gtest.h>

#include <hocket/core/error.hpp>
#include <hocket/devices/opencl.hpp>
#include <hocket/execution/seeded_executor.hpp>
#include <hocket/execution/tbb_executor.hpp>

#include "clock.hpp"

namespace hocket {

namespace {

constexpr auto ns = [](std::int64_t count) { return time_stamp(count); };

std::string refusal(const std::string& configuration) {
  const tbb_executor where(std::make_shared<const host_topology>());
  try {
    (void)make_opencl_backend()->find(where, configuration);
  } catch (const usage_error& e) {
    return e.what();
  }
  return "none";
}

}  // namespace

TEST(opencl, without_a_driver_there_are_no_devices_and_it_says_what_to_install) {
  const tbb_executor where(std::make_shared<const host_topology>());
  const auto backend = make_opencl_backend();
  EXPECT_TRUE(backend->find(where, "").usable.empty());
  EXPECT_TRUE(backend->find(where, "sub-devices=2,memory=1G,import=no").usable.empty());
  EXPECT_NE(backend->why_none().find("pocl-opencl-icd"), std::string::npos);
}

TEST(opencl, a_virtual_clock_has_no_drivers) {
  const seeded_executor where(seeded_executor_options{.seed = 1, .workers = {2}});
  EXPECT_TRUE(make_opencl_backend()->find(where, "").usable.empty());
}

TEST(opencl, a_wrong_configuration_is_refused_without_a_driver_too) {
  EXPECT_NE(refusal("parts=2").find("\"parts=2\""), std::string::npos);
  EXPECT_NE(refusal("sub-devices=0").find("sub-devices"), std::string::npos);
  EXPECT_NE(refusal("import=maybe").find("yes or no"), std::string::npos);
}

TEST(opencl_clock, a_device_that_does_not_tell_time_took_all_of_it) {
  opencl::device_clock clock;
  const std::pair all(ns(1000), ns(2000));
  EXPECT_EQ(clock.on_host(0, 0, ns(1000), ns(2000)), all);
  EXPECT_EQ(clock.on_host(700, 600, ns(1000), ns(2000)), all);
  EXPECT_EQ(clock.on_host(1, 5000, ns(1000), ns(2000)), all) << "longer than it can have been";
  EXPECT_EQ(clock.on_host(1, ~cl_ulong{0}, ns(1000), ns(2000)), all);
}

TEST(opencl_clock, times_keep_their_length_and_lie_within_what_is_known) {
  opencl::device_clock clock;
  for (std::int64_t drift = 0; drift < 2000; drift += 7) {
    // The device's clock runs away from the host's, which is 5000 ahead at first.
    const std::int64_t begin = 10000 + 1000 * drift, end = begin + 300;
    const time_stamp handed = ns(begin + 4900 - drift), heard = ns(end + 5100 - drift);
    const auto [from, to] =
        clock.on_host(static_cast<cl_ulong>(begin), static_cast<cl_ulong>(end), handed, heard);
    EXPECT_EQ(to - from, ns(300));
    EXPECT_GE(from, handed);
    EXPECT_LE(to, heard);
  }
}

}  // namespace hocket
