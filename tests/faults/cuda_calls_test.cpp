// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

// The calls of the driver that work takes once it has been done before, against those that it takes
// by hand (docs/gpus.md has the table). The driver is the one that executes PTX on the host.

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <map>
#include <string>
#include <thread>

#include <gtest/gtest.h>

#include <hocket/core/environment.hpp>
#include <hocket/hocket.hpp>

#include "standin_driver.hpp"

namespace hocket::testing {

namespace {

using counts = std::map<std::string, std::uint64_t>;

runtime_options options() {
  std::string configuration = "memory=16M";
  if (const auto more = environment_variable("HOCKET_BACKEND_CUDA")) configuration += "," + *more;
  return {.backends = {{"cuda", configuration}}};
}

class cuda_calls : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto is_first = [](const device_info& each) { return each.name == "CUDA0"; };
    if (!driver_ || std::ranges::none_of(rt_.devices(), is_first)) {
      GTEST_SKIP() << "The stand-in driver or NVRTC is missing.";
    }
    on_.on = rt_.device("CUDA0");
  }

  /// No function is called more often than this says, and no other is called at all. Whether an
  /// event was reached is asked as often as a thread has nothing else to do.
  void expect_at_most(const counts& most) const {
    for (const auto& [function, times] : driver_.calls()) {
      const auto allowed = most.find(function);
      if (function == "cuEventQuery") continue;
      EXPECT_LE(times, allowed == most.end() ? 0 : allowed->second) << function;
    }
  }
  void expect_calls(const std::string& function, std::uint64_t times) const {
    EXPECT_EQ(driver_.calls(function), times) << function;
  }
  /// Returns once the function was called so often. A test that waits for too long is ended.
  void wait_for_calls(const std::string& function, std::uint64_t times) const {
    while (driver_.calls(function) < times)
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }

  static constexpr int kernels = 1000;

  standin_driver driver_{"libcuda.so.1"};
  runtime rt_{options()};
  task_options on_;
  kernel<inout_buffer<float>> add_ = kernel<inout_buffer<float>>{"add"}.with(
      cuda_c{"x", "uint i = ITEM(0); if (i < x_extent0) x(i) += 1.0f;"});
};

TEST_F(cuda_calls, a_recorded_chain_that_runs_again_is_one_launch) {
  const buffer<float> x{rt_, 32, 0.0F};
  const graph recorded = rt_.record({.batch = true}, [&](submitter& s) {
    for (int i = 0; i < kernels; ++i) s.submit(on_, add_, updates(x));
  });
  // The first run launches kernels, the second one makes a graph of them.
  for (int run = 0; run < 2; ++run) rt_.run(recorded).get();
  driver_.begin("");
  rt_.run(recorded).get();
  expect_calls("cuGraphLaunch", 1);
  expect_at_most({{"cuCtxPopCurrent_v2", 3},
                  {"cuCtxPushCurrent_v2", 3},
                  {"cuEventElapsedTime", 2},
                  {"cuEventRecord", 2},
                  {"cuEventSynchronize", 1},
                  {"cuGraphLaunch", 1}});
  EXPECT_EQ(x.read()(31), 3.0F * kernels);
}

TEST_F(cuda_calls, an_unrecorded_chain_takes_a_launch_and_an_event_for_each_kernel) {
  const buffer<float> x{rt_, 32, 0.0F};
  const auto submit_all = [&] {
    for (int i = 0; i < kernels; ++i) rt_.submit(on_, add_, updates(x));
  };
  for (int warm = 0; warm < 3; ++warm) {
    submit_all();
    rt_.wait();
  }
  driver_.begin("cuLaunchKernel 1 hold");
  submit_all();
  // Others are launched behind the first one while it is held.
  wait_for_calls("cuLaunchKernel", 4);
  driver_.release("cuLaunchKernel");
  rt_.wait();
  expect_calls("cuLaunchKernel", kernels);
  // A begin has an event of its own where the stream had come to its end. The pool of events has
  // as many as ever were in flight. The thread that learns of ends is the one that waits for some.
  expect_at_most({{"cuCtxPopCurrent_v2", 3 * kernels},
                  {"cuCtxPushCurrent_v2", 3 * kernels},
                  {"cuEventCreate", kernels / 20},
                  {"cuEventElapsedTime", 2 * kernels},
                  {"cuEventRecord", kernels * 11 / 10},
                  {"cuEventSynchronize", kernels},
                  {"cuLaunchKernel", kernels}});
  EXPECT_EQ(x.read()(31), 4.0F * kernels);
}

TEST_F(cuda_calls, copies_and_kernels_overlap_in_three_streams) {
  constexpr std::size_t large = 100'000;  // pinned when it is copied again
  const buffer<float> in{rt_, large, 0.0F}, worked{rt_, 32, 0.0F}, out{rt_, large, 0.0F};
  for (int round = 0; round < 3; ++round) {
    for (const buffer<float>& each : {in, worked, out}) rt_.submit(on_, add_, updates(each)).get();
    (void)in.update();
    (void)out.update();
  }
  rt_.submit(on_, add_, updates(out)).get();
  rt_.wait();
  driver_.begin("cuLaunchKernel 1 hold; cuMemcpyHtoDAsync_v2 1 hold");
  future<void> working = rt_.submit(on_, add_, updates(worked));
  wait_for_calls("cuLaunchKernel", 1);
  future<void> behind_copy = rt_.submit(on_, add_, updates(in));
  wait_for_calls("cuMemcpyHtoDAsync_v2", 1);
  // A copy to the host ends while a kernel and a copy to the device are held.
  EXPECT_EQ(out.read()(large - 1), 4.0F);
  EXPECT_FALSE(working.done());
  // The kernel ends while the copy to the device is held.
  driver_.release("cuLaunchKernel");
  working.get();
  EXPECT_FALSE(behind_copy.done());
  driver_.release("cuMemcpyHtoDAsync_v2");
  behind_copy.get();
  expect_calls("cuMemcpyDtoHAsync_v2", 1);
  for (const char* const all : {"cuStreamSynchronize", "cuCtxSynchronize"}) expect_calls(all, 0);
  EXPECT_EQ(in.read()(large - 1), 4.0F);
}

TEST_F(cuda_calls, a_copy_there_a_kernel_and_a_copy_back_take_few) {
  for (const std::size_t size : {std::size_t{1000}, std::size_t{100'000}}) {
    const buffer<float> x{rt_, size, 0.0F};
    const auto change_and_read = [&](float expected) {
      x.update()(0) = expected - 1.0F;
      rt_.wait();
      driver_.begin("");
      rt_.submit(on_, add_, updates(x));
      EXPECT_EQ(x.read()(0), expected);
      rt_.wait();
    };
    for (int warm = 0; warm < 3; ++warm) change_and_read(1.0F);
    change_and_read(7.0F);
    const bool is_staged = size == 1000;
    expect_at_most({{"cuCtxPopCurrent_v2", is_staged ? 11 : 9},
                    {"cuCtxPushCurrent_v2", is_staged ? 11 : 9},
                    {"cuEventElapsedTime", 6},
                    {"cuEventRecord", is_staged ? 7 : 6},
                    {"cuEventSynchronize", 3},
                    {"cuLaunchHostFunc", is_staged ? 1 : 0},
                    {"cuLaunchKernel", 1},
                    {"cuMemcpyDtoHAsync_v2", 1},
                    {"cuMemcpyHtoDAsync_v2", 1},
                    {"cuPointerGetAttribute", is_staged ? 2 : 0},
                    {"cuStreamWaitEvent", 2}});
  }
}

}  // namespace
}  // namespace hocket::testing
