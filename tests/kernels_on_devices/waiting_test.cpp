// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

// Threads that wait for one device in different ways learn of the ends of one another's tasks.

#include <chrono>
#include <functional>
#include <thread>

#include "comparison.hpp"

namespace hocket::testing {
namespace {

class waiting : public kernels_on_devices {};

constexpr std::size_t tasks = 200;

kernel<inout_buffer<std::uint32_t>> add_one() {
  const std::string text = "uint i = ITEM(0); if (i < x_extent0) x(i) += 1u;";
  return kernel<inout_buffer<std::uint32_t>>{"add_one"}
      .with(opencl_c{"x", text})
      .with(glsl{"x", text})
      .with(cuda_c{"x", text});
}

using way = std::function<void(runtime&, const future<void>&, std::size_t)>;

void run(runtime& rt, const task_options& on, const buffer<std::uint32_t>& x, const way& wait) {
  const auto add = add_one();
  for (std::size_t i = 0; i < tasks; ++i) wait(rt, rt.submit(on, add, updates(x)), i);
}

TEST_F(waiting, of_several_threads_for_one_device) {
  const std::vector<way> ways{
      [](runtime&, const future<void>& task, std::size_t) { task.wait(); },
      [](runtime&, const future<void>& task, std::size_t i) {
        if (i % 16 == 15) task.wait();
      },
      [](runtime&, const future<void>& task, std::size_t) {
        while (!task.wait_for(std::chrono::microseconds(50))) continue;
      },
      [](runtime& rt, const future<void>&, std::size_t i) {
        if (i % 4 == 3) rt.wait();
      },
  };
  for_each_device([&] {
    runtime rt({.devices = name()});
    const task_options on{.on = rt.device(name())};
    std::vector<buffer<std::uint32_t>> data;
    for (std::size_t t = 0; t < ways.size(); ++t) data.emplace_back(rt, 100, 0U);
    std::vector<std::thread> threads;
    for (std::size_t t = 0; t < ways.size(); ++t) {
      threads.emplace_back([&, t] { run(rt, on, data[t], ways[t]); });
    }
    for (std::thread& t : threads) t.join();
    for (const auto& x : data) {
      EXPECT_EQ(x.to_vector(), std::vector<std::uint32_t>(100, tasks));
    }
  });
}

}  // namespace
}  // namespace hocket::testing
