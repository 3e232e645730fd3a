// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#include "bad_driver.hpp"

namespace hocket::testing {

namespace {

class bad_vulkan : public ::testing::TestWithParam<bad_driver> {
 protected:
  bad_vulkan() { around_.add_vulkan(FAKE_VULKAN); }

  [[nodiscard]] outcome use(const bad_driver& how) const {
    return use_devices(around_, "vulkan", how);
  }

  surroundings around_;
};

TEST_P(bad_vulkan, is_an_error_or_is_left_out) {
  static const bool installed = use({"", {}}).said.find("Vulkan0 then works") != std::string::npos;
  if (!installed) {
    GTEST_SKIP() << "lavapipe, whose faults these are, is not installed.";
  }
  expect_usable(use(GetParam()), GetParam());
}

const std::string works = "Vulkan0 then works",
                  left_out = "is left out: ", device = "The Vulkan device \"llvmpipe",
                  driver = "of the driver \"llvmpipe Mesa",
                  lost = " was lost: ", named = "(llvmpipe ";

const bad_driver faults[] = {
    {"instance", {}, {left_out, "Vulkan0"}},
    {"instance memory", {"Vulkan " + left_out, "VK_ERROR_OUT_OF_HOST_MEMORY"}},
    {"no device", {}, {left_out, "Vulkan0"}},
    {"devices", {"Vulkan " + left_out, "VK_ERROR_OUT_OF_HOST_MEMORY"}},
    {"old", {device, left_out, "Vulkan 1.0, and kernels need 1.2"}},
    {"no limits", {device, driver, left_out, "of 0, and kernels need"}},
    {"limits that are no numbers", {device, driver, left_out, "begin at multiples of 1844674"}},
    {"huge", {works}, {left_out}},
    {"garbage for a name", {"Vulkan0 is \"unnamed, llvmpipe", works}, {"\xfe"}},
    {"no memory", {device, driver, left_out, "it has no memory"}},
    {"impossible memories", {device, driver, left_out, "memories that cannot be"}},
    {"no queue", {device, driver, left_out, "no queue that computes"}},
    {"too many queues", {works}, {left_out}},
    {"device", {"Vulkan0 " + named, left_out, "VK_ERROR_INITIALIZATION_FAILED"}},
    {"no submit", {"Vulkan0 " + named, left_out}},
    {"allocation", {"Vulkan0 " + named, left_out, "VK_ERROR_OUT_OF_DEVICE_MEMORY"}},
    {"buffer", {"Vulkan0 " + named, left_out, "VK_ERROR_OUT_OF_HOST_MEMORY"}},
    {"compiler", {"Kernel \"axpy\" does not compile", "VK_ERROR_UNKNOWN", "on Vulkan0 " + named}},
    {"recording", {"cannot record a launch of kernel \"axpy\"", "on Vulkan0 " + named}, {lost}},
    {"submit", {"VK_ERROR_DEVICE_LOST", "on Vulkan0 " + named, lost}},
    {"wait", {"VK_ERROR_DEVICE_LOST", "on Vulkan0 " + named, lost}},
    {"wait is no code", {"code -123456", "on Vulkan0 " + named, lost}},
    {"submit", {"VK_ERROR_DEVICE_LOST", lost}, {}, "import=no"},
    {"submit", {"VK_ERROR_DEVICE_LOST", lost}, {}, "import=no,staging=yes"},
    {"wait", {"VK_ERROR_DEVICE_LOST", lost}, {}, "import=no"},
    {"wait", {"VK_ERROR_DEVICE_LOST", lost}, {}, "import=no,staging=yes"},
    {"allocation", {works, "some right"}, {}, "import=no", 100},
    {"allocation", {works, "some right"}, {}, "import=no,staging=yes", 100},
    {"recording", {works, "some failed, some right"}, {lost}, "import=no,staging=yes", 150},
    {"submit", {works, "some failed, some right"}, {}, "import=yes", 100},
    {"submit", {works, "some failed, some right"}, {}, "import=no,staging=yes", 150},
    {"wait", {works, "some failed, some right"}, {}, "import=yes", 100},
    {"wait", {works, "some failed, some right"}, {}, "import=no,staging=yes", 150},
};

INSTANTIATE_TEST_SUITE_P(, bad_vulkan, ::testing::ValuesIn(faults), fault_name);

}  // namespace

}  // namespace hocket::testing
