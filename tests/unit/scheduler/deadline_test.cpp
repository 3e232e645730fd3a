// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "runtimes.hpp"

namespace hocket {
namespace {

using namespace hocket::testing;
using namespace std::chrono_literals;
using ::testing::AllOf;
using ::testing::HasSubstr;

class deadlines : public on_every_engine {
 protected:
  /// A task that does not end before this does; on the virtual clock it takes 50 ms.
  class obstacle {
   public:
    explicit obstacle(runtime& rt)
        : task_(rt.async([this, &rt] {
            executor& where = rt.core()->where();
            if (where.is_virtual()) return pass(rt, 50ms);
            // No worker is kept from others.
            (void)where.wait([this](auto gate) {
              gate_ = std::move(gate);
              begun_ = true;
              begun_.notify_one();
            });
          })) {
      if (!rt.core()->where().is_virtual()) begun_.wait(false);
    }
    obstacle(const obstacle&) = delete;
    obstacle& operator=(const obstacle&) = delete;
    ~obstacle() {
      if (gate_) gate_->open();
      task_.wait();
    }
    [[nodiscard]] const future<void>& task() const { return task_; }

   private:
    std::shared_ptr<executor::gate> gate_;
    std::atomic<bool> begun_{false};
    future<void> task_;
  };

  /// Calls attempt with longer and longer times until it returns true: that the task had begun
  /// before its time was over. A machine may be busy.
  template <class Attempt>
  static void until_it_begins(Attempt&& attempt) {
    nanoseconds time = 2ms;
    while (!attempt(time)) time *= 2;
  }

