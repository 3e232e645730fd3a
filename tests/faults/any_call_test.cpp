// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

// Any one call of a driver fails, in a small program that does what a step of training does. The
// program ends with the right result or with an error that names the device; it never crashes,
// hangs or gives a wrong result, and the validation layer of Vulkan has nothing to say.

#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl.h>
#include <gtest/gtest.h>
#define VK_NO_PROTOTYPES
#include <vulkan/vulkan.h>

#include <cstdio>
#include <map>
#include <set>
#include <string>
#include <vector>

#include <hocket/hocket.hpp>

#include "driver_in_process.hpp"

namespace hocket::testing {

namespace {

void use_fake_drivers() { static const drivers_in_process all("any"); }

/// How a program ended.
struct ending {
  std::string error;    ///< what it threw
  bool right = false;   ///< its result
  std::string printed;  ///< on standard error
};

/// A device of a fake driver, and the program that uses it.
struct program {
  std::string name;
  const char* driver;
  std::string device;
  std::string backend;
  std::string configuration;
  bool (*run)(runtime& rt, const task_options& on);
};

void PrintTo(const program& p, std::ostream* out) { *out << p.name; }

ending run(const program& p) {
  ending how;
  ::testing::internal::CaptureStderr();
  try {
    runtime_options options;
    options.devices = p.device;
    options.backends = {{p.backend, p.configuration}};
    runtime rt(options);
    how.right = p.run(rt, {.on = rt.device(p.device)});
  } catch (const std::exception& why) {
    how.error = why.what();
  }
  how.printed = ::testing::internal::GetCapturedStderr();
  return how;
}

/// The first call, one in the middle and the last.
std::set<long> some_of(long calls) { return {1, (calls + 1) / 2, calls}; }

std::set<long> all_of(long calls) {
  std::set<long> made;
  for (long n = 1; n <= calls; ++n) made.insert(n);
  return made;
}

/// Whether the device is not there, without any fault, or what is to check its use.
bool is_missing(const program& p) {
  driver_in_process(p.driver).disarm();
  const std::string why = run(p).error;
  return why.find("there is no \"" + p.device) != std::string::npos ||
         why.find("VK_LAYER_KHRONOS_validation is not there") != std::string::npos;
}

void expect_clean(const program& p, const ending& how) {
  for (const char* by : {"hocket: vulkan:", "the fake driver:"}) {
    EXPECT_EQ(how.printed.find(by), std::string::npos) << how.printed;
  }
  EXPECT_TRUE(how.right || !how.error.empty()) << "a wrong result";
  if (how.error.empty()) return;
  const bool named =
      how.error.find(p.device) != std::string::npos ||
      how.error.find(p.backend == "vulkan" ? "Vulkan" : "OpenCL") != std::string::npos;
  EXPECT_TRUE(named) << how.error;
}

// ---- programs

std::vector<float> numbers(std::size_t count) {
  std::vector<float> made(count);
  for (std::size_t i = 0; i < count; ++i) made[i] = static_cast<float>(i % 8191);
  return made;
}

/// Copies of many chunks into the memory of the device and out of it.
bool copy_there_and_back(runtime& rt, const task_options& on) {
  constexpr std::size_t count = (std::size_t{1} << 20U) + 1000;  // more than eight chunks
  const std::vector<float> in = numbers(count);
  const buffer<float> x{rt, {count}, std::span<const float>(in), "x"}, y{rt, count, "y"};
  rt.submit(on, ops::copy, reads(x), writes(y));
  return y.to_vector() == in;
}

/// Layers forwards and backwards, twice, with values that the host needs.
bool train(runtime& rt, const task_options& on) {
  constexpr std::size_t rows = 6, inner = 5, columns = 4;
  const std::vector<float> first(rows * inner, 1.0F), weight(inner * columns, 0.5F);
  const buffer<float, 2> x{rt, {rows, inner}, std::span<const float>(first), "x"};
  const buffer<float, 2> w{rt, {inner, columns}, std::span<const float>(weight), "w"};
  bool right = true;
  for (int step = 0; step < 2; ++step) {
    const buffer<float, 2> y{rt, {rows, columns}, "y"}, g{rt, {inner, columns}, "g"};
    rt.submit(on, ops::gemm_nn, reads(x), reads(w), writes(y));
    rt.submit(on, ops::gemm_tn, reads(x), reads(y), writes(g));
    const future<float> total = rt.submit(on, ops::sum, reads(y));
    rt.submit(on, ops::axpy, -0.125F, reads(g), updates(w));
    right = right && total.get() == (step == 0 ? 60.0F : -165.0F);
  }
  return right && w.read()(0, 0) == 3.78125F;
}

// ---- tests

class any_call : public ::testing::TestWithParam<program> {
 protected:
  static void SetUpTestSuite() { use_fake_drivers(); }

