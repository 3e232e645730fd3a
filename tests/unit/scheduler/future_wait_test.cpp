// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <thread>
#include <vector>

#include <hocket/scheduler/when_all.hpp>

#include "executors.hpp"

namespace hocket {
namespace {

using namespace hocket::testing;

class waiting : public on_every_executor {};
HOCKET_ON_EVERY_EXECUTOR(waiting);

int fibonacci(host_fixture& rt, int n) {
  if (n < 2) return n;
  const future<int> first = rt.async([&rt, n] { return fibonacci(rt, n - 1); });
  const future<int> second = rt.async([&rt, n] { return fibonacci(rt, n - 2); });
  return first.get() + second.get();
}

TEST_P(waiting, inside_of_tasks_never_blocks_the_arena) {
  EXPECT_EQ(rt.async([this] { return fibonacci(rt, 14); }).get(), 377);
  EXPECT_EQ(fibonacci(rt, 14), 377) << "and outside";
}

TEST_P(waiting, runs_the_task_here_if_nobody_has_started_it) {
  if (GetParam() != executor_kind::seeded) return;
  const auto here = std::this_thread::get_id();
  const future<bool> f = rt.async([&] { return !where->inside(); });
  EXPECT_TRUE(f.get()) << "the waiter ran it, not an event";
  EXPECT_EQ(rt.async([] { return std::this_thread::get_id(); }).get(), here);
}

TEST_P(waiting, runs_predecessors_here) {
  if (GetParam() != executor_kind::seeded) return;
  bool inside = false;
  const auto note = [&] { inside = inside || where->inside(); };
  const future<void> a = rt.async(note);
  const future<void> b = a.then(note);
  const future<void> c = a.then(note);
  rt.async(note, {}, {b.state(), c.state()}).get();
  EXPECT_FALSE(inside);
}

TEST_P(waiting, for_the_last_of_a_chain_of_waits) {
  std::vector<future<int>> all{rt.async([] { return 0; })};
  for (int i = 0; i < 500; ++i) {
    all.push_back(rt.async([before = all.back()] { return before.get() + 1; }));
  }
  EXPECT_EQ(all.back().get(), 500);
}

TEST_P(waiting, for_a_wide_ladder_ends) {
  std::vector<future<void>> level;
  const auto first = make_hand_task(rt);
  for (int i = 0; i < 8; ++i) level.push_back(rt.async([] {}, {}, {first}));
  for (int depth = 0; depth < 40; ++depth) {
    std::vector<detail::task_state_ptr> before;
    for (const future<void>& f : level) before.push_back(f.state());
    for (future<void>& f : level) f = rt.async([] {}, {}, before);
  }
  EXPECT_FALSE(level.back().wait_for(nanoseconds(1000)));
  detail::helping by;
  EXPECT_FALSE(level.back().state()->help(by)) << "8^40 ways, and nothing to run";
  first->end_with(0);
  when_all(level).get();
}

TEST_P(waiting, for_many_of_which_each_is_long) {
  std::vector<future<int>> all;
  for (int i = 0; i < 50; ++i) {
    all.push_back(rt.async([this, i] { return rt.async([i] { return i; }).get(); }));
  }
  int sum = 0;
  for (const int x : when_all(all).get()) sum += x;
  EXPECT_EQ(sum, 49 * 25);
}

TEST_P(waiting, of_many_threads_for_one_task) {
  if (GetParam() == executor_kind::seeded) return;
  for (int round = 0; round < 50; ++round) {
    const future<int> f = rt.async([] { return 1; }).then([](int x) { return x + 1; });
    std::atomic<int> sum = 0;
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t) threads.emplace_back([&] { sum += f.get(); });
    for (std::thread& t : threads) t.join();
    ASSERT_EQ(sum, 8);
  }
}

TEST_P(waiting, of_many_threads_for_one_failure) {
  if (GetParam() == executor_kind::seeded) return;
  const future<void> f = rt.async([] { throw std::runtime_error("boom"); });
  std::atomic<int> thrown = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] { thrown += message_of([&] { f.get(); }) == "boom" ? 1 : 0; });
  }
  for (std::thread& t : threads) t.join();
  EXPECT_EQ(thrown, 4);
}

TEST_P(waiting, from_many_threads_that_submit) {
  if (GetParam() == executor_kind::seeded) return;
  std::atomic<int> sum = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 300; ++i)
        sum += rt.async([] { return 1; }).then([](int x) { return x; }).get();
    });
  }
  for (std::thread& t : threads) t.join();
  EXPECT_EQ(sum, 1200);
}

TEST_P(waiting, for_a_time_by_many_threads) {
  if (GetParam() == executor_kind::seeded) return;
  const auto task = make_hand_task(rt);
  std::atomic<int> ended = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, f = future<int>(task)] {
      while (!f.wait_for(nanoseconds(50'000))) {
      }
      ended += f.get();
    });
  }
  std::this_thread::sleep_for(std::chrono::milliseconds(5));
  task->end_with(1);
  for (std::thread& t : threads) t.join();
  EXPECT_EQ(ended, 4);
}

// The task often ends between the wait's look at it and the wait itself.
TEST_P(waiting, for_a_time_does_not_miss_an_end_at_its_beginning) {
  for (int i = 0; i < 1000; ++i) {
    const future<int> f = rt.async([i] { return i; });
    for (int spin = 0; spin < i % 200; ++spin) (void)f.done();
    ASSERT_TRUE(f.wait_for(std::chrono::hours(1)));
    ASSERT_EQ(f.get(), i);
  }
}

TEST_P(waiting, for_a_task_that_a_driver_thread_ends) {
  if (GetParam() == executor_kind::seeded) return;
  for (int round = 0; round < 50; ++round) {
    const auto task = make_hand_task(rt);
    const future<int> outside = future<int>(task).then([](int x) { return x; });
    const future<int> inside = rt.async([f = future<int>(task)] { return f.get(); });
    std::thread driver([task] { task->end_with(3); });
    EXPECT_EQ(outside.get() + inside.get(), 6);
    driver.join();
  }
}

}  // namespace
}  // namespace hocket
