// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

// Any one call of a driver of GPUs fails, or loses its device, in steps of training on GPUs and the
// host. The program ends with the right result or with an error that names the device and the code;
// where losses are survived, with the right result after a loss. It never crashes, hangs, or leaves
// objects of the driver behind. The drivers are those that execute kernels on the host.
// HOCKET_EVERY_CALL=1 has each call of each function fail; otherwise some calls do.

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <hocket/core/environment.hpp>
#include <hocket/hocket.hpp>

#include "any_call.hpp"
#include "standin_driver.hpp"

namespace hocket::testing {

namespace {

/// A stand-in driver, and the backend that uses it.
struct vendor {
  const char* backend;
  const char* library;
  const char* device;
  const char* title;
  const char* own_options;  ///< of the environment
  const char* invalid_value;
  const char* lost;
  const char* unknown;
  std::uint64_t kept_contexts;  ///< that never end
};

constexpr vendor cuda{"cuda",
                      "libcuda.so.1",
                      "CUDA0",
                      "CUDA",
                      "HOCKET_BACKEND_CUDA",
                      "CUDA_ERROR_INVALID_VALUE (1)",
                      "CUDA_ERROR_ECC_UNCORRECTABLE (214)",
                      "CUDA_ERROR_UNKNOWN (999)",
                      0};
constexpr vendor hip{"hip",
                     "libamdhip64.so.6",
                     "HIP0",
                     "HIP",
                     "HOCKET_BACKEND_HIP",
                     "hipErrorInvalidValue (1)",
                     "hipErrorECCNotCorrectable (214)",
                     "hipErrorUnknown (999)",
                     1};

struct program {
  std::string name;
  vendor of;
  bool survives = false;
  const char* second = nullptr;  ///< a device for some of the tasks
};

void PrintTo(const program& p, std::ostream* out) { *out << p.name; }

// ---- steps of training

constexpr std::size_t rows = 6, inputs = 5, hidden = 4, outputs = 3;
// Pinned when they are copied again, more than one chunk before.
constexpr std::size_t many = 300'000;

const auto rectify = elementwise("rectify", [](auto& x) { x = select(x > 0.0F, x, 0.0F); });
const auto halve = elementwise("halve", [](auto& x) { x = x / 2; });
const auto add_last = kernel<in_buffer<float>, inout_buffer<float>>{
    "add_last", host_body{[](buffer_view<const float> x, buffer_view<float> y) {
      y[0] += x[x.size() - 1];
    }}}.with(cuda_c{"x, y", "y(0) += x(x_extent0 - 1u);", {1, 1, 1}, [](const launch_shape&) {
                      return grid{1, 1, 1};
                    }});

std::vector<float> train(runtime& rt, const task_options& on, const task_options& second) {
  const buffer<float, 2> x{rt, {rows, inputs}, 1.0F}, w1{rt, {inputs, hidden}, 0.5F},
      w2{rt, {hidden, outputs}, 0.25F};
  const buffer<float> large{rt, many, 1.0F}, sum{rt, 1, 0.0F};
  std::vector<float> totals;
  const graph decay = rt.record({.batch = true}, [&](submitter& s) {
    for (const auto& w : {w1, w2, w1, w2}) s.submit(on, halve, updates(w));
  });
  for (int step = 0; step < 3; ++step) {
    const buffer<float, 2> h{rt, {rows, hidden}}, y{rt, {rows, outputs}}, d{rt, {rows, hidden}};
    const buffer<float, 2> g1{rt, {inputs, hidden}}, g2{rt, {hidden, outputs}};
    rt.submit(on, ops::gemm_nn, reads(x), reads(w1), writes(h));
    rt.submit(on, rectify, updates(h));
    rt.submit(second, ops::gemm_nn, reads(h), reads(w2), writes(y));
    const future<float> total = rt.submit(second, ops::sum, reads(y));
    rt.submit(on, ops::gemm_tn, reads(h), reads(y), writes(g2));
    rt.submit(second, ops::gemm_nt, reads(y), reads(w2), writes(d));
    rt.submit(on, ops::gemm_tn, reads(x), reads(d), writes(g1));
    rt.submit(on, ops::axpy, -0.125F, reads(g1), updates(w1));
    rt.submit(second, ops::axpy, -0.125F, reads(g2), updates(w2));
    rt.submit(on, add_last, reads(large), updates(sum));
    rt.run(decay);
    // The host makes the next batch.
    rt.submit([](buffer_view<float, 2> v) { v(0, 0) += 1.0F; }, updates(x));
    rt.submit([](buffer_view<float> v) { v(v.size() - 1) += 1.0F; }, updates(large));
    totals.push_back(total.get());
  }
  totals.push_back(sum.read()(0));
  for (const auto& w : {w1, w2}) {
    const auto all = w.to_vector();
    totals.insert(totals.end(), all.begin(), all.end());
  }
  return totals;
}

/// Results that the host computes alone.
const std::vector<float>& expected() {
  static const std::vector<float> made = [] {
    runtime_options alone;
    alone.devices = "NUMA0";
    runtime rt(alone);
    const task_options on{.on = rt.device("NUMA0")};
    return train(rt, on, on);
  }();
  return made;
}

bool is_right(const std::vector<float>& found) {
  return std::ranges::equal(found, expected(), [](float a, float b) {
    return std::abs(a - b) <= 1e-5F * std::max(1.0F, std::abs(b));
  });
}

ending run(const program& p) {
  runtime_options options;
  std::string devices = std::string("NUMA0,") + p.of.device;
  if (p.second != nullptr) devices += std::string(",") + p.second;
  options.devices = devices;
  options.resilience = p.survives ? resilience_kind::survive : resilience_kind::none;
  std::string configuration = "memory=16M";
  if (const auto more = environment_variable(p.of.own_options)) configuration += "," + *more;
  options.backends = {{p.of.backend, configuration}};
  return run_program(options, p.of.device, [&](runtime& rt, const task_options& on) {
    const task_options second{.on = rt.device(p.second == nullptr ? p.of.device : p.second)};
    return is_right(train(rt, on, second));
  });
}

// ---- tests

/// How a call fails, and the name of the code in errors.
struct fault {
  std::string action;
  const char* code;
  bool is_loss = true;      ///< as Hocket understands the code
  bool ends_device = true;  ///< nothing of it can be given back
};

/// Objects may be left if a call of the function fails: it ends one, or the device's context is not
/// current where objects are to end.
bool ends_objects(const std::string& function) {
  constexpr const char* of_contexts[]{"cuCtxPushCurrent_v2", "cuCtxSetCurrent", "cuDeviceGet"};
  constexpr const char* parts[]{"Destroy", "Free", "Release", "Unload", "Unregister"};
  return std::ranges::find(of_contexts, function) != std::end(of_contexts) ||
         std::ranges::any_of(parts, [&](const char* part) { return has(function, part); });
}

class any_gpu_call : public ::testing::TestWithParam<program> {
 protected:
  /// Objects of the driver that have no owner any more, while there is no runtime.
  [[nodiscard]] std::uint64_t leaks() const {
    return driver_.left() + std::max(driver_.live(), GetParam().of.kept_contexts) -
           GetParam().of.kept_contexts;
  }

