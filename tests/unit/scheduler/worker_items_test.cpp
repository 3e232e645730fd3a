// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

// Tasks that a worker has submitted itself: which of them run where the worker waits, and what may
// not be kept waiting by them.

#include <gtest/gtest.h>

#include <oneapi/tbb/parallel_for.h>

#include <atomic>
#include <chrono>
#include <coroutine>
#include <exception>
#include <semaphore>
#include <thread>
#include <utility>
#include <vector>

#include <hocket/hocket.hpp>

#include "../execution/machine.hpp"

namespace hocket {
namespace {

runtime_options workers(const char* machine) {
  runtime_options options;
  options.devices = "NUMA0";
  options.topology = testing::machine(machine);
  return options;
}
runtime_options one_worker() { return workers("numa:1 core:1 pu:1"); }
runtime_options two_workers() { return workers("numa:1 core:2 pu:1"); }

TEST(worker_items, tasks_for_one_arena_run_in_a_scope_that_a_task_waits_for) {
  for (const char* machine : {"numa:1 core:2 pu:1", "numa:2 core:2 pu:1"}) {
    std::atomic<int> ran{0};
    runtime rt(workers(machine));
    const device_handle on = rt.device("NUMA0");
    std::vector<future<void>> outer;
    for (int i = 0; i < 100; ++i) {
      outer.push_back(rt.async([&] {
        task_scope scope(rt);
        for (int each = 0; each < 2; ++each) scope.async({.on = on}, [&ran] { ++ran; });
        scope.wait();
      }));
    }
    rt.wait();
    EXPECT_EQ(ran, 200);
  }
}

TEST(worker_items, tasks_with_data_run_in_a_scope_that_a_task_waits_for) {
  std::atomic<int> ended{0};
  runtime rt(workers("numa:2 core:2 pu:1"));
  std::vector<buffer<float>> data;
  for (int i = 0; i < 100; ++i) data.emplace_back(rt, 16, 1.0F);
  for (std::size_t i = 0; i < data.size(); i += 2) {
    rt.async([&, i] {
      task_scope scope(rt);
      scope.submit(ops::fill, 2.0F, writes(data[i]));
      scope.submit(ops::fill, 2.0F, writes(data[i + 1]));
      scope.wait();
      ++ended;
    });
  }
  rt.wait();
  EXPECT_EQ(ended, 50);
}

/// Destroyed by a worker when the task that returned it has ended.
struct result_that_waits {
  explicit result_that_waits(std::counting_semaphore<>& until) : until_(&until) {}
  result_that_waits(result_that_waits&& other) noexcept
      : until_(std::exchange(other.until_, nullptr)) {}
  result_that_waits& operator=(result_that_waits&&) = delete;
  ~result_that_waits() {
    if (until_ != nullptr) until_->acquire();
  }

 private:
  std::counting_semaphore<>* until_;
};

TEST(worker_items, the_end_of_all_tasks_does_not_wait_for_the_end_of_a_result) {
  std::counting_semaphore<> waited{0};
  runtime rt(one_worker());
  for (int i = 0; i < 20; ++i) {
    std::atomic<bool> begun{false};
    std::atomic<bool> dropped{false};
    (void)rt.async([&] {
      begun = true;
      // So that the worker destroys the result, and not this thread with its future.
      while (!dropped) std::this_thread::yield();
      return result_that_waits(waited);
    });
    dropped = true;
    // So that a worker runs it, and not the thread that waits.
    while (!begun) std::this_thread::yield();
    rt.wait();
    waited.release();
  }
}

/// A coroutine of the user's own, which is no task.
struct detached_coroutine {
  struct promise_type {
    detached_coroutine get_return_object() { return {}; }
    std::suspend_never initial_suspend() { return {}; }
    std::suspend_never final_suspend() noexcept { return {}; }
    void return_void() {}
    void unhandled_exception() { std::terminate(); }
  };
};

detached_coroutine wait_after(future<void> task, std::counting_semaphore<>& until,
                              std::counting_semaphore<>& over) {
  co_await task;
  until.acquire();
  over.release();
}

TEST(worker_items, the_end_of_all_tasks_does_not_wait_for_a_coroutine_that_is_none) {
  std::counting_semaphore<> waited{0};
  std::counting_semaphore<> over{0};
  runtime rt(one_worker());
  for (int i = 0; i < 5; ++i) {
    std::atomic<bool> begun{false};
    std::atomic<bool> awaited{false};
    const future<void> last = rt.async([&] {
      begun = true;
      // So that the worker resumes the coroutine: else this thread would run it on at once.
      while (!awaited) std::this_thread::yield();
      // So that rt.wait() waits for long: the worker is to tell it of the end.
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    });
    while (!begun) std::this_thread::yield();
    wait_after(last, waited, over);
    awaited = true;
    rt.wait();
    waited.release();
    over.acquire();
  }
}

TEST(worker_items, a_worker_that_waits_for_a_scope_lets_urgent_tasks_go_first) {
  constexpr int many = 20'000;
  std::atomic<int> ran{0};
  std::atomic<int> ran_before{many};
  std::atomic<bool> waits{false};
  std::atomic<bool> submitted{false};
  runtime rt(one_worker());
  rt.async([&] {
    task_scope scope(rt);
    for (int i = 0; i < many; ++i) {
      scope.async([&] {
        waits = true;
        while (!submitted) std::this_thread::yield();
        ++ran;
        const auto begin = std::chrono::steady_clock::now();
        while (std::chrono::steady_clock::now() - begin < std::chrono::microseconds(5)) continue;
      });
    }
    scope.wait();
  });
  while (!waits) std::this_thread::yield();
  future<void> urgent = rt.async({.priority = 1}, [&] { ran_before = ran.load(); });
  submitted = true;
  // Without helping: the worker is to run it.
  while (!urgent.wait_for(std::chrono::milliseconds(1))) continue;
  EXPECT_LT(ran_before, many);
  rt.wait();
  EXPECT_EQ(ran, many);
}

TEST(worker_items, a_thread_outside_runs_what_a_blocked_worker_has_submitted) {
  runtime rt(one_worker());
  std::counting_semaphore<> ran{0};
  task_scope scope(rt);
  scope.async([&] {
    scope.async([&] { ran.release(); });
    ran.acquire();
  });
  scope.wait();
}

TEST(worker_items, a_worker_that_cannot_be_suspended_runs_the_tasks_of_its_scope) {
  std::atomic<int> ran{0};
  runtime rt(two_workers());
  for (int i = 0; i < 4; ++i) {
    rt.async([&] {
      tbb::parallel_for(0, 4, [&](int) {
        task_scope scope(rt);
        scope.async([&ran] { ++ran; });
        scope.async({.priority = 1}, [&ran] { ++ran; });
        // Newer, and no task of the scope.
        rt.async([&ran] { ++ran; });
        scope.wait();
      });
    });
  }
  rt.wait();
  EXPECT_EQ(ran, 48);
}

long fibonacci(runtime& rt, int n) {
  if (n < 2) return n;
  future<long> first = rt.async([&rt, n] { return fibonacci(rt, n - 1); });
  future<long> second = rt.async([&rt, n] { return fibonacci(rt, n - 2); });
  // Not the newest first: the item of the first one is passed over.
  const long sum = first.get();
  return sum + second.get();
}

TEST(worker_items, a_recursion_that_waits_for_its_calls_ends) {
  runtime rt(two_workers());
  EXPECT_EQ(rt.async([&] { return fibonacci(rt, 18); }).get(), 2584);
}

}  // namespace
}  // namespace hocket
