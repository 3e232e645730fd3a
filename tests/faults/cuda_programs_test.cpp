// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

// The machine code of programs that is kept on disk, on the driver that executes PTX on the host.

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <system_error>
#include <vector>

#include <gmock/gmock.h>

#include <hocket/core/environment.hpp>
#include <hocket/hocket.hpp>

#include "child_program.hpp"
#include "standin_driver.hpp"

namespace hocket::testing {

namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

constexpr const char* link = "cuLinkCreate_v2";
constexpr const char* load = "cuModuleLoadDataEx";

kernel<inout_buffer<float>> adding(const std::string& number) {
  return kernel<inout_buffer<float>>{"add" + number}.with(
      cuda_c{"x", "uint i = ITEM(0); if (i < x_extent0) x(i) += " + number + ".0f;"});
}

/// Each test begins with no program on disk.
class cuda_programs : public ::testing::Test {
 protected:
  void SetUp() override {
    if (const auto known = environment_variable("XDG_CACHE_HOME")) before_ = *known;
    use_cache(cache_ / "");
    if (!driver_ || !has_device()) GTEST_SKIP() << "The stand-in driver or NVRTC is missing.";
  }
  void TearDown() override {
    if (before_.empty()) {
      ::unsetenv("XDG_CACHE_HOME");
    } else {
      use_cache(before_);
    }
    if (driver_) driver_.begin("");
  }

  /// Two kernels run in a runtime of their own; the text is what it prints. Calls are counted from
  /// its begin.
  std::string run(const std::string& plan = "") {
    driver_.begin(plan);
    ::testing::internal::CaptureStderr();
    try {
      runtime rt(options());
      const task_options on{.on = rt.device("CUDA0")};
      const buffer<float> x{rt, 100, 1.0F};
      rt.submit(on, adding("1"), updates(x));
      rt.submit(on, adding("2"), updates(x));
      EXPECT_EQ(x.read()(99), 4.0F);
    } catch (const error& e) {
      error_ = e.what();
    }
    return ::testing::internal::GetCapturedStderr();
  }

  /// The files of the programs on disk.
  [[nodiscard]] std::vector<fs::path> kept() const {
    std::vector<fs::path> made;
    std::error_code is_not_there;
    for (const auto& each : fs::directory_iterator(cache_ / "hocket/programs/cuda", is_not_there)) {
      made.push_back(each.path());
    }
    return made;
  }

  standin_driver driver_{"libcuda.so.1"};
  std::string error_;  ///< of the last run that failed

 private:
  static runtime_options options() {
    std::string configuration = "memory=16M";
    if (const auto more = environment_variable("HOCKET_BACKEND_CUDA")) configuration += "," + *more;
    return {.backends = {{"cuda", configuration}}};
  }
  static bool has_device() {
    runtime rt(options());
    for (const device_info& each : rt.devices()) {
      if (each.name == "CUDA0") return true;
    }
    return false;
  }
  static void use_cache(const std::string& folder) {
    ::setenv("XDG_CACHE_HOME", folder.c_str(), 1);
  }

  scratch_folder cache_;
  std::string before_;
};

TEST_F(cuda_programs, are_kept_as_machine_code) {
  EXPECT_EQ(run(), "");
  EXPECT_EQ(driver_.calls(link), 2U);
  for (const fs::path& each : kept())
    EXPECT_THAT(content_of(each), HasSubstr("\x7F"
                                            "ELF"));
  EXPECT_EQ(kept().size(), 2U);
  EXPECT_EQ(run(), "");
  EXPECT_EQ(driver_.calls(link), 0U);
  EXPECT_EQ(driver_.calls(load), 2U);
}

TEST_F(cuda_programs, that_the_driver_refuses_are_compiled_anew_which_is_said_once) {
  EXPECT_EQ(run(), "");
  // The third call loads the program that is compiled anew.
  const std::string said = run(std::string(load) + " 1 fail 209; " + load + " 3 fail 209");
  const std::string sentence =
      "hocket: Device \"CUDA0\" refuses a compiled program that was kept: "
      "CUDA_ERROR_NO_BINARY_FOR_GPU (209). It is compiled anew.\n";
  EXPECT_EQ(said, sentence);
  EXPECT_EQ(driver_.calls(link), 2U);
  EXPECT_EQ(run(), "");
  EXPECT_EQ(driver_.calls(link), 0U);
}

TEST_F(cuda_programs, that_do_not_load_for_another_reason_are_not_called_refused) {
  EXPECT_EQ(run(), "");
  EXPECT_EQ(run(std::string(load) + " 1 fail 2"), "");
}

TEST_F(cuda_programs, whose_files_are_damaged_are_compiled_anew) {
  EXPECT_EQ(run(), "");
  for (const fs::path& each : kept()) fs::resize_file(each, fs::file_size(each) - 1);
  EXPECT_THAT(run(), HasSubstr("is damaged"));
  EXPECT_EQ(driver_.calls(link), 2U);
}

TEST_F(cuda_programs, run_as_ptx_where_the_linker_fails) {
  for (const char* const call : {link, "cuLinkAddData_v2", "cuLinkComplete"}) {
    for (const fs::path& each : kept()) fs::remove(each);
    EXPECT_EQ(run(std::string(call) + " 1 fail 1"), "") << call;
    EXPECT_EQ(error_, "") << call;
    EXPECT_EQ(driver_.calls("cuLinkDestroy"), call == link ? 1U : 2U) << call;
  }
}

TEST_F(cuda_programs, name_the_loss_of_a_device_in_the_linker) {
  (void)run("cuLinkComplete 1 lose 214");
  EXPECT_THAT(error_, HasSubstr("CUDA_ERROR_ECC_UNCORRECTABLE (214)"));
  driver_.restart();
}

/// Run by the test below, with another device or driver.
TEST(DISABLED_cuda_programs_of_a_process, are_compiled_or_found) {
  std::string configuration = "memory=16M";
  if (const auto more = environment_variable("HOCKET_BACKEND_CUDA")) configuration += "," + *more;
  runtime rt({.backends = {{"cuda", configuration}}});
  const buffer<float> x{rt, 100, 1.0F};
  rt.submit({.on = rt.device("CUDA0")}, adding("1"), updates(x)).get();
  std::printf("%d texts were linked\n",
              static_cast<int>(standin_driver("libcuda.so.1").calls(link)));
}

TEST_F(cuda_programs, are_those_of_one_kind_of_device_and_one_version_of_the_driver) {
  const auto links = [](const std::string& standin) {
    ::setenv("HOCKET_STANDIN_CUDA", standin.c_str(), 1);
    running child(fs::read_symlink("/proc/self/exe").string(),
                  {"--gtest_filter=*of_a_process*", "--gtest_also_run_disabled_tests"});
    ::unsetenv("HOCKET_STANDIN_CUDA");
    return child.end().out;
  };
  const std::string one = "1 texts were linked", none = "0 texts were linked";
  EXPECT_THAT(links("capability=90"), HasSubstr(one));
  EXPECT_THAT(links("capability=90"), HasSubstr(none));
  // NVRTC compiles for compute_90 here too, and the device could run the code that is there.
  EXPECT_THAT(links("capability=91"), HasSubstr(one));
  EXPECT_THAT(links("capability=90,version=13010"), HasSubstr(one));
  EXPECT_THAT(links("capability=90"), HasSubstr(none));
}

}  // namespace

}  // namespace hocket::testing
