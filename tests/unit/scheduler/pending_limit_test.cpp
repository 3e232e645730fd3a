// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <sys/resource.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <limits>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "runtimes.hpp"

namespace hocket {
namespace {

using namespace hocket::testing;
using namespace std::chrono_literals;

class pending_limits : public ::testing::TestWithParam<engine> {
 protected:
  [[nodiscard]] static runtime_options limited(std::size_t most,
                                               overload_kind overload = overload_kind::block) {
    runtime_options options = options_for(GetParam());
    options.max_pending = most;
    options.overload = overload;
    return options;
  }
  [[nodiscard]] static bool on_virtual_clock() { return GetParam().clock != clock_kind::real; }
};
HOCKET_ON_EVERY_ENGINE(pending_limits);

/// Submits from several threads (or from this one) and returns the most tasks that were pending,
/// with those counted that the other threads are about to submit.
template <class Submit>
int max_pending(bool threads, int count, Submit&& submit) {
  // Tasks may end after this has returned.
  const auto pending = std::make_shared<std::atomic<int>>(0);
  std::atomic<int> most = 0;
  const auto run = [&] {
    for (int i = 0; i < count; ++i) {
      const int others = (*pending)++;
      for (int seen = most; seen < others && !most.compare_exchange_weak(seen, others);) {
      }
      submit([pending] { --*pending; });
    }
  };
  if (!threads) {
    run();
    return most;
  }
  std::vector<std::jthread> all;
  for (int i = 0; i < 4; ++i) all.emplace_back(run);
  all.clear();
  return most;
}

/// The same of 500 tasks, each of which adds 1 to the first element.
int max_pending_with_data(runtime& rt, const buffer<float>& x) {
  return max_pending(false, 500, [&](auto f) {
    rt.submit(
        [f](buffer_view<float> v) {
          v[0] += 1;
          f();
        },
        updates(x));
  });
}

TEST_P(pending_limits, hold_for_functions) {
  runtime rt(limited(50));
  // One more for each of the other three threads, which may be about to submit it.
  EXPECT_LE(max_pending(!on_virtual_clock(), 5000, [&](auto f) { rt.async(f); }), 50 + 3);
  rt.wait();
}

TEST_P(pending_limits, of_one_task_let_one_after_the_other_run) {
  std::atomic<int> running = 0;
  runtime rt(limited(1));
  for (int i = 0; i < 200; ++i) {
    rt.async([&] {
      EXPECT_EQ(running++, 0);
      --running;
    });
  }
  rt.wait();
}

TEST_P(pending_limits, hold_for_data_tasks_and_scopes) {
  runtime rt(limited(20));
  buffer<float> x{rt, 100, 0.0f, "x"};
  const int most = max_pending_with_data(rt, x);
  EXPECT_LE(most, 20);
  EXPECT_EQ(x.to_vector().front(), 500.0f);
  task_scope scope(rt);
  EXPECT_LE(max_pending(false, 500, [&](auto f) { scope.async(f); }), 20);
}

TEST_P(pending_limits, refuse_if_asked_to) {
  runtime rt(limited(10, overload_kind::refuse));
  buffer<float> x{rt, 10, "x"};
  {
    const auto view = x.write();
    for (int i = 0; i < 10; ++i) rt.submit(ops::fill, 1.0f, writes(x));
    const error refused = thrown_by<error>([&] { rt.submit(ops::fill, 1.0f, writes(x)); });
    EXPECT_EQ(refused.code(), failure_code::overloaded);
    EXPECT_STREQ(refused.what(),
                 "A submission is refused: 10 tasks are pending, and runtime_options::max_pending "
                 "is 10.");
    EXPECT_THROW(rt.async([] {}), error);
  }
  rt.wait();
  EXPECT_EQ(rt.async([] { return 7; }).get(), 7);
}

TEST_P(pending_limits, beyond_all_counts_hold_nothing) {
  constexpr std::size_t half = std::size_t{1} << 63U;
  for (const std::size_t most : {half - 1, half, std::numeric_limits<std::size_t>::max()}) {
    runtime_options options = limited(most, overload_kind::refuse);
    options.max_pending_bytes = most;
    runtime rt(options);
    const buffer<float> x{rt, 10, 1.0f, "x"};
    EXPECT_EQ(rt.async([] { return 7; }).get(), 7);
    EXPECT_EQ(rt.submit(ops::sum, reads(x)).get(), 10.0f);
  }
}

/// A thread that waits runs tasks meanwhile, and what these submit is let through.
TEST(pending_limit, holds_nothing_that_runs_in_a_thread_that_waits) {
  runtime rt(
      {.devices = "NUMA0", .max_pending = 2, .topology = testing::machine("numa:1 core:1 pu:1")});
  std::atomic<bool> is_over = false;
  std::atomic<int> calls = 0;
  const graph submits =
      rt.record([&](submitter& s) { s.async([&] { rt.async([&] { ++calls; }); }); });
  task_scope scope(rt);
  const auto busy = rt.async([&] {
    while (!is_over) std::this_thread::yield();
  });
  scope.run(submits).get();
  is_over = true;
  busy.get();
  rt.wait();
  EXPECT_EQ(calls, 1);
}

/// What a function holds by value.
using ballast = std::array<char, 4000>;

TEST_P(pending_limits, hold_for_bytes_of_functions) {
  runtime_options options = limited(0);
  options.max_pending_bytes = 100'000;
  runtime rt(options);
  const int most = max_pending(!on_virtual_clock(), 2000, [&](auto f) {
    rt.async([f, held = ballast{}] {
      (void)held;
      f();
    });
  });
  // The one that went beyond; and one for each of the other three threads, which may go beyond as
  // well, or be about to submit it.
  EXPECT_LE(most, 100'000 / 4000 + 1 + 6);
  // Here nothing runs before the limit is reached.
  if (on_virtual_clock()) {
    EXPECT_GT(most, 20);
  }
  rt.wait();
}

TEST_P(pending_limits, hold_for_bytes_of_data_tasks) {
  for (const data_path path : {data_path::automatic, data_path::placed}) {
    runtime_options options = limited(0);
    options.data_tasks = path;
    options.max_pending_bytes = 10'000;
    runtime rt(options);
    buffer<float> x{rt, 100, 0.0f, "x"};
    const int most = max_pending_with_data(rt, x);
    EXPECT_LE(most, 10'000 / 128);
    EXPECT_EQ(x.to_vector().front(), 500.0f);
  }
}

/// Submits tasks that cannot run until one is refused. Returns how many there were, and the words
/// of the refusal.
template <class Submit>
std::pair<int, std::string> until_refused(runtime& rt, Submit&& submit) {
  buffer<float> x{rt, 10, "x"};
  std::pair<int, std::string> found{0, ""};
  {
    const auto view = x.write();
    const future<void> held = rt.submit(ops::fill, 1.0f, writes(x));
    const error refused = thrown_by<error>([&] {
      for (; found.first < 10'000; ++found.first) submit(held);
    });
    EXPECT_EQ(refused.code(), failure_code::overloaded);
    found.second = refused.what();
  }
  rt.wait();
  return found;
}

TEST_P(pending_limits, of_bytes_are_free_again_when_tasks_have_ended) {
  for (const data_path path : {data_path::automatic, data_path::placed}) {
    runtime_options options = limited(0, overload_kind::refuse);
    options.data_tasks = path;
    options.max_pending_bytes = 50'000;
    runtime rt(options);
    buffer<float> y{rt, 10, 0.0f, "y"};
    const auto functions = [&](const future<void>& held) {
      rt.async({.after = {held}}, [kept = ballast{}] { (void)kept; });
    };
    const auto [most, words] = until_refused(rt, functions);
    EXPECT_GE(most, 5);
    EXPECT_LE(most, 50'000 / 4000 + 1);
    EXPECT_THAT(words, ::testing::StartsWith("A submission is refused: pending tasks hold "));
    EXPECT_THAT(words,
                ::testing::EndsWith(" bytes, and runtime_options::max_pending_bytes is 50000."));
    const auto data_tasks = [&](const future<void>& held) {
      rt.submit({.after = {held}}, ops::fill, 2.0f, writes(y));
    };
    const int max_with_data = until_refused(rt, data_tasks).first;
    EXPECT_GE(max_with_data, 10);
    EXPECT_LE(max_with_data, 50'000 / 128);

    const auto functions_with_data = [&](const future<void>& held) {
      rt.submit(
          {.after = {held}}, [kept = ballast{}](buffer_view<float>) { (void)kept; }, writes(y));
    };
    const int max_with_both = until_refused(rt, functions_with_data).first;
    EXPECT_GE(max_with_both, 5);
    EXPECT_LE(max_with_both, 50'000 / 4000 + 1);

    const auto failing = rt.async([held = ballast{}] {
      if (held[0] == 0) throw std::runtime_error("it fails");
    });
    EXPECT_THROW(failing.get(), std::runtime_error);
    for (int i = 0; i < 100; ++i) {
      task_scope scope(rt);
      (void)scope.async([held = ballast{}] { (void)held; });
      const future<void> done = scope.done();
      scope.cancel();
      done.wait();
    }
    rt.wait();
    // The end of what gave the view may be counted a moment later than that is there.
    EXPECT_NEAR(until_refused(rt, functions).first, most, 1);
    EXPECT_NEAR(until_refused(rt, data_tasks).first, max_with_data, 1);
    EXPECT_NEAR(until_refused(rt, functions_with_data).first, max_with_both, 1);
  }
}

TEST_P(pending_limits, of_bytes_let_in_a_task_that_is_larger) {
  runtime_options options = limited(0, overload_kind::refuse);
  options.max_pending_bytes = 1;
  runtime rt(options);
  EXPECT_EQ(rt.async([held = ballast{}] { return held.size(); }).get(), 4000U);
}

TEST_P(pending_limits, name_the_one_that_was_reached) {
  runtime_options options = limited(3, overload_kind::refuse);
  options.max_pending_bytes = 1'000'000;
  runtime rt(options);
  const auto [most, words] =
      until_refused(rt, [&](const future<void>& held) { rt.async({.after = {held}}, [] {}); });
  EXPECT_EQ(most, 2);
  EXPECT_EQ(words,
            "A submission is refused: 3 tasks are pending, and runtime_options::max_pending is "
            "3.");
}

TEST_P(pending_limits, never_hold_up_what_tasks_submit) {
  for (const auto overload : {overload_kind::block, overload_kind::refuse}) {
    std::atomic<int> ran = 0;
    runtime rt(limited(2, overload));
    const future<void> all = rt.async([&] {
      task_scope scope(rt);
      for (int i = 0; i < 100; ++i) {
        scope.async([&] { rt.async([&] { ++ran; }).wait(); });
      }
      scope.wait();
    });
    all.get();  // here or on a worker
    EXPECT_EQ(ran, 100);
    rt.wait();
  }
}

TEST_P(pending_limits, let_a_thread_through_whose_view_is_in_the_way) {
  runtime rt(limited(2));
  buffer<float> x{rt, 10, 0.0f, "x"};
  {
    const auto view = x.update();
    for (int i = 0; i < 10; ++i) rt.submit(ops::fill, static_cast<float>(i), writes(x));
  }
  EXPECT_EQ(x.to_vector().front(), 9.0f);
}

TEST_P(pending_limits, count_a_run_of_a_graph_as_one) {
  std::atomic<int> ran = 0;
  runtime rt(limited(1, overload_kind::refuse));
  const graph ten = rt.record([&](submitter& s) {
    for (int i = 0; i < 10; ++i) s.async([&] { ++ran; });
  });
  rt.run(ten).get();
  EXPECT_EQ(ran, 10);
}

TEST_P(pending_limits, end_when_the_runtime_is_stopped) {
  if (on_virtual_clock()) return;  // nobody else is there to stop it
  runtime rt(limited(4));
  std::jthread stops([&] {
    std::this_thread::sleep_for(5ms);
    rt.stop();
  });
  for (int i = 0; i < 100; ++i) {
    rt.async([](std::stop_token stop) {
      while (!stop.stop_requested()) std::this_thread::sleep_for(100us);
    });
  }
  rt.wait();
}

TEST_P(pending_limits, burn_no_core) {
  if (on_virtual_clock()) return;
  runtime rt(limited(1));
  rt.async([] { std::this_thread::sleep_for(200ms); });
  rusage before{};
  rusage after{};
  getrusage(RUSAGE_THREAD, &before);
  rt.async([] {});  // waits for the first one
  getrusage(RUSAGE_THREAD, &after);
  const auto used = (after.ru_utime.tv_sec - before.ru_utime.tv_sec) * 1'000'000 +
                    (after.ru_utime.tv_usec - before.ru_utime.tv_usec);
  EXPECT_LT(used, 50'000);
}

}  // namespace
}  // namespace hocket