  /// On the virtual clock, where a time can be exact: the task ends at that time.
  void expect_end(const future<void>& task, time_stamp at) {
    if (!on_virtual_clock()) return;
    executor& where = rt.core()->where();
    where.post_at(at - 1ns, [task] { EXPECT_FALSE(task.done()); });
    where.post_at(at + 1ns, [task] { EXPECT_TRUE(task.done()); });
  }
};
HOCKET_ON_EVERY_ENGINE(deadlines);

TEST_P(deadlines, end_a_task_that_has_not_begun) {
  const obstacle before(rt);
  auto held = std::make_shared<int>(1);
  const std::weak_ptr<int> watch = held;
  const future<void> f = rt.async({.label = "late", .timeout = 2ms, .after = {before.task()}},
                                  [h = std::move(held)] {});
  expect_end(f, 2ms);
  const future<int> after = f.then({.label = "after"}, [] { return 1; });
  EXPECT_EQ(f.error().code(), failure_code::timed_out);
  EXPECT_EQ(f.error().message(), "Task \"late\" did not begin within its time.");
  EXPECT_TRUE(watch.expired());
  EXPECT_EQ(after.error().message(),
            "Task \"after\" did not run, because task \"late\" did not begin within its time.");
}

TEST_P(deadlines, tell_a_task_that_runs) {
  until_it_begins([&](nanoseconds time) {
    std::atomic<bool> begun = false;
    const future<bool> f = rt.async({.timeout = time}, [&](std::stop_token stop) {
      begun = true;
      // Perhaps on the only worker: nothing else can run meanwhile.
      while (!on_virtual_clock() && !stop.stop_requested()) std::this_thread::yield();
      if (on_virtual_clock()) pass(rt, 2 * time);
      return stop.stop_requested();
    });
    f.wait();
    if (begun) {
      EXPECT_TRUE(f.get());
    }
    return begun.load();
  });
}

TEST_P(deadlines, are_what_a_task_fails_with_that_gives_up_because_of_them) {
  until_it_begins([&](nanoseconds time) {
    std::atomic<bool> begun = false;
    const future<void> f = rt.async({.label = "loop", .timeout = time}, [&](std::stop_token stop) {
      begun = true;
      while (!stop.stop_requested()) pass(rt, 1ms);
      throw error({failure_code::cancelled, "Stopped."});
    });
    EXPECT_EQ(f.error().code(), failure_code::timed_out);
    EXPECT_EQ(thrown_by<error>([&] { f.get(); }).code(), failure_code::timed_out);
    if (begun) {
      EXPECT_EQ(f.error().message(), "Task \"loop\" did not end within its time.");
    }
    return begun.load();
  });
}

TEST_P(deadlines, of_scopes_are_what_a_task_throws_that_gives_up_because_of_them) {
  until_it_begins([&](nanoseconds time) {
    task_scope scope(rt, {.timeout = time});
    std::atomic<bool> begun = false;
    const future<void> f = scope.async([&](std::stop_token stop) {
      begun = true;
      while (!stop.stop_requested()) pass(rt, 1ms);
      throw error({failure_code::cancelled, "Stopped."});
    });
    EXPECT_EQ(f.error().code(), failure_code::timed_out);
    EXPECT_EQ(thrown_by<error>([&] { f.get(); }).code(), failure_code::timed_out);
    return begun.load();
  });
}

TEST_P(deadlines, do_nothing_to_a_task_that_has_ended) {
  auto result = std::make_shared<int>(5);
  const std::weak_ptr<int> watch = result;
  {
    const future<std::shared_ptr<int>> f =
        rt.async({.timeout = 1h}, [r = std::move(result)] { return r; });
    EXPECT_EQ(*f.get(), 5);
  }
  rt.wait();
  // The worker may hold the task for a moment after its end.
  for (int i = 0; i < 1000 && !watch.expired(); ++i) pass(rt, 1ms);
  EXPECT_TRUE(watch.expired()) << "nothing keeps the task until the hour is over";
}

TEST_P(deadlines, that_have_passed_let_nothing_begin) {
  pass(rt, 1ms);
  std::atomic<bool> ran = false;
  const future<void> f = rt.async({.deadline = rt.now()}, [&] { ran = true; });
  EXPECT_TRUE(f.done());
  EXPECT_EQ(f.error().code(), failure_code::timed_out);
  const future<void> now = rt.async({.timeout = 0ns}, [&] { ran = true; });
  EXPECT_EQ(now.error().code(), failure_code::timed_out);
  EXPECT_FALSE(ran);
}

TEST_P(deadlines, the_earlier_one_counts) {
  const obstacle before(rt);
  const time_stamp begin = rt.now();
  const future<void> f =
      rt.async({.timeout = 1h, .deadline = begin + 3ms, .after = {before.task()}}, [] {});
  const future<void> g =
      rt.async({.timeout = 2ms, .deadline = begin + 1h, .after = {before.task()}}, [] {});
  expect_end(f, begin + 3ms);
  expect_end(g, begin + 2ms);
  EXPECT_EQ(f.error().code(), failure_code::timed_out);
  EXPECT_EQ(g.error().code(), failure_code::timed_out);
}

TEST_P(deadlines, of_continuations) {
  std::optional<obstacle> before;
  before.emplace(rt);
  const future<void> f = before->task().then({.label = "next", .timeout = 2ms}, [] {});
  EXPECT_EQ(f.error().message(), "Task \"next\" did not begin within its time.");
  std::atomic<int> order = 0;
  const future<void> other = rt.async([&] { ++order; });
  const future<int> both = before->task().then({.after = {other}}, [&] { return order.load(); });
  before.reset();
  EXPECT_EQ(both.get(), 1);
}

TEST_P(deadlines, of_scopes_end_what_has_not_begun) {
  std::optional<obstacle> before;
  before.emplace(rt);
  const time_stamp deadline = rt.now() + 2ms;
  task_scope scope(rt, {.label = "request", .deadline = deadline});
  const future<void> waits = scope.async({.label = "late", .after = {before->task()}}, [] {});
  while (!scope.stop_token().stop_requested()) pass(rt, 1ms);
  EXPECT_GE(rt.now(), deadline);
  before.reset();
  const error thrown = thrown_by<error>([&] { scope.wait(); });
  EXPECT_EQ(thrown.code(), failure_code::timed_out);
  EXPECT_EQ(thrown.what(), std::string("Task \"late\" did not end before the deadline of its scope "
                                       "\"request\"."));
  EXPECT_EQ(waits.error().code(), failure_code::timed_out);
  EXPECT_NO_THROW(rt.wait());
}

TEST_P(deadlines, of_scopes_tell_what_runs) {
  until_it_begins([&](nanoseconds time) {
    task_scope scope(rt, {.timeout = time});
    const future<void> runs = scope.async([&](std::stop_token stop) {
      while (!stop.stop_requested()) pass(rt, 1ms);
    });
    return !runs.error();
  });
}

TEST_P(deadlines, of_an_outer_scope_are_those_within) {
  task_scope outer(rt, {.label = "request", .deadline = rt.now()});
  task_scope inner(outer, {.label = "part"});
  const future<void> f = inner.async({.label = "late"}, [] {});
  EXPECT_EQ(f.error().message(),
            "Task \"late\" did not end before the deadline of its scope \"request\".");
}

TEST_P(deadlines, of_scopes_that_have_ended_do_nothing) {
  const time_stamp begin = rt.now();
  for (int i = 0; i < 100; ++i) {
    task_scope scope(rt, {.timeout = 1h});
    EXPECT_EQ(scope.async([i] { return i; }).get(), i);
  }
  rt.wait();
  if (on_virtual_clock()) {
    EXPECT_EQ(rt.now(), begin);
  }
}

TEST_P(deadlines, of_data_tasks) {
  buffer<float> x{rt, 10, 1.0f, "x"};
  future<void> f;
  future<void> in_scope;
  {
    const auto view = x.update();
    f = rt.submit({.label = "fill", .deadline = rt.now() + 2ms}, ops::fill, 2.0f, writes(x));
    task_scope scope(rt, {.timeout = 3ms});
    in_scope = scope.submit(ops::fill, 2.0f, writes(x));
    EXPECT_THROW(scope.wait(), error);
    // Who has seen the later time pass has not seen what came of the earlier one.
    while (!f.done()) pass(rt, 1ms);
  }
  EXPECT_EQ(f.error().code(), failure_code::timed_out);
  EXPECT_EQ(in_scope.error().code(), failure_code::timed_out);
}

TEST_P(deadlines, many_at_once_end_in_their_order) {
  const obstacle before(rt);
  std::vector<future<void>> all;
  for (int i = 0; i < 200; ++i) {
    const int after = 1 + (i * 37) % 200;  // some order
    const future<void> f = rt.async({.timeout = after * 100us, .after = {before.task()}},
                                    [] { FAIL() << "it has run"; });
    expect_end(f, after * 100us);
    all.push_back(f);
  }
  for (const future<void>& f : all) EXPECT_EQ(f.error().code(), failure_code::timed_out);
}

/// The last task of a runtime ends as its time is over, and then the runtime does.
TEST(deadline, may_be_reached_as_a_runtime_ends) {
  for (int run = 0; run < 300; ++run) {
    runtime rt({.devices = "NUMA0", .data_tasks = data_path::in_place});
    const buffer<float> x(rt, 64, 1.0f, "x");
    const task_options in_order{
        .on = rt.device("NUMA0"), .in_order = true, .timeout = run % 50 * 2us};
    future<void> last;
    for (int i = 0; i < 4; ++i) last = rt.submit(in_order, ops::fill, 2.0f, writes(x));
    last.wait();
  }
}

/// A task with data and a time-out, whose body is still running.
class bodies_of_ended_tasks : public ::testing::TestWithParam<data_path> {
 protected:
  /// A body that runs for a moment after it is released. It is made before the runtime, whose end
  /// waits for it.
  struct slow_body {
    std::atomic<bool> begun{false}, released{false}, ended{false};

