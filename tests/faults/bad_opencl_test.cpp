// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#include "bad_driver.hpp"

namespace hocket::testing {

namespace {

class bad_opencl : public ::testing::TestWithParam<bad_driver> {
 protected:
  [[nodiscard]] outcome use_devices(const std::string& fault) const {
    around_.add_opencl(FAKE_OPENCL);
    return around_.run(USE_DEVICES, "", "HOCKET_FAKE_FAULT='" + fault + "'");
  }

  surroundings around_;
};

TEST_P(bad_opencl, is_an_error_or_is_left_out) {
  static const bool installed =
      use_devices("").said.find("OpenCL0 then works") != std::string::npos;
  if (!installed) {
    GTEST_SKIP() << "PoCL, whose faults these are, is not installed.";
  }
  expect_usable(use_devices(GetParam().fault), GetParam());
}

const std::string works = "OpenCL0 then works",
                  left_out = "is left out: ", driver = "\"Portable Computing Language\"",
                  lost = " was lost.", named = "(pthread-";

const bad_driver faults[] = {
    {"no device", {}, {left_out, "OpenCL0"}},
    {"devices", {"The OpenCL driver " + driver, left_out, "CL_OUT_OF_HOST_MEMORY (-6)"}},
    {"too many devices", {works}, {left_out, "OpenCL1"}},
    {"info", {"The OpenCL device \"unnamed\" of the driver " + driver, left_out}, {"OpenCL0"}},
    {"no group", {"of the driver " + driver, left_out, "groups of at most 0"}, {"OpenCL0"}},
    {"no memory", {"of the driver " + driver, left_out, "it has no memory"}, {"OpenCL0"}},
    {"huge", {works}, {left_out}},
    {"small", {"OpenCL0 then fails: ", "allows 0", "on OpenCL0 " + named}},
    {"no name", {"OpenCL0 is \"unnamed, ", works}},
    {"garbage for a name", {"OpenCL0 is \"unnamed, ", works}, {"\xfe", "\x1b"}},
    {"context", {"OpenCL0 " + named, left_out, "fails to start", "CL_OUT_OF_RESOURCES (-5)"}},
    {"queue", {"OpenCL0 " + named, left_out, "fails to make a queue"}},
    {"buffer", {"OpenCL0 " + named, left_out, "CL_MEM_OBJECT_ALLOCATION_FAILURE (-4)"}},
    {"copy back", {"OpenCL0 " + named, left_out, "CL_DEVICE_NOT_AVAILABLE (-2)"}},
    {"compiler", {"the fake compiler likes no kernel", "on OpenCL0 " + named}, {lost}},
    {"compiler without a log", {"it does not say why", "on OpenCL0 " + named}, {lost}},
    {"launch",
     {"fails to launch kernel \"axpy\"", "on OpenCL0 " + named,
      "then fails: Task \"pinned\" has no device to run on: OpenCL0 " + named, lost}},
    {"wait", {"fails to run a command: its driver says CL_OUT_OF_RESOURCES", named, lost}},
    {"status", {"fails to run a command: its driver says code -9999", named, lost}},
    {"times", {works}, {left_out}},
};

INSTANTIATE_TEST_SUITE_P(, bad_opencl, ::testing::ValuesIn(faults), fault_name);

}  // namespace

}  // namespace hocket::testing
