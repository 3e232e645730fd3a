// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

// CUDA devices whose driver fails, or which are lost. The driver is the one that executes PTX on
// the host; it reads what is to fail from the environment, so that each plan has a process of its
// own.

#include <algorithm>
#include <cstdint>
#include <string>

#include <gtest/gtest.h>

#include <hocket/core/environment.hpp>
#include <hocket/hocket.hpp>

#include "standin_driver.hpp"

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
  return standin_driver("libcuda.so.1").calls(name);
}

TEST(cuda_faults, batches_that_run_again_are_one_graph_of_the_driver) {
  const auto tame = kernel<inout_buffer<float>>{"tame"}.with(
      cuda_c{"x", "uint i = ITEM(0); if (i < x_extent0) x(i) += 1.0f;"});
  constexpr int tasks = 20, runs = 6;
  const std::uint64_t launches = calls_of("cuLaunchKernel"), graphs = calls_of("cuGraphLaunch");
  {
    runtime rt(options(resilience_kind::none));
    if (!has_device(rt, "CUDA0")) GTEST_SKIP() << "There is no CUDA device.";
    const task_options on{.on = rt.device("CUDA0")};
    const buffer<float> x{rt, 100, 0.0F};
    const graph recorded = rt.record({.batch = true}, [&](submitter& s) {
      for (int i = 0; i < tasks; ++i) s.submit(on, tame, updates(x));
    });
    for (int run = 0; run < runs; ++run) rt.run(recorded).get();
    EXPECT_EQ(x.read()(99), static_cast<float>(tasks * runs));
    EXPECT_EQ(calls_of("cuLaunchKernel") - launches, 2U * tasks) << "launched, and captured";
    EXPECT_EQ(calls_of("cuGraphLaunch") - graphs, runs - 1U);
  }
  EXPECT_EQ(calls_of("cuGraphExecDestroy"), calls_of("cuGraphInstantiateWithFlags"));
  EXPECT_EQ(calls_of("cuGraphDestroy"), calls_of("cuStreamEndCapture"));
}

TEST(cuda_faults, what_is_no_graph_is_launched_kernel_by_kernel) {
  // The plan of faults is the process's: see CMakeLists.txt.
  const auto plan = environment_variable("HOCKET_STANDIN_CUDA_FAULTS");
  if (!plan) GTEST_SKIP() << "Nothing is to fail.";
  const auto tame = kernel<inout_buffer<float>>{"tame"}.with(
      cuda_c{"x", "uint i = ITEM(0); if (i < x_extent0) x(i) += 1.0f;"});
  runtime rt(options(resilience_kind::none));
  if (!has_device(rt, "CUDA0")) GTEST_SKIP() << "There is no CUDA device.";
  const task_options on{.on = rt.device("CUDA0")};
  const buffer<float> x{rt, 100, 0.0F};
  const graph recorded = rt.record({.batch = true}, [&](submitter& s) {
    for (int i = 0; i < 8; ++i) s.submit(on, tame, updates(x));
  });
  for (int run = 0; run < 4; ++run) rt.run(recorded).get();
  EXPECT_EQ(x.read()(99), 32.0F);
  EXPECT_GE(calls_of(std::string(*plan).substr(0, std::string(*plan).find(' '))), 1U);
}

TEST(cuda_faults, small_copies_to_a_device_need_no_function_of_the_host) {
  const auto tame = kernel<in_buffer<float>>{"tame"}.with(cuda_c{"x", ";"});
  const auto add = kernel<in_buffer<float, 2>, inout_buffer<float>>{"add"}.with(cuda_c{
      "x, y",
      "if (ITEM(0) == 0u) for (uint i = 0u; i < x_extent0; ++i) y(0) += x(i, x_extent1 - 1u);"});
  runtime rt(options(resilience_kind::none));
  if (!has_device(rt, "CUDA0")) GTEST_SKIP() << "There is no CUDA device.";
  const task_options on{.on = rt.device("CUDA0")};
  constexpr std::size_t many = 100;
  const std::uint64_t functions = calls_of("cuLaunchHostFunc");
  std::vector<buffer<float>> all;
  for (std::size_t i = 0; i < many; ++i) all.emplace_back(rt, 1000, static_cast<float>(i));
  for (const auto& each : all) rt.submit(on, tame, reads(each));
  rt.wait();
  // All buffers for copies are used now and then.
  EXPECT_LT(calls_of("cuLaunchHostFunc") - functions, many);
  const buffer<float, 2> wide{rt, {20, 30}, 2.0F};
  const buffer<float> sum{rt, 1, 0.0F};
  rt.submit(on, add, reads(wide.tile({3, 4}, {5, 9})), updates(sum)).get();
  EXPECT_EQ(sum.read()(0), 4.0F);
  for (std::size_t i = 0; i < many; ++i) {
    rt.submit(on, ops::sum, reads(all[i])).get();
    ASSERT_EQ(rt.submit(on, ops::sum, reads(all[i])).get(), 1000.0F * static_cast<float>(i));
  }
}

