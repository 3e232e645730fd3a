// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

// Run where no driver can be found. What drivers do is the conformance suite's.

#include <gtest/gtest.h>

#include <hocket/core/error.hpp>
#include <hocket/devices/opencl.hpp>
#include <hocket/execution/seeded_executor.hpp>
#include <hocket/execution/tbb_executor.hpp>

namespace hocket {

namespace {

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

}  // namespace hocket
