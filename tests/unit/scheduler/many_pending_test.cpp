// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <gtest/gtest.h>

#include <malloc.h>

#include <atomic>
#include <iostream>
#include <thread>
#include <vector>

#include <hocket/core/sanitizers.hpp>
#include <hocket/hocket.hpp>

#include "../execution/machine.hpp"

namespace hocket {
namespace {

#if defined(HOCKET_THREAD_SANITIZER) || defined(HOCKET_ADDRESS_SANITIZER)
constexpr bool counts_memory = false;  // sanitizers have their own
constexpr int fewer = 20;
#else
constexpr bool counts_memory = true;
constexpr int fewer = 1;
#endif

/// Bytes that are allocated, by whomever.
double allocated() {
  const struct mallinfo2 now = mallinfo2();
  return static_cast<double>(now.uordblks) + static_cast<double>(now.hblkhd);
}

/// What so many pending tasks need, and that it comes back.
class memory_of_tasks {
 public:
  explicit memory_of_tasks(int count) : count_(count) {}

  void all_are_pending() { most_ = allocated(); }
  void expect_at_most(double bytes) const {
    if (counts_memory) {
      EXPECT_LE(each(), bytes);
    }
  }
  void expect_returned() const {
    std::cout << count_ << " tasks: " << each() << " bytes each\n";
    if (!counts_memory) return;
    // Blocks for some thousand tasks to come are kept, and lists have the room that they had once.
    constexpr double kept = 4.25 * 1024 * 1024;
    EXPECT_LE(allocated() - before_, 0.05 * (most_ - before_) + kept);
  }

 private:
  [[nodiscard]] double each() const { return (most_ - before_) / count_; }

  int count_;
  double before_ = allocated();
  double most_ = 0;
};

runtime_options two_workers() {
  runtime_options options;
  options.devices = "NUMA0";
  options.topology = testing::machine("numa:1 core:2 pu:1");
  return options;
}

/// A task that does not end before the test says so.
class gate_task {
 public:
  explicit gate_task(runtime& rt) : task_(rt.async([this] { open_.wait(false); })) {}
  gate_task(const gate_task&) = delete;
  gate_task& operator=(const gate_task&) = delete;
  ~gate_task() { task_.wait(); }

  [[nodiscard]] const future<void>& task() const { return task_; }
  void open() {
    open_ = true;
    open_.notify_all();
  }

 private:
  std::atomic<bool> open_{false};
  future<void> task_;
};

constexpr int many_functions = 1'000'000 / fewer;
constexpr int many_data_tasks = 100'000 / fewer;

TEST(many_pending, functions_that_wait_for_one) {
  runtime rt(two_workers());
  for (int round = 0; round < 2; ++round) {
    memory_of_tasks memory(many_functions);
    std::atomic<int> ran = 0;
    {
      gate_task gate(rt);
      for (int i = 0; i < many_functions; ++i) {
        rt.async({.after = {gate.task()}}, [&ran] { ran.fetch_add(1, std::memory_order_relaxed); });
      }
      memory.all_are_pending();
      gate.open();
      rt.wait();
    }
    EXPECT_EQ(ran, many_functions);
    memory.expect_at_most(320);
    memory.expect_returned();
  }
}

TEST(many_pending, functions_that_wait_for_a_worker) {
  std::atomic<int> ran = 0;
  runtime rt(two_workers());
  memory_of_tasks memory(many_functions);
  {
    gate_task first(rt);
    gate_task second(rt);
    for (int i = 0; i < many_functions; ++i) {
      rt.async([&ran] { ran.fetch_add(1, std::memory_order_relaxed); });
    }
    memory.all_are_pending();
    first.open();
    second.open();
    rt.wait();
  }
  EXPECT_EQ(ran, many_functions);
  memory.expect_at_most(320);
  memory.expect_returned();
}

TEST(many_pending, functions_from_eight_threads_in_one_scope) {
  std::atomic<int> ran = 0;
  runtime rt(two_workers());
  memory_of_tasks memory(many_functions);
  {
    task_scope scope(rt);
    gate_task gate(rt);
    {
      std::vector<std::jthread> threads;
      for (int t = 0; t < 8; ++t) {
        threads.emplace_back([&] {
          for (int i = 0; i < many_functions / 8; ++i) {
            scope.async({.after = {gate.task()}},
                        [&ran] { ran.fetch_add(1, std::memory_order_relaxed); });
          }
        });
      }
    }
    memory.all_are_pending();
    gate.open();
    scope.wait();
  }
  rt.wait();
  EXPECT_EQ(ran, many_functions / 8 * 8);
  memory.expect_returned();
}

TEST(many_pending, of_a_scope_leave_nothing_behind) {
  runtime rt(two_workers());
  task_scope scope(rt);
  const auto turn = [&] {
    for (int i = 0; i < 10'000; ++i) scope.async([] {});
    scope.wait();
  };
  turn();
  const double before = allocated();
  for (int i = 0; i < 100 / fewer; ++i) turn();
  if (counts_memory) {
    EXPECT_LE(allocated() - before, 1 << 20);
  }
}

void expect_data_tasks_to_run(data_path path, double bytes) {
  runtime_options options = two_workers();
  options.data_tasks = path;
  runtime rt(options);
  // The first task connects the devices, which keep what they need.
  rt.submit(ops::axpy, 1.0f, reads(buffer<float>(rt, 16, 0.0f)),
            updates(buffer<float>(rt, 16, 0.0f)));
  rt.wait();
  for (int round = 0; round < 2; ++round) {
    memory_of_tasks memory(many_data_tasks);
    {
      std::vector<buffer<float>> x;
      for (int i = 0; i < 100; ++i) x.emplace_back(rt, 16, 0.0f);
      const buffer<float> held(rt, 16, 1.0f, "held");
      {
        const auto view = held.update();
        for (int i = 0; i < many_data_tasks; ++i) {
          rt.submit(ops::axpy, 1.0f, reads(held), updates(x[static_cast<std::size_t>(i) % 100]));
        }
        memory.all_are_pending();
      }
      rt.wait();
      for (const buffer<float>& each : x) {
        EXPECT_EQ(each.to_vector().front(), static_cast<float>(many_data_tasks) / 100);
      }
    }
    rt.wait();
    memory.expect_at_most(bytes);
    memory.expect_returned();
  }
}

TEST(many_pending, data_tasks_that_run_in_place) {
  expect_data_tasks_to_run(data_path::in_place, 384);
}
TEST(many_pending, data_tasks_that_are_placed) { expect_data_tasks_to_run(data_path::placed, 900); }

}  // namespace
}  // namespace hocket
