// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <atomic>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <hocket/core/sanitizers.hpp>

#include "runtimes.hpp"

namespace hocket {
namespace {

using namespace hocket::testing;

#if defined(HOCKET_THREAD_SANITIZER) || defined(HOCKET_ADDRESS_SANITIZER)
constexpr int many = 2000;
#else
constexpr int many = 20'000;
#endif

/// Functions without options, which a runtime without a limit or a trace runs on a path of their
/// own.
class plain_function : public on_every_engine {};
HOCKET_ON_EVERY_ENGINE(plain_function);

/// Functions that somebody outside may have a hold of while workers run them.
class held_function : public on_every_engine {};
INSTANTIATE_TEST_SUITE_P(, held_function,
                         // Without the virtual clock, which is for one thread.
                         ::testing::ValuesIn(std::begin(engines) + 1, std::end(engines)),
                         [](const auto& each) { return std::string(each.param.name); });

TEST_P(plain_function, keeps_its_result_until_the_last_future_goes) {
  auto content = std::make_shared<int>(3);
  const std::weak_ptr<int> watch = content;
  {
    future<std::shared_ptr<int>> kept;
    future<std::string> told;
    {
      runtime other(options_for(GetParam()));
      kept = other.async([c = std::move(content)] { return c; });
      told = kept.then([](const auto& c) { return std::to_string(*c); });
    }
    EXPECT_EQ(*kept.get(), 3);
    EXPECT_EQ(told.get(), "3");
  }
  EXPECT_TRUE(watch.expired());
}

TEST_P(plain_function, is_destroyed_when_it_has_run) {
  auto held = std::make_shared<int>(1);
  const std::weak_ptr<int> watch = held;
  const future<void> first = rt.async([h = std::move(held)] { (void)*h; });
  first.wait();
  EXPECT_TRUE(watch.expired()) << "though its future is there";
}

TEST_P(plain_function, runs_though_nobody_keeps_its_future) {
  std::atomic<int> ran = 0;
  std::atomic<int> followed = 0;
  for (int i = 0; i < many; ++i) {
    rt.async([&] { ++ran; });
    rt.async([&] { ++ran; }).then([&] { ++followed; }).then([&] { ++followed; });
  }
  rt.wait();
  EXPECT_EQ(ran, 2 * many);
  EXPECT_EQ(followed, 2 * many);
}

TEST_P(plain_function, may_have_a_large_alignment) {
  struct alignas(128) wide {
    int number = 5;
  };
  const auto place = [w = wide{}] { return reinterpret_cast<std::uintptr_t>(&w) % 128 + 5; };
  EXPECT_EQ(rt.async(place).then([](std::uintptr_t found) { return found; }).get(), 5U);
  rt.async(place);
  rt.wait();
}

TEST_P(plain_function, that_throws_fails_and_what_follows_does_not_run) {
  bool ran = false;
  const future<int> thrown = rt.async([]() -> int { throw std::runtime_error("no number"); });
  const future<void> after = thrown.then([&](int) { ran = true; });
  EXPECT_EQ(after.error().code(), failure_code::dependency_failed);
  EXPECT_THROW((void)thrown.get(), std::runtime_error);
  EXPECT_FALSE(ran);
  rt.async([] { throw std::runtime_error("nobody looks"); });
  EXPECT_THROW(rt.wait(), std::runtime_error);
}

TEST_P(plain_function, that_cannot_be_copied_is_not_submitted) {
  struct stubborn {
    stubborn() = default;
    stubborn(const stubborn&) { throw std::runtime_error("not to be copied"); }
    void operator()() const {}
  };
  const stubborn function;
  EXPECT_THROW(rt.async(function), std::runtime_error);
  const future<void> before = rt.async([] {});
  EXPECT_THROW(before.then(function), std::runtime_error);
  rt.wait();
}

TEST_P(plain_function, does_not_run_in_a_stopped_runtime) {
  rt.stop();
  std::atomic<int> ran = 0;
  const future<void> kept = rt.async([&] { ++ran; });
  const future<void> after = kept.then([&] { ++ran; });
  rt.async([&] { ++ran; });
  EXPECT_EQ(kept.error().code(), failure_code::cancelled);
  EXPECT_TRUE(after.error());
  rt.wait();
  EXPECT_EQ(ran, 0);
}

TEST_P(plain_function, may_wait_for_others) {
  std::atomic<int> sum = 0;
  for (int i = 0; i < 50; ++i) {
    rt.async([&] {
      const future<int> one = rt.async([] { return 1; });
      const future<int> two = rt.async([&] { return rt.async([] { return 1; }).get() + 1; });
      sum += one.get() + two.get();
    });
  }
  rt.wait();
  EXPECT_EQ(sum, 150);
}

TEST_P(plain_function, is_given_up_or_run) {
  std::atomic<int> ran = 0;
  int cancelled = 0;
  std::vector<future<void>> all;
  for (int i = 0; i < many; ++i) {
    all.push_back(rt.async([&] { ++ran; }));
    all.push_back(all.back().then([&] { ++ran; }));
    all[all.size() - 1 - static_cast<std::size_t>(i % 2)].cancel();
  }
  for (const future<void>& each : all) cancelled += each.error() ? 1 : 0;
  rt.wait();
  EXPECT_EQ(ran + cancelled, 2 * many);
}

TEST_P(plain_function, that_is_given_up_asks_nothing_of_a_runtime_that_is_gone) {
  std::atomic<bool> open = on_virtual_clock();
  const future<void> first = rt.async([&] { open.wait(false); });
  {
    runtime other(options_for(GetParam()));
    const future<void> waits = other.async({.after = {first}}, [] {});
    waits.cancel();
    EXPECT_EQ(waits.error().code(), failure_code::cancelled);
  }
  open = true;
  open.notify_all();
  first.get();
}

TEST(plain_functions, are_traced_and_counted_too) {
  runtime_options options = options_for(engines[2]);
  options.trace_capacity = 1024;
  options.max_pending = 16;
  std::atomic<int> ran = 0;
  runtime rt(options);
  for (int i = 0; i < 200; ++i) rt.async([&] { ++ran; }).then([&] { ++ran; });
  const future<int> thrown = rt.async([]() -> int { throw std::runtime_error("no number"); });
  EXPECT_THROW((void)thrown.get(), std::runtime_error);
  EXPECT_EQ(thrown.error().code(), failure_code::task_failed);
  rt.wait();
  EXPECT_EQ(ran, 400);
  EXPECT_EQ(rt.trace().records.size(), 401U);
}

TEST_P(held_function, ends_once_whoever_runs_it) {
  std::atomic<int> ran = 0;
  for (int i = 0; i < many / 4; ++i) {
    const future<void> own = rt.async([&] { ++ran; });
    if (i % 2 == 0) own.get();
    rt.async([&] { ++ran; }).wait();
    (void)rt.async([&] { ++ran; }).wait_for(std::chrono::microseconds(i % 3));
  }
  rt.wait();
  EXPECT_EQ(ran, 3 * (many / 4));
}

TEST_P(held_function, may_be_followed_while_it_ends) {
  std::atomic<int> followed = 0;
  {
    std::vector<std::jthread> threads;
    for (int t = 0; t < 3; ++t) {
      threads.emplace_back([&] {
        for (int i = 0; i < many / 4; ++i) {
          const future<int> before = rt.async([i] { return i; });
          before.then([&](int) { ++followed; });
          before.then(cheap, [&](int) { ++followed; });
        }
      });
    }
  }
  rt.wait();
  EXPECT_EQ(followed, 6 * (many / 4));
}

}  // namespace
}  // namespace hocket