    [[nodiscard]] auto function() {
      return [this](buffer_view<int>) {
        begun = true;
        released.wait(false);
        std::this_thread::sleep_for(20ms);
        ended = true;
      };
    }
    /// Returns false if the task has ended before it. It may begin a moment later nevertheless.
    [[nodiscard]] bool begins_before(const future<void>& end) {
      while (!begun && !end.done()) std::this_thread::yield();
      if (!begun) release();
      return begun;
    }
    void release() {
      released = true;
      released.notify_all();
    }
  };

  [[nodiscard]] static runtime_options options() {
    return {.devices = "NUMA0", .data_tasks = GetParam()};
  }
  /// Calls attempt with longer and longer times until it returns true.
  template <class Attempt>
  static void until_it_begins(Attempt&& attempt) {
    nanoseconds time = 5ms;
    while (!attempt(time)) time *= 2;
  }
};

INSTANTIATE_TEST_SUITE_P(, bodies_of_ended_tasks,
                         ::testing::Values(data_path::placed, data_path::in_place),
                         [](const ::testing::TestParamInfo<data_path>& i) {
                           return i.param == data_path::placed ? "placed" : "in_place";
                         });

TEST_P(bodies_of_ended_tasks, are_awaited_by_their_scope) {
  until_it_begins([&](nanoseconds time) {
    slow_body body;
    runtime rt(options());
    const buffer<int> x(rt, 4, 1);
    std::optional<task_scope> scope(std::in_place, rt);
    const future<void> f = scope->submit({.timeout = time}, body.function(), updates(x));
    if (!body.begins_before(f)) return false;
    EXPECT_EQ(f.error().code(), failure_code::timed_out);
    body.release();
    scope.reset();
    EXPECT_TRUE(body.ended);
    return true;
  });
}

TEST_P(bodies_of_ended_tasks, are_awaited_by_a_scope_that_was_cancelled) {
  using end = void (*)(runtime&, task_scope&, future<void>&);
  constexpr end ends[] = {[](runtime&, task_scope&, future<void>& f) { f.cancel(); },
                          [](runtime&, task_scope& scope, future<void>&) { scope.cancel(); },
                          [](runtime& rt, task_scope&, future<void>&) { rt.stop(); }};
  for (const end each : ends) {
    slow_body body;
    runtime rt(options());
    const buffer<int> x(rt, 4, 1);
    std::optional<task_scope> scope(std::in_place, rt);
    future<void> f = scope->submit({.timeout = 1h}, body.function(), updates(x));
    ASSERT_TRUE(body.begins_before(f));
    each(rt, *scope, f);
    EXPECT_EQ(f.error().code(), failure_code::cancelled);
    body.release();
    EXPECT_NO_THROW(scope->wait());
    EXPECT_TRUE(body.ended);
    scope.reset();
  }
}

TEST_P(bodies_of_ended_tasks, are_awaited_with_all_tasks_of_the_runtime) {
  until_it_begins([&](nanoseconds time) {
    slow_body body;
    std::vector<int> memory(4);
    runtime rt(options());
    future<void> f;
    {
      const buffer<int> x(rt, user_memory<int, 1>(memory.data(), {4}));
      f = rt.submit({.timeout = time}, body.function(), updates(x));
    }
    if (!body.begins_before(f)) return false;
    EXPECT_EQ(f.error().code(), failure_code::timed_out);
    body.release();
    rt.wait();
    EXPECT_TRUE(body.ended);
    return true;
  });
}

TEST_P(bodies_of_ended_tasks, of_a_graph_are_awaited_with_all_tasks) {
  until_it_begins([&](nanoseconds time) {
    slow_body body;
    runtime rt(options());
    const buffer<int> x(rt, 4, 1);
    std::optional<graph> recorded =
        rt.record([&](submitter& s) { s.submit({.timeout = time}, body.function(), updates(x)); });
    const future<void> run = rt.run(*recorded);
    if (!body.begins_before(run)) return false;
    EXPECT_EQ(run.error().code(), failure_code::timed_out);
    recorded.reset();
    body.release();
    rt.wait();
    EXPECT_TRUE(body.ended);
    return true;
  });
}

TEST_P(bodies_of_ended_tasks, keep_later_tasks_from_their_data) {
  until_it_begins([&](nanoseconds time) {
    slow_body body;
    runtime rt(options());
    const buffer<int> x(rt, 4, 1), y(rt, 4, 1);
    const future<void> f = rt.submit({.timeout = time}, body.function(), updates(x));
    const future<void> after = rt.submit(
        {.after = {f}}, [](buffer_view<int>) { FAIL() << "it has run"; }, writes(y));
    std::atomic<bool> was_alone = false;
    const future<void> next = rt.submit(
        [&](buffer_view<int> v) {
          was_alone = body.ended.load();
          for (int& each : v) each = 7;
        },
        writes(x));
    if (!body.begins_before(f)) return false;
    EXPECT_EQ(after.error().code(), failure_code::dependency_failed);
    EXPECT_FALSE(next.done());
    body.release();
    EXPECT_NO_THROW(next.get());
    EXPECT_TRUE(was_alone);
    EXPECT_THAT(x.to_vector(), ::testing::Each(7));
    return true;
  });
}

TEST_P(bodies_of_ended_tasks, do_not_begin_where_the_time_is_over_at_submission) {
  runtime rt(options());
  std::atomic<bool> ran = false;
  const auto body = [&](buffer_view<int>) { ran = true; };
  const budget bytes(rt, 16);
  const buffer<int> other(rt, 4, 1);
  const task_options late[] = {
      {.label = "late", .timeout = 0ns},
      {.label = "late", .deadline = rt.now() - 1s},
      {.label = "late", .deadline = rt.now()},
      {.label = "late", .timeout = 0ns, .after = {rt.async([] {})}},
      {.label = "late", .timeout = 0ns, .takes = bytes.share(16)},
      {.on = rt.device("NUMA0"), .in_order = true, .label = "late", .timeout = 0ns}};
  for (const task_options& each : late) {
    const buffer<int> x(rt, 4, 1);
    const future<void> f = rt.submit(each, body, updates(x));
    EXPECT_EQ(thrown_by<error>([&] { f.get(); }).code(), failure_code::timed_out);
    EXPECT_EQ(f.error().message(), "Task \"late\" did not begin within its time.");
    EXPECT_THROW((void)x.to_vector(), error);
    rt.submit(ops::fill, 3, writes(x)).get();
    EXPECT_THAT(x.to_vector(), ::testing::Each(3));
  }
  task_scope scope(rt);
  EXPECT_EQ(scope.submit({.timeout = 0ns}, body, updates(other)).error().code(),
            failure_code::timed_out);
  // Nothing of theirs is in the way of others.
  const buffer<int> x(rt, 4, 1);
  rt.submit({.takes = bytes.share(16)}, ops::fill, 4, writes(x)).get();
  rt.submit({.on = rt.device("NUMA0"), .in_order = true}, ops::fill, 4, writes(x)).get();
  EXPECT_FALSE(ran);
}

/// The late task fails at once, and its buffers are free for others when those before it end.
TEST_P(bodies_of_ended_tasks, are_not_overtaken_by_one_whose_time_is_over_at_submission) {
  slow_body body;
  runtime rt(options());
  const buffer<int> x(rt, 4, 1);
  const future<void> before = rt.submit(body.function(), updates(x));
  const future<void> f = rt.submit({.timeout = 0ns}, ops::fill, 2, writes(x));
  EXPECT_EQ(f.error().code(), failure_code::timed_out);
  const future<void> next = rt.submit(ops::fill, 3, writes(x));
  EXPECT_FALSE(next.done());
  body.release();
  EXPECT_NO_THROW(before.get());
  EXPECT_NO_THROW(next.get());
  EXPECT_THAT(x.to_vector(), ::testing::Each(3));
}

TEST(deadline, wrong_use) {
  runtime rt;
  EXPECT_THAT(
      thrown_by<usage_error>([&] { rt.async({.label = "a", .timeout = -1ns}, [] {}); }).what(),
      AllOf(HasSubstr("Task \"a\""), HasSubstr("-1 ns"), HasSubstr("the least is 0")));
  buffer<float> x{rt, 10, 1.0f, "x"};
  EXPECT_THAT(thrown_by<usage_error>([&] {
                rt.submit({.label = "b", .timeout = -1ns}, ops::fill, 1.0f, writes(x));
              }).what(),
              HasSubstr("Task \"b\" has a timeout of -1 ns"));
  EXPECT_THAT(
      thrown_by<usage_error>([&] {
        (void)rt.record([](submitter& s) { s.async({.label = "c", .timeout = 1s}, [] {}); });
      }).what(),
      HasSubstr("Task \"c\" is a function that is recorded"));
  EXPECT_THAT(thrown_by<usage_error>([&] {
                (void)rt.record([&](submitter& s) {
                  s.submit({.label = "d", .deadline = 1s}, ops::fill, 1.0f, writes(x));
                });
              }).what(),
              HasSubstr("Task \"d\" is recorded with a deadline"));
}

}  // namespace
}  // namespace hocket