  void expect_clean_with(const std::string& function, long n, const fault& how) {
    const program& p = GetParam();
    const std::string plan = function + " " + std::to_string(n) + " " + how.action;
    std::printf("%s\n", plan.c_str());
    std::fflush(stdout);
    SCOPED_TRACE(plan);
    driver_.restart();
    driver_.begin(plan);
    const std::uint64_t left = leaks();
    ::alarm(longest_run);
    const ending ended = run(p);
    ::alarm(0);
    ++runs_;
    EXPECT_TRUE(ended.right || !ended.error.empty()) << "a wrong result";
    EXPECT_TRUE(leaks() == left || how.ends_device || ends_objects(function))
        << "objects of the driver are left";
    if (ended.error.empty()) return;
    ++errors_;
    const std::string said = ended.error + ended.printed;
    EXPECT_TRUE(has(ended.error, p.of.title)) << ended.error;
    // Libraries of products have codes of their own.
    EXPECT_TRUE(has(said, how.code) || has(said, "to multiply matrices")) << said;
    // A task that others were issued behind is not run again.
    EXPECT_TRUE(!p.survives || !how.is_loss || has(said, "is left out")) << said;
  }

  // A call that does not end in that time hangs: the signal ends the test.
  static constexpr unsigned longest_run = 100;  // seconds

  standin_driver driver_{GetParam().of.library};
  long runs_ = 0, errors_ = 0;
};

TEST_P(any_gpu_call, may_fail) {
  const program& p = GetParam();
  if (!driver_ || has(run(p).error, "there is no")) {
    GTEST_SKIP() << "The stand-in driver or NVRTC is missing.";
  }
  driver_.restart();
  driver_.begin("");
  const std::uint64_t left = leaks();
  const ending good = run(p);
  ASSERT_EQ(good.error, "");
  ASSERT_EQ(good.printed, "");
  ASSERT_TRUE(good.right);
  ASSERT_EQ(leaks(), left);
  const bool every = std::getenv("HOCKET_EVERY_CALL") != nullptr;
  const fault fails{"fail 1", p.of.invalid_value, false, false};
  // The driver goes on after the second.
  const fault losses[]{{"lose 214", p.of.lost}, {"fail 999", p.of.unknown, true, false}};
  for (const auto& [function, calls] : driver_.calls()) {
    const auto times = static_cast<long>(calls);
    std::printf("%ld x %s\n", times, function.c_str());
    for (const long n : every ? all_of(times) : some_of(times)) {
      expect_clean_with(function, n, fails);
    }
    for (const long n : every ? all_of(times) : std::set<long>{(times + 1) / 2}) {
      for (const fault& loss : losses) expect_clean_with(function, n, loss);
    }
  }
  std::printf("%ld runs, each with one call that failed; %ld ended with an error\n", runs_,
              errors_);
}

INSTANTIATE_TEST_SUITE_P(, any_gpu_call,
                         ::testing::Values(program{"cuda", cuda},
                                           program{"survive_cuda", cuda, true},
                                           program{"survive_two_cuda", cuda, true, "CUDA1"},
                                           program{"hip", hip}, program{"survive_hip", hip, true}),
                         [](const auto& each) { return each.param.name; });

}  // namespace

}  // namespace hocket::testing