  /// Has the nth call of the function fail, for each n of these.
  void expect_clean_with(const std::string& function, const std::set<long>& which, int code) {
    const driver_in_process driver(GetParam().driver);
    for (const long n : which) {
      std::printf("call %ld of %s returns %d\n", n, function.c_str(), code);
      std::fflush(stdout);
      driver.arm(function, n, code);
      const ending how = run(GetParam());
      driver.disarm();
      SCOPED_TRACE("call " + std::to_string(n) + " of " + function + " returns " +
                   std::to_string(code));
      expect_clean(GetParam(), how);
    }
  }

  /// The functions that the program calls, and how often, where nothing fails.
  std::map<std::string, long> calls_of_a_good_run() {
    const driver_in_process driver(GetParam().driver);
    driver.disarm();
    const ending how = run(GetParam());
    EXPECT_EQ(how.error, "");
    EXPECT_EQ(how.printed, "");
    EXPECT_TRUE(how.right);
    return driver.calls();
  }
};

TEST_P(any_call, may_fail) {
  if (is_missing(GetParam())) GTEST_SKIP() << "The driver, or the validation layer, is missing.";
  const bool vulkan = GetParam().backend == "vulkan";
  for (const auto& [function, calls] : calls_of_a_good_run()) {
    std::printf("%ld x %s\n", calls, function.c_str());
    // A chunk of a copy may follow others that are under way: each submission matters.
    const bool each = function == "vkQueueSubmit" && GetParam().run == copy_there_and_back;
    const std::set<long> which = each ? all_of(calls) : some_of(calls);
    expect_clean_with(function, which, vulkan ? VK_ERROR_OUT_OF_HOST_MEMORY : CL_OUT_OF_RESOURCES);
    if (vulkan && (function == "vkQueueSubmit" || function == "vkWaitSemaphores")) {
      expect_clean_with(function, which, VK_ERROR_DEVICE_LOST);
    }
  }
}

/// What is submitted runs at once, or as late as can be.
class staged_copies : public ::testing::TestWithParam<fake::pace> {};

TEST_P(staged_copies, use_no_buffer_again_before_its_chunk_was_copied) {
  use_fake_drivers();
  const driver_in_process driver(FAKE_VULKAN);
  const program copies{
      "", FAKE_VULKAN, "Vulkan0", "vulkan", "import=no,staging=yes", copy_there_and_back};
  if (is_missing(copies)) GTEST_SKIP() << "lavapipe, on which this runs, is not installed.";
  driver.set_pace(GetParam());
  const ending how = run(copies);
  driver.set_pace(fake::pace::own);
  EXPECT_EQ(how.error, "");
  EXPECT_TRUE(how.right);
}

std::string name_of_pace(const ::testing::TestParamInfo<fake::pace>& each) {
  return each.param == fake::pace::own ? "own" : each.param == fake::pace::eager ? "eager" : "lazy";
}

INSTANTIATE_TEST_SUITE_P(, staged_copies,
                         ::testing::Values(fake::pace::own, fake::pace::eager, fake::pace::lazy),
                         name_of_pace);

std::vector<program> programs() {
  const auto vulkan = [](const char* name, const char* more,
                         bool (*run)(runtime&, const task_options&)) {
    return program{name, FAKE_VULKAN, "Vulkan0", "vulkan", std::string("validation=yes,") + more,
                   run};
  };
  const auto opencl = [](const char* name, const char* more) {
    return program{name, FAKE_OPENCL, "OpenCL0", "opencl", more, train};
  };
  return {opencl("train_opencl", "import=no"), opencl("train_opencl_imported", "import=yes"),
          vulkan("staged_copy", "import=no,staging=yes", copy_there_and_back),
          vulkan("train_staged", "import=no,staging=yes", train),
          vulkan("train_imported", "import=yes", train)};
}

INSTANTIATE_TEST_SUITE_P(, any_call, ::testing::ValuesIn(programs()),
                         [](const auto& each) { return each.param.name; });

}  // namespace

}  // namespace hocket::testing
