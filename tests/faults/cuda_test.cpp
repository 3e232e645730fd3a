// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

// CUDA devices whose driver fails, or which are lost. The driver is the one that executes PTX on
// the host; it reads what is to fail from the environment, so that each plan has a process of its
// own.

#include <gtest/gtest.h>

#include <algorithm>

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

TEST(cuda_faults, of_one_call_are_survived) {
  // No host body: the work stays on the devices that are left.
  const auto tame = kernel<in_buffer<float>, inout_buffer<float>>{"tame"}.with(
      cuda_c{"x, y", "uint i = ITEM(0); if (i < y_extent0) y(i) += x(i);"});
  runtime rt(options(resilience_kind::survive));
  if (!has_device(rt, "CUDA0") && !has_device(rt, "CUDA1"))
    GTEST_SKIP() << "There is no CUDA device.";
  constexpr std::size_t size = 300'000;  // more than one staging buffer
  const buffer<float> x{rt, size, 1.0f}, y{rt, size, 0.0f}, z{rt, size, 0.0f}, w{rt, size, 0.0f};
  for (int i = 0; i < 10; ++i) {
    rt.submit(tame, reads(x), updates(y));
    rt.submit(tame, reads(y), updates(z));
    rt.submit(tame, reads(x), updates(w));
  }
  EXPECT_EQ(y.read()(size - 1), 10.0f);
  EXPECT_EQ(w.read()(size / 2), 10.0f);
  EXPECT_EQ(z.read()(0), 55.0f);
  EXPECT_EQ(z.read()(size - 1), 55.0f);
}

}  // namespace
}  // namespace hocket::testing