TEST(cuda_faults, what_a_device_has_pinned_is_not_when_it_is_removed) {
  const auto tame = kernel<inout_buffer<float>>{"tame"}.with(
      cuda_c{"x", "uint i = ITEM(0); if (i < x_extent0) x(i) += 1.0f;"});
  runtime rt(options(resilience_kind::none));
  if (!has_device(rt, "CUDA1")) GTEST_SKIP() << "There are no two CUDA devices.";
  const buffer<float> x{rt, 100'000, 0.0F};
  const auto add_on = [&](const char* device) {
    rt.submit({.on = rt.device(device)}, tame, updates(x)).get();
    (void)x.update();
  };
  for (int round = 0; round < 3; ++round) add_on("CUDA0");
  rt.drain(rt.device("CUDA0")).get();
  rt.remove(rt.device("CUDA0"));
  EXPECT_EQ(calls_of("cuMemHostUnregister"), calls_of("cuMemHostRegister_v2"));
  for (int round = 0; round < 3; ++round) add_on("CUDA1");
  rt.reopen(rt.device("CUDA0"));
  for (int round = 0; round < 3; ++round) add_on("CUDA0");
  EXPECT_EQ(x.read()(99'999), 9.0F);
}

TEST(cuda_faults, products_are_made_by_the_library) {
  runtime rt(options(resilience_kind::none));
  if (!has_device(rt, "CUDA0")) GTEST_SKIP() << "There is no CUDA device.";
  const task_options on{.on = rt.device("CUDA0")};
  const buffer<double, 2> a{rt, {3, 2}, 2.0}, b{rt, {2, 5}, 3.0}, c{rt, {3, 5}, 1.0};
  const std::uint64_t products = calls_of("cublasDgemm_v2"), launches = calls_of("cuLaunchKernel");
  rt.submit(on, ops::gemm_nn, reads(a), reads(b), updates(c)).get();
  EXPECT_EQ(c.read()(2, 4), 13.0);
  rt.submit(on, ops::gemm_nn, reads(a), reads(b), writes(c)).get();
  EXPECT_EQ(c.read()(0, 0), 12.0);
  EXPECT_EQ(calls_of("cublasDgemm_v2") - products, 2U);
  EXPECT_EQ(calls_of("cuLaunchKernel"), launches);
}

TEST(cuda_faults, products_without_the_library_are_made_by_text) {
  runtime_options chosen = options(resilience_kind::none);
  chosen.backends["cuda"] += ",blas=no";
  runtime rt(chosen);
  if (!has_device(rt, "CUDA0")) GTEST_SKIP() << "There is no CUDA device.";
  const task_options on{.on = rt.device("CUDA0")};
  const buffer<float, 2> a{rt, {3, 2}, 2.0F}, b{rt, {2, 5}, 3.0F}, c{rt, {3, 5}, 1.0F};
  const std::uint64_t products = calls_of("cublasSgemm_v2");
  rt.submit(on, ops::gemm_nn, reads(a), reads(b), updates(c)).get();
  EXPECT_EQ(c.read()(2, 4), 13.0F);
  EXPECT_EQ(calls_of("cublasSgemm_v2"), products);
}

TEST(cuda_faults, a_library_of_products_that_is_named_has_to_open) {
  runtime_options chosen = options(resilience_kind::none);
  chosen.backends["cuda"] += ",blas=/nonexistent/libcublas.so";
  runtime rt(chosen);
  if (!has_device(rt, "CUDA0")) GTEST_SKIP() << "There is no CUDA device.";
  const buffer<float, 2> a{rt, {3, 3}, 2.0F}, c{rt, {3, 3}, 1.0F};
  const failure why =
      rt.submit({.on = rt.device("CUDA0")}, ops::gemm_nn, reads(a), reads(a), writes(c)).error();
  EXPECT_NE(why.message().find("/nonexistent/libcublas.so"), std::string::npos) << why.message();
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

TEST(cuda_faults, scratch_takes_the_place_of_freed_buffers) {
  // The memory of the driver is the process's: see CMakeLists.txt.
  const auto settings = environment_variable("HOCKET_STANDIN_CUDA");
  if (!settings || settings->find("memory=8") == std::string::npos) {
    GTEST_SKIP() << "The device has much memory.";
  }
  runtime rt(options(resilience_kind::none));
  if (!has_device(rt, "CUDA0")) GTEST_SKIP() << "There is no CUDA device.";
  const task_options on{.on = rt.device("CUDA0")};
  {
    std::vector<buffer<float>> all;
    for (int i = 0; i < 12; ++i) {
      all.emplace_back(rt, std::size_t{250'000});
      rt.submit(on, ops::fill, 1.0F, writes(all.back())).get();
    }
  }
  rt.wait();
  for (int round = 0; round < 3; ++round) {
    const buffer<float> x{rt, std::size_t{240'000}};
    rt.submit(on, ops::random_uniform, 1U, 0U, writes(x)).get();
    const failure why = rt.submit(on, ops::sort, updates(x)).error();
    ASSERT_FALSE(why) << why.message();
    const auto sorted = x.read();
    EXPECT_TRUE(std::is_sorted(sorted.begin(), sorted.end()));
  }
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
