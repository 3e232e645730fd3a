// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#include <fstream>

#include "bad_driver.hpp"

namespace hocket::testing {

namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

class bad_loader : public ::testing::Test {
 protected:
  [[nodiscard]] std::filesystem::path no_library() const {
    const std::filesystem::path file = around_.folder() / "no_library";
    std::ofstream(file) << "This is no library, whatever its name says.\n";
    return file;
  }

  /// Programs work without any driver, and the doctor says of both kinds the parts.
  void expect_said([[maybe_unused]] const std::string& of_opencl,
                   [[maybe_unused]] const std::string& of_vulkan) const {
    expect_usable(around_.run(USE_DEVICES), {"", {}, {"left out", "OpenCL0", "Vulkan0"}});
#ifdef HOCKET
    const outcome doctor = around_.run(HOCKET, "doctor");
    EXPECT_EQ(doctor.exit_code, 0) << doctor.said;
    EXPECT_THAT(doctor.said, HasSubstr("backend opencl: It has no device. " + of_opencl));
    EXPECT_THAT(doctor.said, HasSubstr("backend vulkan: It has no device. " + of_vulkan));
    EXPECT_THAT(doctor.said, AllOf(HasSubstr("pocl-opencl-icd"), HasSubstr("mesa-vulkan-drivers")));
#endif
  }

  surroundings around_;
};

TEST_F(bad_loader, without_a_driver_there_is_the_host) {
  expect_said(
      "The loader of OpenCL is there, and finds no driver that it can open in \"" +
          around_.folder().string(),
      "The loader of Vulkan is there, and finds no driver that it can open in the files \"" +
          around_.folder().string());
}

TEST_F(bad_loader, without_a_loader_there_is_the_host) {
  for (const char* name : {"libOpenCL.so.1", "libvulkan.so.1"}) {
    around_.replace_library(name, no_library());
  }
  expect_said("The loader of OpenCL, libOpenCL.so.1, cannot be opened (",
              "The loader of Vulkan, libvulkan.so.1, cannot be opened (");
}

TEST_F(bad_loader, that_lacks_what_is_needed_is_none) {
  for (const char* name : {"libOpenCL.so.1", "libvulkan.so.1"}) {
    around_.replace_library(name, FAKE_EMPTY);
  }
  expect_said("The loader of OpenCL, libOpenCL.so.1, lacks clBuildProgram; ",
              "The loader of Vulkan, libvulkan.so.1, lacks vkGetInstanceProcAddr");
}

TEST_F(bad_loader, passes_over_drivers_that_cannot_be_opened) {
  const std::string absent = (around_.folder() / "absent.so").string();
  for (const std::string& library : {absent, no_library().string(), std::string(FAKE_EMPTY)}) {
    SCOPED_TRACE(library);
    around_.add_opencl(library);
    around_.add_vulkan(library);
    expect_said("The loader of OpenCL is there, and finds no driver that it can open in \"",
                "The loader of Vulkan is there, and finds no driver that it can open in the files");
  }
}

TEST_F(bad_loader, a_device_that_is_asked_for_and_left_out_says_why) {
  around_.add_opencl(FAKE_OPENCL);
  const outcome unusable =
      around_.run(USE_DEVICES, "", "HOCKET_FAKE_FAULT='no group' HOCKET_VISIBLE_DEVICES=OpenCL0");
  const outcome broken =
      around_.run(USE_DEVICES, "", "HOCKET_FAKE_FAULT=context HOCKET_VISIBLE_DEVICES=OpenCL0");
  if (broken.said.find("there is no \"OpenCL0\"") != std::string::npos) {
    GTEST_SKIP() << "PoCL, whose faults these are, is not installed.";
  }
  EXPECT_EQ(unusable.exit_code, 1);
  EXPECT_THAT(unusable.said, AllOf(HasSubstr("there is no \"OpenCL0\""),
                                   HasSubstr("is left out: it takes groups of at most 0")));
  EXPECT_EQ(broken.exit_code, 1);
  EXPECT_THAT(broken.said, HasSubstr("fails to start: its driver says CL_OUT_OF_RESOURCES"));
}

#ifdef HOCKET
TEST_F(bad_loader, the_doctor_names_what_is_left_out) {
  around_.add_opencl(FAKE_OPENCL);
  around_.add_vulkan(FAKE_VULKAN);
  const auto doctor = [&](const std::string& fault) {
    return around_.run(HOCKET, "doctor", "HOCKET_FAKE_FAULT='" + fault + "'").said;
  };
  if (doctor("").find("device OpenCL0: It computes") == std::string::npos ||
      doctor("").find("device Vulkan0: It computes") == std::string::npos) {
    GTEST_SKIP() << "PoCL and lavapipe, whose faults these are, are not installed.";
  }
  const std::string memory = doctor("no memory");
  EXPECT_THAT(memory, HasSubstr("warning  backend opencl: It has no device. "));
  EXPECT_THAT(memory, HasSubstr("warning  backend vulkan: It has no device. "));
  EXPECT_THAT(memory, HasSubstr("is left out: it says that it has no memory"));
  const std::string buffer = doctor("buffer");
  EXPECT_THAT(buffer, HasSubstr("warning  device OpenCL0: It is left out"));
  EXPECT_THAT(buffer, HasSubstr("warning  device Vulkan0: It is left out"));
  EXPECT_THAT(doctor("compiler"), HasSubstr("problem  device OpenCL0: A small task fails: "));
}
#endif

}  // namespace

}  // namespace hocket::testing
