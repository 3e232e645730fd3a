// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <atomic>
#include <stop_token>
#include <thread>

#include <hocket/scheduler/when_all.hpp>

#include "executors.hpp"

namespace hocket {
namespace {

using namespace hocket::testing;

class cancellation : public on_every_executor {};
HOCKET_ON_EVERY_EXECUTOR(cancellation);

TEST_P(cancellation, of_a_task_that_waits_for_others) {
  const auto first = make_hand_task(rt, "first");
  auto data = std::make_shared<int>(1);
  const std::weak_ptr<int> watch = data;
  detail::host_options options;
  options.label = "second";
  const future<int> f = rt.async([d = std::move(data)] { return *d; }, options, {first});
  const future<int> after = f.then([](int x) { return x; });
  f.cancel();
  EXPECT_TRUE(f.done());
  EXPECT_TRUE(watch.expired()) << "what it held is gone";
  EXPECT_EQ(f.error().code(), failure_code::cancelled);
  EXPECT_EQ(f.error().message(), "Task \"second\" was cancelled before it started.");
  EXPECT_EQ(after.error().message(),
            "A task without a label did not run, because task \"second\" was cancelled before it "
            "started.");
  first->end_with(0);
}

TEST_P(cancellation, of_a_task_that_is_ready) {
  const future<void> f = rt.async([] {});
  f.cancel();
  f.wait();
  if (GetParam() == executor_kind::seeded) {
    EXPECT_EQ(f.error().code(), failure_code::cancelled);
  }
}

TEST_P(cancellation, of_a_task_that_has_ended_does_nothing) {
  const future<int> f = rt.async([] { return 1; });
  EXPECT_EQ(f.get(), 1);
  f.cancel();
  EXPECT_EQ(f.get(), 1);
}

TEST_P(cancellation, of_a_task_that_runs_reaches_its_stop_token) {
  future<bool> f;
  if (GetParam() == executor_kind::seeded) {
    f = rt.async([&](std::stop_token stop) {
      f.cancel();
      return stop.stop_requested();
    });
  } else {
    std::atomic<bool> runs = false;
    f = rt.async([&](std::stop_token stop) {
      runs = true;
      while (!stop.stop_requested()) std::this_thread::yield();
      return true;
    });
    while (!runs) std::this_thread::yield();
    f.cancel();
  }
  EXPECT_TRUE(f.get());
}

TEST_P(cancellation, of_a_body_that_gives_up_is_no_failure_of_it) {
  if (GetParam() != executor_kind::seeded) return;  // else f may not be written when it is read
  future<void> f;
  f = rt.async("loop", [&](std::stop_token stop) {
    f.cancel();
    if (stop.stop_requested()) throw error({failure_code::cancelled, "Stopped."});
  });
  EXPECT_EQ(f.error().code(), failure_code::cancelled);
  EXPECT_EQ(f.error().message(), "Task \"loop\" was cancelled while it ran.");
}

TEST_P(cancellation, by_a_stop_source_before_the_start) {
  std::stop_source source;
  source.request_stop();
  detail::host_options options;
  options.stop = source.get_token();
  EXPECT_EQ(rt.async([] {}, options).error().code(), failure_code::cancelled);
}

TEST_P(cancellation, by_a_stop_source_reaches_the_stop_token) {
  std::stop_source source;
  detail::host_options options;
  options.stop = source.get_token();
  const future<bool> f = rt.async(
      [&](std::stop_token stop) {
        source.request_stop();
        return stop.stop_requested();
      },
      options);
  EXPECT_TRUE(f.get());
}

TEST_P(cancellation, by_the_end_of_the_runtime) {
  const auto first = make_hand_task(rt);
  const future<bool> runs = rt.async([this](std::stop_token stop) {
    rt.stop();
    return stop.stop_requested();
  });
  EXPECT_TRUE(runs.get());
  detail::host_options options;
  options.label = "late";
  const future<void> late = rt.async([] {}, options, {first});
  first->end_with(1);
  EXPECT_EQ(late.error().message(),
            "Task \"late\" was cancelled, because its runtime was stopped.");
  EXPECT_EQ(late.error().code(), failure_code::cancelled);
}

TEST_P(cancellation, of_a_long_chain) {
  const auto first = make_hand_task(rt, "first");
  const future<int> start = future<int>(first).then([](int x) { return x; });
  future<int> last = start;
  for (int i = 0; i < 20000; ++i) last = last.then([](int x) { return x; });
  start.cancel();
  EXPECT_EQ(last.error().code(), failure_code::dependency_failed);
  first->end_with(0);
}

TEST_P(cancellation, at_any_time_ends_each_task_once) {
  for (int round = 0; round < 200; ++round) {
    std::atomic<int> ran = 0;
    std::vector<future<void>> all;
    for (int i = 0; i < 8; ++i) {
      const future<void> f = rt.async([&] { ++ran; });
      all.push_back(f);
      all.push_back(f.then([&] { ++ran; }));
    }
    for (std::size_t i = 0; i < all.size(); i += 3) all[i].cancel();
    int good = 0;
    for (const future<void>& f : all) good += f.error() ? 0 : 1;
    ASSERT_EQ(good, ran);
  }
}

}  // namespace
}  // namespace hocket
