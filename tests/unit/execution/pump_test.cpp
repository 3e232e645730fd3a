// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <gtest/gtest.h>

#include <pthread.h>

#include <array>
#include <chrono>
#include <cstddef>
#include <functional>
#include <future>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <hocket/core/error.hpp>
#include <hocket/execution/detached.hpp>
#include <hocket/execution/pump.hpp>

namespace hocket {
namespace {

using std::chrono::milliseconds;

TEST(pump, runs_work_in_order_in_a_thread_with_a_name) {
  std::vector<int> order;
  std::string name;
  {
    pump p("a rather long name");
    p.post([&] {
      std::array<char, 16> text{};
      pthread_getname_np(pthread_self(), text.data(), text.size());
      name = text.data();
    });
    for (int i = 0; i < 5; ++i) p.post([&order, i] { order.push_back(i); });
  }
  EXPECT_EQ(order, (std::vector<int>{0, 1, 2, 3, 4})) << "its end runs what was posted";
  EXPECT_EQ(name, "a rather long n");
}

/// While it lives no thread can be started whose stack has the default size.
class no_stacks {
 public:
  no_stacks() {
    pthread_getattr_default_np(&before_);
    pthread_attr_t huge = before_;
    pthread_attr_setstacksize(&huge, std::size_t{1} << 60U);
    pthread_setattr_default_np(&huge);
  }
  no_stacks(const no_stacks&) = delete;
  no_stacks& operator=(const no_stacks&) = delete;
  ~no_stacks() { pthread_setattr_default_np(&before_); }

 private:
  pthread_attr_t before_{};
};

/// The message that is thrown while no thread can be started; empty: none.
std::string refusal_of(const std::function<void()>& start) {
  const no_stacks refuses;
  try {
    start();
  } catch (const error& refused) {
    return refused.what();
  }
  return {};
}

TEST(pump, names_the_thread_that_the_system_refuses) {
  EXPECT_EQ(
      refusal_of([] { const pump refused("timers"); }),
      "The thread \"timers\" cannot be started (Resource temporarily unavailable); the number "
      "of processes and threads may be limited (ulimit -u).");
  EXPECT_NE(refusal_of([] { run_detached("end", [] {}); }).find("\"end\""), std::string::npos);
  std::promise<void> ran;
  run_detached("end", [&] { ran.set_value(); });
  ran.get_future().wait();
}

TEST(pump, runs_timed_work_in_the_order_of_its_times) {
  std::vector<int> order;
  std::promise<void> last;
  pump p("timers");
  const auto start = pump::clock::now();
  p.post_at(start + milliseconds(20), [&] {
    order.push_back(3);
    last.set_value();
  });
  p.post_at(start + milliseconds(5), [&] { order.push_back(1); });
  p.post_at(start + milliseconds(10), [&] { order.push_back(2); });
  last.get_future().wait();
  EXPECT_GE(pump::clock::now() - start, milliseconds(20));
  EXPECT_EQ(order, (std::vector<int>{1, 2, 3}));
}

TEST(pump, runs_posted_work_while_a_timer_is_far_away) {
  pump p("timers");
  p.post_at(pump::clock::time_point::max(), [] { ADD_FAILURE() << "this is never due"; });
  std::promise<void> ran;
  p.post([&] { ran.set_value(); });
  ran.get_future().wait();
}

TEST(pump, is_woken_by_a_timer_that_is_earlier_than_all_others) {
  pump p("timers");
  p.post_at(pump::clock::time_point::max(), [] { ADD_FAILURE() << "this is never due"; });
  for (int i = 0; i < 50; ++i) {
    // Mostly the thread has gone to sleep again by then.
    std::this_thread::sleep_for(std::chrono::microseconds(200));
    std::promise<void> ran;
    p.post_at(pump::clock::now() + std::chrono::microseconds(100), [&] { ran.set_value(); });
    ran.get_future().wait();
  }
}

TEST(pump, drops_timed_work_that_is_cancelled) {
  auto held = std::make_shared<int>(0);
  pump p("timers");
  const auto soon = pump::clock::now() + milliseconds(10);
  const pump::timer first = p.post_at(soon, [held] { *held = 1; });
  p.cancel(first);
  EXPECT_EQ(held.use_count(), 1);
  std::promise<void> later;
  p.post_at(soon + milliseconds(5), [&] { later.set_value(); });
  later.get_future().wait();
  EXPECT_EQ(*held, 0);
  p.cancel(first);  // once more does nothing
}

TEST(pump, work_may_post_more_work) {
  int ran = 0;
  {
    pump p("again");
    p.post([&] {
      ++ran;
      p.post([&] { ++ran; });
    });
  }
  EXPECT_EQ(ran, 2);
}

}  // namespace
}  // namespace hocket
