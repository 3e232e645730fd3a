// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

// Any one call of a driver fails, in a small program that does what a step of training does. The
// program ends with the right result or with an error that names the device and the code; where
// losses are survived, with the right result. It never crashes, hangs or gives a wrong result, and
// the validation layer of Vulkan has nothing to say. HOCKET_EVERY_CALL=1 has each call of each
// function fail, with each code that its specification allows; otherwise some calls do, with one.

#include <unistd.h>

#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl.h>
#include <gtest/gtest.h>
#define VK_NO_PROTOTYPES
#include <vulkan/vulkan.h>

#include <cstdio>
#include <cstdlib>
#include <map>
#include <set>
#include <string>
#include <vector>

#include <hocket/hocket.hpp>

#include "any_call.hpp"
#include "driver_codes.hpp"
#include "driver_in_process.hpp"

namespace hocket::testing {

namespace {

void use_fake_drivers() { static const drivers_in_process all("any"); }

/// A device of a fake driver, and the program that uses it.
struct program {
  std::string name;
  const char* driver;
  std::string device;
  std::string backend;
  std::string configuration;
  bool (*run)(runtime& rt, const task_options& on);
  bool survives = false;  ///< the host is there as well, and takes over

  [[nodiscard]] bool is_vulkan() const { return backend == "vulkan"; }
};

void PrintTo(const program& p, std::ostream* out) { *out << p.name; }

ending run(const program& p) {
  runtime_options options;
  options.devices = (p.survives ? "NUMA0," : "") + p.device;
  options.resilience = p.survives ? resilience_kind::survive : resilience_kind::none;
  options.backends = {{p.backend, p.configuration}};
  return run_program(options, p.device, p.run);
}

/// Whether the device is not there, without any fault, or what is to check its use.
bool is_missing(const program& p) {
  driver_in_process(p.driver).disarm();
  const std::string why = run(p).error;
  return why.find("there is no \"" + p.device) != std::string::npos ||
         why.find("VK_LAYER_KHRONOS_validation is not there") != std::string::npos;
}

/// An error has to have the name of the code; null if the loader does not pass it on.
void expect_clean(const program& p, const ending& how, const char* code) {
  for (const char* by : {"hocket: vulkan:", "the fake driver:"}) {
    EXPECT_FALSE(has(how.printed, by)) << how.printed;
  }
  EXPECT_TRUE(how.right || !how.error.empty()) << "a wrong result";
  if (how.error.empty()) return;
  EXPECT_TRUE(has(how.error, p.device) || has(how.error, p.is_vulkan() ? "Vulkan" : "OpenCL"))
      << how.error;
  // A device that cannot be connected is left out: the program lacks it, and the reason is said.
  const std::string said = how.error + how.printed;
  const bool left_out = has(said, "is left out: ");
  if (code != nullptr) {
    EXPECT_TRUE(has(left_out ? said : how.error, code)) << said;
  }
  EXPECT_TRUE(!p.survives || left_out || code == nullptr) << how.error;
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
  void expect_clean_with(const std::string& function, const std::set<long>& which,
                         const returned_code& code) {
    const driver_in_process driver(GetParam().driver);
    for (const long n : which) {
      const std::string what =
          "call " + std::to_string(n) + " of " + function + " returns " + code.name;
      std::printf("%s\n", what.c_str());
      std::fflush(stdout);
      driver.arm(function, n, code.code);
      ::alarm(longest_run);
      const ending how = run(GetParam());
      ::alarm(0);
      driver.disarm();
      SCOPED_TRACE(what);
      expect_clean(GetParam(), how, function == "vkCreateInstance" ? nullptr : code.name);
      ++runs_;
    }
  }

  /// Has every call fail, with every code.
  void expect_clean_with_all(const std::string& function, long calls) {
    const auto codes = GetParam().is_vulkan() ? vulkan_codes(function) : opencl_codes(function);
    const bool imports = !has(GetParam().configuration, "import=no");
    for (const returned_code& each : codes) {
      // A memory that is not imported has no handle from elsewhere.
      if (each.code == VK_ERROR_INVALID_EXTERNAL_HANDLE && !imports) continue;
      expect_clean_with(function, all_of(calls), each);
    }
  }

  /// Has some calls fail, with the codes that matter most.
  void expect_clean_with_some(const std::string& function, long calls) {
    const bool vulkan = GetParam().is_vulkan();
    // A chunk of a copy may follow others that are under way: each submission matters.
    const bool each = function == "vkQueueSubmit" && GetParam().run == copy_there_and_back;
    const std::set<long> which = each ? all_of(calls) : some_of(calls);
    const auto codes = vulkan ? vulkan_codes(function) : opencl_codes(function);
    expect_clean_with(function, which, codes.front());
    if (!vulkan || (function != "vkQueueSubmit" && function != "vkWaitSemaphores")) return;
    expect_clean_with(function, which, {VK_ERROR_DEVICE_LOST, "VK_ERROR_DEVICE_LOST"});
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

  // A call that does not end in that time hangs: the signal ends the test.
  static constexpr unsigned longest_run = 100;  // seconds
  long runs_ = 0;
};

TEST_P(any_call, may_fail) {
  if (is_missing(GetParam())) GTEST_SKIP() << "The driver, or the validation layer, is missing.";
  const bool every = std::getenv("HOCKET_EVERY_CALL") != nullptr;
  for (const auto& [function, calls] : calls_of_a_good_run()) {
    std::printf("%ld x %s\n", calls, function.c_str());
    if (every) {
      expect_clean_with_all(function, calls);
    } else {
      expect_clean_with_some(function, calls);
    }
  }
  std::printf("%ld runs, each with one call that failed\n", runs_);
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
                         bool (*run)(runtime&, const task_options&), bool survives = false) {
    return program{name, FAKE_VULKAN, "Vulkan0", "vulkan", std::string("validation=yes,") + more,
                   run,  survives};
  };
  const auto opencl = [](const char* name, const char* more, bool survives = false) {
    return program{name, FAKE_OPENCL, "OpenCL0", "opencl", more, train, survives};
  };
  return {opencl("train_opencl", "import=no"),
          opencl("train_opencl_imported", "import=yes"),
          opencl("survive_opencl", "import=no", true),
          vulkan("staged_copy", "import=no,staging=yes", copy_there_and_back),
          vulkan("train_staged", "import=no,staging=yes", train),
          vulkan("train_imported", "import=yes", train),
          vulkan("survive_vulkan", "import=no,staging=yes", train, true)};
}

INSTANTIATE_TEST_SUITE_P(, any_call, ::testing::ValuesIn(programs()),
                         [](const auto& each) { return each.param.name; });

}  // namespace

}  // namespace hocket::testing
