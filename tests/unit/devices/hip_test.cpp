// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

// Run without a driver. What drivers do is the conformance suite's.

#include <dlfcn.h>

#include <gtest/gtest.h>

#include <hocket/core/error.hpp>
#include <hocket/devices/hip.hpp>
#include <hocket/execution/tbb_executor.hpp>

#include "driver.hpp"
#include "gpu/errors.hpp"

namespace hocket {

namespace {

found_devices found_with(const std::string& configuration) {
  const tbb_executor where(std::make_shared<const host_topology>());
  return make_hip_backend()->find(where, configuration);
}

}  // namespace

TEST(hip, without_a_driver_there_are_no_devices_and_it_says_what_to_install) {
  for (const char* const name : {"libamdhip64.so.5", "libamdhip64.so.6", "libamdhip64.so.7"}) {
    if (::dlopen(name, RTLD_NOW | RTLD_LOCAL) != nullptr) GTEST_SKIP() << "There is a driver.";
  }
  EXPECT_TRUE(found_with("").usable.empty());
  EXPECT_TRUE(found_with("").left_out.empty());
  EXPECT_NE(make_hip_backend()->why_none().find("libamdhip64-5"), std::string::npos);
}

TEST(hip, a_driver_that_is_named_and_cannot_be_opened_is_said) {
  const found_devices found = found_with("memory=1G,driver=/nonexistent/libamdhip64.so.6");
  EXPECT_TRUE(found.usable.empty());
  ASSERT_EQ(found.left_out.size(), 1u);
  EXPECT_NE(found.left_out[0].find("/nonexistent/libamdhip64.so.6"), std::string::npos);
}

TEST(hip, a_library_that_is_no_driver_lacks_its_functions) {
  const found_devices found = found_with("driver=libm.so.6");
  ASSERT_EQ(found.left_out.size(), 1u);
  EXPECT_NE(found.left_out[0].find("lacks hip"), std::string::npos) << found.left_out[0];
}

TEST(hip, a_wrong_configuration_is_refused_without_a_driver_too) {
  for (const std::string wrong : {"devices=2", "memory=much", "nvrtc=/a/b", "tf32=yes"}) {
    EXPECT_THROW((void)found_with(wrong), usage_error) << wrong;
  }
}

TEST(hip, codes_after_which_a_device_is_of_no_use_lose_it) {
  const hip::driver_api driver;
  const auto failure_of = [&](gpu::code of) {
    return gpu::failure_of(driver, of, "HIP0", "to run");
  };
  for (const gpu::code lost : {4, 201, 214, 700, 702, 709, 710, 719, 999, 1052, 1053}) {
    EXPECT_EQ(failure_of(lost).code(), failure_code::device_lost) << lost;
  }
  for (const gpu::code kept : {1, 98, 209, 400, 701, 704, 801}) {
    EXPECT_EQ(failure_of(kept).code(), failure_code::task_failed) << kept;
  }
  EXPECT_EQ(failure_of(2).code(), failure_code::out_of_memory);
  EXPECT_NE(failure_of(2).message().find("hipErrorOutOfMemory (2)"), std::string::npos);
}

TEST(hip, versions_are_told_as_people_say_them) {
  const hip::driver_api driver;
  EXPECT_EQ(driver.version_text(50'221'153), "5.2");
  EXPECT_EQ(driver.version_text(60'443'484), "6.4");
}

}  // namespace hocket
