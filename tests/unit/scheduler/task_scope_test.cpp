// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <array>
#include <atomic>
#include <memory>
#include <optional>
#include <thread>
#include <vector>

#include "runtimes.hpp"

namespace hocket {
namespace {

using namespace hocket::testing;
using namespace std::chrono_literals;
using ::testing::HasSubstr;

class task_scopes : public on_every_engine {};
HOCKET_ON_EVERY_ENGINE(task_scopes);

TEST_P(task_scopes, do_not_end_before_their_tasks) {
  std::atomic<int> ended = 0;
  {
    task_scope scope(rt);
    for (int i = 0; i < 100; ++i) scope.async([&] { ++ended; });
  }
  EXPECT_EQ(ended, 100);
}

TEST_P(task_scopes, wait_for_continuations_and_for_what_tasks_submit) {
  std::atomic<int> ended = 0;
  task_scope scope(rt);
  scope.async([&] { scope.async([&] { scope.async([&] { ++ended; }); }).then([&] { ++ended; }); });
  when_all(scope.async([&] { ++ended; }), scope.async([&] { ++ended; })).then([&] { ++ended; });
  scope.wait();
  EXPECT_EQ(ended, 5);
}

TEST_P(task_scopes, are_not_held_up_by_other_tasks_of_the_runtime) {
  buffer<float> held{rt, 10, 1.0f, "held"};
  std::atomic<int> ended = 0;
  {
    const auto view = held.update();
    const future<void> other = rt.submit(ops::fill, 2.0f, writes(held));  // waits for the view
    task_scope scope(rt);
    scope.async([&] { ++ended; });
    scope.wait();
    EXPECT_FALSE(other.done());
  }
  EXPECT_EQ(ended, 1);
}

TEST_P(task_scopes, throw_one_failure_of_several) {
  task_scope scope(rt);
  for (int i = 0; i < 5; ++i) scope.async([] { throw std::out_of_range("one of them"); });
  EXPECT_THROW(scope.wait(), std::out_of_range);
  EXPECT_NO_THROW(scope.wait());
  EXPECT_NO_THROW(rt.wait()) << "the others count as seen";
}

TEST_P(task_scopes, count_a_failure_as_seen_that_somebody_has_looked_at) {
  task_scope scope(rt);
  const future<void> f = scope.async([] { throw std::out_of_range("seen"); });
  EXPECT_THROW(f.get(), std::out_of_range);
  EXPECT_NO_THROW(scope.wait());
}

TEST_P(task_scopes, hand_a_failure_on_that_nobody_looked_at) {
  {
    task_scope outer(rt);
    {
      task_scope inner(outer);
      inner.async([] { throw std::out_of_range("handed on"); });
    }
    EXPECT_THROW(outer.wait(), std::out_of_range);
  }
  EXPECT_NO_THROW(rt.wait());
  {
    task_scope scope(rt);
    scope.async([] { throw std::out_of_range("handed on"); });
  }
  EXPECT_THROW(rt.wait(), std::out_of_range);
}

TEST_P(task_scopes, cancel_what_has_not_started) {
  task_scope scope(rt, {.label = "work"});
  scope.cancel();
  std::atomic<bool> ran = false;
  const future<void> f = scope.async({.label = "late"}, [&] { ran = true; });
  EXPECT_NO_THROW(scope.wait());
  EXPECT_FALSE(ran);
  EXPECT_EQ(f.error().code(), failure_code::cancelled);
  EXPECT_EQ(f.error().message(), "Task \"late\" was cancelled, because its scope \"work\" was.");
  rt.async([] {}).get();  // others run
}

TEST_P(task_scopes, tell_running_tasks_to_stop) {
  task_scope scope(rt);
  std::atomic<bool> runs = false;
  const future<bool> f = scope.async([&](std::stop_token stop) {
    runs = true;
    if (on_virtual_clock()) scope.cancel();
    while (!stop.stop_requested()) std::this_thread::yield();
    return scope.stop_token().stop_requested();
  });
  while (!on_virtual_clock() && !runs) std::this_thread::yield();
  if (!on_virtual_clock()) scope.cancel();
  EXPECT_TRUE(f.get());
}

TEST_P(task_scopes, cancel_first_when_an_exception_leaves_them) {
  std::atomic<bool> ran = false;
  future<void> never;
  const auto leave = [&] {
    task_scope scope(rt);
    // It would go on for ever.
    const future<void> listens = scope.async([&](std::stop_token stop) {
      while (!stop.stop_requested()) std::this_thread::yield();
    });
    never = listens.then([&] { ran = true; });
    throw std::out_of_range("left");
  };
  EXPECT_THROW(leave(), std::out_of_range);
  EXPECT_TRUE(never.done());
  EXPECT_FALSE(ran);
}

// The second failure counts as seen, since the scope tells the first one; the task behind both
// hands the second one on.
TEST_P(task_scopes, tell_a_failure_though_a_task_follows_another_one) {
  task_scope scope(rt);
  const auto failed = [&] {
    const future<void> made = scope.async([] { throw std::out_of_range("it"); });
    while (!made.done()) pass(rt, 1ms);
    return made;
  };
  const future<void> first = failed(), second = failed();
  scope.async({.after = {second, first}}, [] {});
  EXPECT_THROW(scope.wait(), std::out_of_range);
}

TEST_P(task_scopes, cancel_the_siblings_of_a_failed_task_if_asked_to) {
  task_scope scope(rt, {.label = "work", .cancel_on_failure = true});
  const future<bool> listens = scope.async([&](std::stop_token stop) {
    scope.async([] { throw std::out_of_range("it"); });
    while (!stop.stop_requested()) pass(rt, 1ms);
    return true;
  });
  EXPECT_TRUE(listens.get());
  const future<void> late = scope.async({.label = "late"}, [] {});
  EXPECT_EQ(late.error().message(),
            "Task \"late\" was cancelled, because another task of its scope \"work\" failed.");
}

TEST_P(task_scopes, let_siblings_run_if_not_asked) {
  task_scope scope(rt);
  scope.async([] { throw std::out_of_range("it"); });
  EXPECT_THROW(scope.wait(), std::out_of_range);
  EXPECT_EQ(scope.async([] { return 7; }).get(), 7);
}

TEST_P(task_scopes, end_with_the_scope_around_them) {
  std::atomic<int> ran = 0;
  task_scope outer(rt, {.label = "outer"});
  task_scope inner(outer, {.label = "inner"});
  outer.cancel();
  const future<void> f = inner.async({.label = "late"}, [&] { ++ran; });
  inner.wait();
  EXPECT_EQ(ran, 0);
  EXPECT_EQ(f.error().message(), "Task \"late\" was cancelled, because its scope \"outer\" was.");
}

TEST_P(task_scopes, tell_of_a_stop_whenever_they_are_asked_for_a_token) {
  task_scope outer(rt);
  task_scope middle(outer);
  task_scope inner(middle);
  task_scope sibling(outer);
  const std::stop_token early = inner.stop_token();
  EXPECT_FALSE(early.stop_requested());
  middle.cancel();
  EXPECT_TRUE(early.stop_requested());
  EXPECT_TRUE(middle.stop_token().stop_requested()) << "asked for afterwards";
  EXPECT_FALSE(outer.stop_token().stop_requested());
  EXPECT_FALSE(sibling.stop_token().stop_requested());
  EXPECT_EQ(sibling.async([] { return 7; }).get(), 7);
  rt.stop();
  EXPECT_TRUE(outer.stop_token().stop_requested());
  EXPECT_EQ(sibling.async([] {}).error().code(), failure_code::cancelled);
}

TEST_P(task_scopes, tell_of_a_stop_that_comes_while_they_are_asked_for_a_token) {
  if (on_virtual_clock()) return;  // one thread
  for (int round = 0; round < 200; ++round) {
    task_scope outer(rt);
    task_scope inner(outer);
    std::array<std::stop_token, 2> tokens;
    std::atomic<int> ready = 0;
    const auto meet = [&] {
      ++ready;
      while (ready < 3) continue;
    };
    std::vector<std::thread> askers;
    for (std::stop_token& each : tokens) {
      askers.emplace_back([&] {
        meet();
        each = inner.stop_token();
      });
    }
    meet();
    outer.cancel();
    for (std::thread& each : askers) each.join();
    EXPECT_EQ(tokens[0], tokens[1]);
    EXPECT_TRUE(tokens[0].stop_requested());
    EXPECT_TRUE(outer.stop_token().stop_requested());
  }
}

TEST_P(task_scopes, do_not_cancel_the_scope_around_them) {
  task_scope outer(rt, {.cancel_on_failure = true});
  {
    task_scope inner(outer, {.cancel_on_failure = true});
    inner.async([] { throw std::out_of_range("handled"); });
    EXPECT_THROW(inner.wait(), std::out_of_range);
  }
  EXPECT_EQ(outer.async([] { return 7; }).get(), 7);
}

TEST_P(task_scopes, of_an_outer_scope_wait_for_those_within) {
  std::atomic<int> ran = 0;
  task_scope outer(rt);
  task_scope inner(outer);
  for (int i = 0; i < 20; ++i) inner.async([&] { ++ran; });
  outer.wait();
  EXPECT_EQ(ran, 20);
}

TEST_P(task_scopes, are_cancelled_by_a_stop_token_and_by_the_runtime) {
  std::stop_source source;
  task_scope scope(rt, {.stop = source.get_token()});
  source.request_stop();
  EXPECT_EQ(scope.async([] {}).error().code(), failure_code::cancelled);
  task_scope other(rt);
  rt.stop();
  EXPECT_EQ(other.async({.label = "late"}, [] {}).error().message(),
            "Task \"late\" was cancelled, because its runtime was stopped.");
}

TEST_P(task_scopes, may_be_made_and_waited_for_in_tasks) {
  // More scopes wait than there are workers.
  std::atomic<int> leaves = 0;
  const std::function<void(int)> split = [&](int depth) {
    if (depth == 0) {
      ++leaves;
      return;
    }
    task_scope scope(rt);
    for (int i = 0; i < 3; ++i) scope.async([&, depth] { split(depth - 1); });
    scope.wait();
  };
  rt.async([&] { split(4); }).get();
  EXPECT_EQ(leaves, 81);
}

TEST_P(task_scopes, left_by_exceptions_in_tasks_need_no_worker_to_end) {
  // Each worker unwinds a stack whose scope has tasks that nobody has begun.
  std::vector<future<void>> all;
  for (int i = 0; i < 8; ++i) {
    all.push_back(rt.async([&] {
      task_scope scope(rt);
      for (int k = 0; k < 10; ++k) scope.async([] {});
      throw std::out_of_range("left");
    }));
  }
  for (const future<void>& f : all) EXPECT_THROW(f.get(), std::out_of_range);
}

TEST_P(task_scopes, take_data_tasks) {
  buffer<float> x{rt, 1000, 1.0f, "x"};
  task_scope scope(rt, {.label = "work"});
  scope.submit(ops::fill, 2.0f, writes(x));
  scope.wait();
  EXPECT_EQ(scope.submit(ops::sum, reads(x)).get(), 2000.0f);
  scope.cancel();
  const future<void> late = scope.submit({.label = "late"}, ops::fill, 3.0f, writes(x));
  EXPECT_EQ(late.error().code(), failure_code::cancelled);
  EXPECT_EQ(late.error().message(), "Task \"late\" was cancelled, because its scope \"work\" was.");
  rt.submit(ops::fill, 4.0f, writes(x)).get();
}

TEST_P(task_scopes, cancel_data_tasks_that_wait) {
  buffer<float> x{rt, 10, 1.0f, "x"};
  future<void> held;
  {
    const auto view = x.update();
    task_scope scope(rt);
    held = scope.submit(ops::fill, 2.0f, writes(x));
    scope.cancel();
    scope.wait();
  }
  EXPECT_EQ(held.error().code(), failure_code::cancelled);
}

TEST_P(task_scopes, wait_for_a_running_data_task_that_was_cancelled) {
  const buffer<int> data(rt, 1, 0);
  std::atomic<bool> started = false, ended = false;
  {
    task_scope scope(rt);
    const future<void> runs = scope.submit(
        [&](buffer_view<int>) {
          started = true;
          pass(rt, std::chrono::milliseconds(20));
          ended = true;
        },
        updates(data));
    while (!started) pass(rt, std::chrono::milliseconds(1));
    scope.cancel();
    // Where tasks are placed its future does not wait for the body. On the virtual clock that has
    // ended before who passed the time around it.
    const bool is_placed = rt.devices().size() > 1;
    if (is_placed && !on_virtual_clock()) {
      EXPECT_EQ(runs.error().code(), failure_code::cancelled);
    }
    scope.wait();
    EXPECT_TRUE(ended);
  }
}

TEST_P(task_scopes, of_a_runtime_end_after_the_kernels_that_ran_when_it_was_stopped) {
  const buffer<int> data(rt, 1, 3);
  std::atomic<bool> started = false, ended = false;
  const kernel<returns<int>, in_buffer<int>> slow{"slow", host_body{[&](buffer_view<const int> x) {
                                                    started = true;
                                                    pass(rt, std::chrono::milliseconds(20));
                                                    ended = true;
                                                    return x[0] + 4;
                                                  }}};
  const future<int> runs = rt.submit(slow, reads(data));
  while (!started) pass(rt, std::chrono::milliseconds(1));
  rt.stop();
  rt.wait();
  EXPECT_TRUE(ended);
  EXPECT_EQ(runs.get(), 7);
}

TEST_P(task_scopes, futures_outlive_them) {
  future<int> kept;
  {
    task_scope scope(rt);
    kept = scope.async([] { return 1; });
  }
  EXPECT_EQ(kept.get(), 1);
  EXPECT_EQ(kept.then([](int x) { return x + 1; }).get(), 2);
}

TEST_P(task_scopes, refuse_a_task_of_theirs_that_waits_for_them) {
  task_scope outer(rt, {.label = "outer"});
  std::optional<task_scope> inner;
  inner.emplace(outer);
  const future<void> f = inner->async([&] {
    rt.async([] {}).get();  // perhaps on another thread afterwards
    outer.wait();
  });
  EXPECT_THAT(thrown_by<usage_error>([&] { f.get(); }).what(),
              HasSubstr("The scope \"outer\" is waited for by a task that belongs to it"));
  inner.reset();
}

future<int> sum_of(runtime& rt, int count) {
  task_scope scope(rt);
  std::vector<future<int>> parts;
  for (int i = 0; i < count; ++i) parts.push_back(scope.async([i] { return i; }));
  const future<void> done = scope.done();
  co_await done;
  int sum = 0;
  for (const future<int>& part : parts) sum += part.get();
  co_return sum;
}

TEST_P(task_scopes, are_awaited_by_coroutines) { EXPECT_EQ(sum_of(rt, 100).get(), 4950); }

future<void> fails_in(runtime& rt) {
  task_scope scope(rt);
  scope.async([] { throw std::out_of_range("in a coroutine"); });
  const future<void> done = scope.done();
  co_await done;
}

TEST_P(task_scopes, throw_into_coroutines) { EXPECT_THROW(fails_in(rt).get(), std::out_of_range); }

TEST_P(task_scopes, that_are_idle_are_done) {
  task_scope scope(rt);
  EXPECT_TRUE(scope.done().done());
  EXPECT_NO_THROW(scope.wait());
}

TEST(task_scope, refuses_a_recorder) {
  runtime rt;
  EXPECT_THAT(thrown_by<usage_error>([&] {
                (void)rt.record([](submitter& s) { const task_scope scope(s); });
              }).what(),
              HasSubstr("recorder"));
}

TEST(task_scope, refuses_a_negative_timeout) {
  runtime rt;
  EXPECT_THAT(thrown_by<usage_error>([&] {
                const task_scope scope(rt, {.label = "x", .timeout = -5ns});
              }).what(),
              AllOf(HasSubstr("scope \"x\""), HasSubstr("-5 ns")));
}

}  // namespace
}  // namespace hocket
