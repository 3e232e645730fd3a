// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

// A chip that drivers of two APIs offer. PoCL is told to say that its device is on the bus where
// the first device of the stand-in CUDA driver is.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "surroundings.hpp"

namespace hocket::testing {

namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

class one_chip : public ::testing::Test {
 protected:
  one_chip() {
    around_.add_opencl(FAKE_OPENCL);
    around_.replace_library("libcuda.so.1", STANDIN_CUDA);
  }

  [[nodiscard]] outcome run(const std::string& arguments, const std::string& variables = "") const {
    return around_.run(HOCKET, arguments,
                       "HOCKET_COSTS=off HOCKET_BACKENDS=cpu,cuda,opencl " + variables);
  }
  [[nodiscard]] bool has_both() const {
    const outcome ended = run("devices", "HOCKET_FAKE_FAULT=''");
    return ended.said.find("CUDA0") != std::string::npos &&
           ended.said.find("OpenCL0") != std::string::npos;
  }

  surroundings around_;
};

constexpr const char* first_chip = "HOCKET_FAKE_FAULT='chip of the first GPU'";

TEST_F(one_chip, is_used_through_the_first_of_its_drivers) {
  if (!has_both()) GTEST_SKIP() << "NVRTC or PoCL is not installed.";
  const outcome listed = run("devices", first_chip);
  EXPECT_EQ(listed.exit_code, 0);
  EXPECT_THAT(listed.said, AllOf(HasSubstr("\nCUDA0 "), HasSubstr("\nCUDA1 "),
                                 Not(HasSubstr("opencl_c")), HasSubstr("\nOpenCL0 (")));
  EXPECT_THAT(listed.said, HasSubstr("is the same chip as CUDA0, which is used"));
  EXPECT_THAT(run("devices --json", first_chip).said,
              AllOf(HasSubstr("00000000:01:00.0"), Not(HasSubstr("OpenCL0"))));
  EXPECT_THAT(run("doctor", first_chip).said, HasSubstr("is the same chip as CUDA0"));
}

TEST_F(one_chip, is_used_through_the_drivers_that_are_named) {
  if (!has_both()) GTEST_SKIP() << "NVRTC or PoCL is not installed.";
  EXPECT_THAT(run("devices --devices OpenCL0", first_chip).said,
              AllOf(HasSubstr("\nOpenCL0 "), Not(HasSubstr("CUDA0"))));
  EXPECT_THAT(run("devices --devices OpenCL0,CUDA0", first_chip).said,
              AllOf(HasSubstr("\nOpenCL0 "), HasSubstr("\nCUDA0 "), Not(HasSubstr("same chip"))));
  EXPECT_THAT(run("devices", std::string(first_chip) + " HOCKET_BACKENDS=cpu,opencl").said,
              HasSubstr("\nOpenCL0 "));
}

TEST_F(one_chip, is_used_through_the_next_driver_if_the_first_cannot_start_it) {
  if (!has_both()) GTEST_SKIP() << "NVRTC or PoCL is not installed.";
  const outcome listed =
      run("devices", std::string(first_chip) +
                         " HOCKET_STANDIN_CUDA_FAULTS='cuDevicePrimaryCtxRetain 1 fail 46'");
  EXPECT_EQ(listed.exit_code, 0);
  EXPECT_THAT(listed.said,
              AllOf(HasSubstr("CUDA0 (Hocket stand-in 0, CUDA 13.0) is left out"),
                    HasSubstr("\nCUDA1 "), HasSubstr("\nOpenCL0 "), Not(HasSubstr("same chip"))));
}

TEST_F(one_chip, is_none_where_the_bus_says_so) {
  if (!has_both()) GTEST_SKIP() << "NVRTC or PoCL is not installed.";
  EXPECT_THAT(run("devices", "HOCKET_FAKE_FAULT='chip that is nowhere'").said,
              AllOf(HasSubstr("\nOpenCL0 "), HasSubstr("\nCUDA0 "), Not(HasSubstr("same chip"))));
}

}  // namespace
}  // namespace hocket::testing
