// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#include "bad_driver.hpp"

namespace hocket::testing {

namespace {

class bad_opencl : public ::testing::TestWithParam<bad_driver> {
 protected:
  bad_opencl() { around_.add_opencl(FAKE_OPENCL); }

  [[nodiscard]] outcome use(const bad_driver& how) const {
    return use_devices(around_, "opencl", how);
  }

  surroundings around_;
};

TEST_P(bad_opencl, is_an_error_or_is_left_out) {
  static const bool installed = use({"", {}}).said.find("OpenCL0 then works") != std::string::npos;
  if (!installed) {
    GTEST_SKIP() << "PoCL, whose faults these are, is not installed.";
  }
  expect_usable(use(GetParam()), GetParam());
}

const std::string works = "OpenCL0 then works",
                  left_out = "is left out: ", driver = "\"Portable Computing Language\"",
                  lost = " was lost: ", named = "(pthread-";

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
    {"copy", {"fails to copy 4000 bytes", "CL_OUT_OF_RESOURCES", lost}, {}, "import=no"},
    {"copy back", {"fails to copy 4000 bytes", "NOT_AVAILABLE", lost}, {}, "import=no"},
    {"buffer", {"\"OpenCL0\" has no memory for 4000 bytes: its driver says"}, {lost}, "import=no"},
    {"status", {"code -9999", lost}, {}, "import=no"},
    {"buffer", {works, "some right"}, {}, "import=no", 100},
    {"launch", {works, "some failed, some right"}, {}, "import=yes", 100},
    {"launch", {works, "some failed, some right"}, {}, "import=no", 100},
    {"launch",
     {"OpenCL0.1 then works", "some failed, some right"},
     {},
     "import=no,sub-devices=2",
     100},
    {"copy", {works, "some failed"}, {}, "import=no", 20},
    {"copy back", {works, "some failed"}, {}, "import=no", 20},
    {"wait", {works, "some failed, some right"}, {}, "import=yes", 100},
    {"wait", {"OpenCL0.1 then works", "some failed"}, {}, "import=no,sub-devices=2", 100},
};

INSTANTIATE_TEST_SUITE_P(, bad_opencl, ::testing::ValuesIn(faults), fault_name);

}  // namespace

}  // namespace hocket::testing
