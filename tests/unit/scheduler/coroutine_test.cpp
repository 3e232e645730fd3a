// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <gmock/gmock.h>

#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include <hocket/scheduler/when_all.hpp>

#include "executors.hpp"

namespace hocket {
namespace {

using namespace hocket::testing;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::internal::CaptureStderr;
using ::testing::internal::GetCapturedStderr;

class coroutines : public on_every_executor {};
HOCKET_ON_EVERY_EXECUTOR(coroutines);

future<int> sum_of(host_fixture& rt, int n) {
  int sum = 0;
  for (int i = 0; i < n; ++i) sum += co_await rt.async([i] { return i; });
  co_return sum;
}

future<std::string> text_of(host_fixture& rt) {
  const int sum = co_await sum_of(rt, 4);
  co_return std::to_string(sum);
}

future<void> nothing_to_await() { co_return; }

TEST_P(coroutines, await_futures) { EXPECT_EQ(sum_of(rt, 100).get(), 4950); }
TEST_P(coroutines, await_coroutines) { EXPECT_EQ(text_of(rt).get(), "6"); }
TEST_P(coroutines, that_await_nothing_are_done) { EXPECT_TRUE(nothing_to_await().done()); }

TEST_P(coroutines, begin_in_the_caller) {
  const auto task = make_hand_task(rt);
  bool began = false;
  const auto run = [&](future<int> f) -> future<int> {
    began = true;
    co_return co_await f + 1;
  };
  const future<int> f = run(future<int>(task));
  EXPECT_TRUE(began);
  EXPECT_FALSE(f.done());
  task->end_with(1);
  EXPECT_EQ(f.get(), 2);
}

TEST_P(coroutines, go_on_in_the_arena) {
  const auto task = make_hand_task(rt);
  const auto run = [this](future<int> f) -> future<bool> {
    (void)co_await f;
    co_return where->inside();
  };
  const future<bool> f = run(future<int>(task));
  task->end_with(1);
  EXPECT_TRUE(f.get());
}

TEST_P(coroutines, fail_with_what_they_throw) {
  const auto run = [](host_fixture& host) -> future<int> {
    (void)co_await host.async([] { return 1; });
    throw std::domain_error("coroutine boom");
  };
  const future<int> f = run(rt);
  EXPECT_THROW((void)f.get(), std::domain_error);
  EXPECT_EQ(f.error().message(), "Task \"coroutine\" failed: coroutine boom.");
}

TEST_P(coroutines, can_catch_what_a_task_failed_with) {
  const auto run = [](host_fixture& host) -> future<std::string> {
    try {
      co_await host.async([] { throw std::runtime_error("caught"); });
    } catch (const std::runtime_error& e) {
      co_return e.what();
    }
    co_return "not thrown";
  };
  EXPECT_EQ(run(rt).get(), "caught");
  rt.wait_until_idle();
  EXPECT_THAT(rt.unseen_failures(), IsEmpty());
}

TEST_P(coroutines, whose_failure_nobody_looks_at_are_kept) {
  const auto run = [](host_fixture& host) -> future<void> {
    co_await host.async([] { throw std::runtime_error("lost"); });
  };
  const auto task = make_hand_task(rt);
  (void)run(rt);
  task->end_with(1);
  rt.wait_until_idle();
  EXPECT_THAT(rt.unseen_failures(), ElementsAre("Task \"coroutine\" failed: lost."));
}

future<int> fail_after(future<int> awaited) {
  const int got = co_await awaited;
  if (got > 0) throw std::runtime_error("late");
  co_return got;
}

TEST_P(coroutines, that_fail_and_never_had_to_wait_belong_to_the_first_runtime) {
  const future<int> ended = rt.async([] { return 1; });
  ended.wait();
  (void)fail_after(ended);
  rt.wait_until_idle();
  EXPECT_THAT(rt.unseen_failures(), ElementsAre("Task \"coroutine\" failed: late."));
}

TEST_P(coroutines, that_fail_and_awaited_only_such_ones_belong_to_their_runtime) {
  const future<int> ended = rt.async([] { return 1; });
  ended.wait();
  const auto passes_on = [](future<int> from) -> future<int> { co_return co_await from; };
  (void)fail_after(passes_on(ended));
  rt.wait_until_idle();
  EXPECT_THAT(rt.unseen_failures(), ElementsAre("Task \"coroutine\" failed: late."));
  EXPECT_EQ(rt.unended(), 0);
}

TEST_P(coroutines, that_fail_behind_the_end_of_a_runtime_print_it) {
  future<int> ended;
  {
    host_fixture gone{*where};
    ended = gone.async([] { return 1; });
    ended.wait();
  }
  CaptureStderr();
  (void)fail_after(ended);
  EXPECT_EQ(GetCapturedStderr(), "hocket: unhandled failure: Task \"coroutine\" failed: late.\n");
}

future<void> fail_at_once() {
  throw std::runtime_error("early");
  co_return;
}

TEST_P(coroutines, without_a_runtime_print_a_failure_that_was_not_looked_at) {
  CaptureStderr();
  {
    const future<void> failed = fail_at_once();
    const future<void> copy = failed;
  }
  EXPECT_EQ(GetCapturedStderr(), "hocket: unhandled failure: Task \"coroutine\" failed: early.\n");
}

TEST_P(coroutines, without_a_runtime_print_no_failure_that_was_looked_at) {
  CaptureStderr();
  EXPECT_THROW(fail_at_once().get(), std::runtime_error);
  fail_at_once().wait();
  EXPECT_TRUE(fail_at_once().error());
  EXPECT_THROW(when_all(fail_at_once(), fail_at_once()).get(), std::runtime_error);
  const auto catches = []() -> future<void> {
    const future<void> failed = fail_at_once();
    try {
      co_await failed;
    } catch (const std::runtime_error&) {
      co_return;
    }
  };
  catches().get();
  EXPECT_EQ(GetCapturedStderr(), "");
}

TEST_P(coroutines, without_a_runtime_print_no_cancellation) {
  CaptureStderr();
  {
    const detail::task_state_ptr pending(new detail::task_state(nullptr));
    const auto waits = [](future<void> from) -> future<void> { co_await from; };
    const future<void> cancelled = waits(future<void>(pending));
    cancelled.cancel();
    pending->finish();
    EXPECT_TRUE(cancelled.done());
  }
  EXPECT_EQ(GetCapturedStderr(), "");
}

TEST_P(coroutines, free_what_they_hold_before_they_are_done) {
  auto data = std::make_shared<int>(1);
  const std::weak_ptr<int> watch = data;
  const auto run = [](host_fixture& host, std::shared_ptr<int> held) -> future<int> {
    co_return co_await host.async([] { return 1; }) + *held;
  };
  EXPECT_EQ(run(rt, std::move(data)).get(), 2);
  EXPECT_TRUE(watch.expired());
}

TEST_P(coroutines, are_cancelled_where_they_await) {
  const auto task = make_hand_task(rt);
  const auto run = [](future<int> f) -> future<int> { co_return co_await f; };
  const future<int> f = run(future<int>(task));
  f.cancel();
  task->end_with(1);
  EXPECT_EQ(f.error().code(), failure_code::cancelled);
  EXPECT_EQ(f.error().message(), "Task \"coroutine\" was cancelled while it ran.");
}

TEST_P(coroutines, await_when_all) {
  const auto run = [](host_fixture& host) -> future<int> {
    const auto [a, b] = co_await when_all(host.async([] { return 1; }), sum_of(host, 3));
    co_return a + b;
  };
  EXPECT_EQ(run(rt).get(), 4);
}

TEST_P(coroutines, can_continue) {
  EXPECT_EQ(sum_of(rt, 3).then([](int x) { return x * 2; }).get(), 6);
}

TEST_P(coroutines, await_tasks_with_options) {
  const auto run = [](host_fixture& host) -> future<int> {
    const future<int> task = host.async([] { return 5; }, {.label = "five"});
    co_return co_await task;
  };
  EXPECT_EQ(run(rt).get(), 5);
}

TEST_P(coroutines, without_a_future_throw) {
  const auto run = [](future<void> f) -> future<void> { co_await f; };
  EXPECT_THROW(run({}).get(), usage_error);
}

/// Awaits the future at that place, which is put there while the coroutine waits for the gate.
future<int> awaits_later(future<int> gate, std::shared_ptr<std::vector<future<int>>> all,
                         std::size_t which) {
  (void)co_await gate;
  co_return co_await all->at(which);
}

TEST_P(coroutines, that_await_one_another_in_a_circle_fail) {
  for (const std::size_t length : {1U, 2U, 3U, 20U}) {
    const auto gate = make_hand_task(rt);
    const auto all = std::make_shared<std::vector<future<int>>>();
    for (std::size_t i = 0; i < length; ++i) {
      all->push_back(awaits_later(future<int>(gate), all, (i + 1) % length));
    }
    const std::vector<future<int>> own = *all;
    gate->end_with(1);
    for (const future<int>& each : own) {
      const std::string message = message_of([&] { (void)each.get(); });
      EXPECT_THAT(message, HasSubstr("so for ever")) << "of " << length;
    }
  }
}

TEST_P(coroutines, that_await_one_after_the_other_are_no_circle) {
  const auto gate = make_hand_task(rt);
  const auto all = std::make_shared<std::vector<future<int>>>();
  all->push_back(awaits_later(future<int>(gate), all, 20));
  for (std::size_t i = 1; i < 20; ++i) {
    all->push_back(awaits_later(future<int>(gate), all, i - 1));
  }
  const auto last = make_hand_task(rt);
  all->push_back(future<int>(last));
  gate->end_with(1);
  last->end_with(5);
  EXPECT_EQ(all->at(19).get(), 5);
}

TEST_P(coroutines, by_the_thousand) {
  std::vector<future<int>> all;
  for (int i = 0; i < 1000; ++i) all.push_back(sum_of(rt, 5));
  for (const int x : when_all(all).get()) ASSERT_EQ(x, 10);
}

}  // namespace
}  // namespace hocket
