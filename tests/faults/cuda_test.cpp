// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

// CUDA devices whose driver fails, or which are lost. The driver is the one that executes PTX on
// the host; it reads what is to fail from the environment, so that each plan has a process of its
// own.

#include <dlfcn.h>

#include <algorithm>
#include <cstdint>
#include <string>

#include <gtest/gtest.h>

#include <hocket/core/environment.hpp>
#include <hocket/hocket.hpp>

namespace hocket::testing {

namespace {

runtime_options options(resilience_kind resilience) {
  std::string configuration = "memory=16M";
  if (const auto more = environment_variable("HOCKET_BACKEND_CUDA")) configuration += "," + *more;
  return {.backends = {{"cuda", configuration}}, .resilience = resilience};
}

bool has_device(runtime& rt, const std::string& name) {
  return std::ranges::any_of(rt.devices(), [&](const auto& d) { return d.name == name; });
}

TEST(cuda_faults, a_kernel_outside_of_its_memory_loses_its_device_alone) {
  runtime rt(options(resilience_kind::none));
  if (!has_device(rt, "CUDA1")) GTEST_SKIP() << "There are no two CUDA devices.";
  const auto wild = kernel<inout_buffer<float>>{"wild"}.with(
      cuda_c{"x", "x_[ITEM(0) + (1u << 28)] = 1.0f;", {32, 1, 1}});
  const auto tame = kernel<inout_buffer<float>>{"tame"}.with(
      cuda_c{"x", "uint i = ITEM(0); if (i < x_extent0) x(i) += 1.0f;"});
  const buffer<float> x{rt, 100, 1.0f}, y{rt, 100, 1.0f};
  const future<void> lost = rt.submit({.on = rt.device("CUDA0")}, wild, updates(x));
  try {
    lost.get();
    ADD_FAILURE() << "The kernel wrote somewhere.";
  } catch (const error& e) {
    EXPECT_EQ(e.code(), failure_code::device_lost);
    EXPECT_NE(std::string(e.what()).find("CUDA_ERROR_ILLEGAL_ADDRESS (700)"), std::string::npos)
        << e.what();
  }
  rt.submit({.on = rt.device("CUDA1")}, tame, updates(y)).get();
  EXPECT_EQ(y.read()(99), 2.0f);
}

TEST(cuda_faults, more_groups_than_cuda_allows_are_named) {
  runtime rt(options(resilience_kind::none));
  if (!has_device(rt, "CUDA0")) GTEST_SKIP() << "There is no CUDA device.";
  const auto tall = kernel<inout_buffer<float>>{"tall"}.with(
      cuda_c{"x", "x(0) = 1.0f;", {1, 1, 1}, [](const launch_shape&) {
               return grid{1, 70'000, 1};
             }});
  const buffer<float> x{rt, 4, 0.0f};
  const failure why = rt.submit(tall, updates(x)).error();
  EXPECT_EQ(why.code(), failure_code::task_failed);
  EXPECT_NE(why.message().find("70000 groups in dimension 1"), std::string::npos) << why.message();
}

/// How often the driver was called by that name.
std::uint64_t calls_of(const std::string& name) {
  void* const driver = ::dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
  if (driver == nullptr) return 0;
  const auto count = reinterpret_cast<std::uint64_t (*)(const char*)>(
      ::dlsym(driver, "hocket_standin_cuda_calls"));
  return count == nullptr ? 0 : count(name.c_str());
}

TEST(cuda_faults, host_memory_that_is_copied_again_is_pinned_until_it_goes) {
  const auto tame = kernel<inout_buffer<float>>{"tame"}.with(
      cuda_c{"x", "uint i = ITEM(0); if (i < x_extent0) x(i) += 1.0f;"});
  const std::uint64_t pinned = calls_of("cuMemHostRegister_v2");
  const std::uint64_t unpinned = calls_of("cuMemHostUnregister");
  {
    runtime rt(options(resilience_kind::none));
    if (!has_device(rt, "CUDA1")) GTEST_SKIP() << "There are no two CUDA devices.";
    const buffer<float> large{rt, 100'000, 1.0f}, small{rt, 100, 1.0f};
    for (int round = 0; round < 4; ++round) {
      const device_handle on = rt.device(round % 2 == 0 ? "CUDA0" : "CUDA1");
      for (const auto& x : {large, small}) {
        rt.submit({.on = on}, tame, updates(x)).get();
        (void)x.update();
      }
    }
    EXPECT_EQ(large.read()(99'999), 5.0f);
    EXPECT_EQ(small.read()(99), 5.0f);
    EXPECT_EQ(calls_of("cuMemHostRegister_v2") - pinned, 1U) << "for both devices";
    EXPECT_EQ(calls_of("cuMemHostUnregister"), unpinned);
  }
  EXPECT_EQ(calls_of("cuMemHostUnregister") - unpinned, 1U);
}

TEST(cuda_faults, of_one_call_are_survived) {
  // No host body: the work stays on the devices that are left.
  const auto tame = kernel<in_buffer<float>, inout_buffer<float>>{"tame"}.with(
      cuda_c{"x, y", "uint i = ITEM(0); if (i < y_extent0) y(i) += x(i);"});
  runtime rt(options(resilience_kind::survive));
  if (!has_device(rt, "CUDA0") && !has_device(rt, "CUDA1"))
    GTEST_SKIP() << "There is no CUDA device.";
  constexpr std::size_t size = 300'000;  // more than one staging buffer
  const buffer<float> x{rt, size, 1.0f}, y{rt, size, 0.0f}, z{rt, size, 0.0f}, w{rt, size, 0.0f};
  // The host changes one, which is small enough for one copy.
  const buffer<float> counted{rt, 100, 0.0f}, sum{rt, 100, 0.0f};
  for (int i = 0; i < 10; ++i) {
    rt.submit(tame, reads(x), updates(y));
    rt.submit(tame, reads(y), updates(z));
    rt.submit(tame, reads(x), updates(w));
    rt.submit([](buffer_view<float> v) { v(0) += 1.0f; }, updates(counted));
    rt.submit(tame, reads(counted), updates(sum));
  }
  EXPECT_EQ(y.read()(size - 1), 10.0f);
  EXPECT_EQ(w.read()(size / 2), 10.0f);
  EXPECT_EQ(z.read()(0), 55.0f);
  EXPECT_EQ(z.read()(size - 1), 55.0f);
  EXPECT_EQ(sum.read()(0), 55.0f);
  if (const auto plan = environment_variable("HOCKET_STANDIN_CUDA_FAULTS")) {
    EXPECT_GE(calls_of(plan->substr(0, plan->find(' '))), 3U) << "The planned call was not made.";
  }
}

}  // namespace
}  // namespace hocket::testing
