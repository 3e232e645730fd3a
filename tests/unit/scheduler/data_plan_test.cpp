// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <gmock/gmock.h>

#include <atomic>
#include <latch>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <hocket/hocket.hpp>

#include "graphs/data_plan.hpp"
#include "graphs/graph_content.hpp"

namespace hocket {
namespace {

using ::testing::AllOf;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;

runtime_options in_place() {
  runtime_options options;
  options.devices = "NUMA0";
  options.data_tasks = data_path::in_place;
  options.backends = {{"cpu", ""}};
  return options;
}

const detail::data_plan* plan_of(const graph& g) { return g.content()->compiled().get(); }

const kernel<inout<int>> one_more{"one_more", host_body{[](view<int> x) { ++x(0); }}};
const kernel<in<int>, out<int>> take_over{
    "take_over", host_body{[](view<const int> from, view<int> to) { to(0) = from(0); }}};
const kernel<in<int>, inout<int>> add_to{
    "add_to",
    host_body{[](view<const int> from, view<int> to) { to(0) = (to(0) + from(0)) % 1000; }}};
const kernel<inout<int>> fail_always{
    "fail_always", host_body{[](view<int>) { throw std::runtime_error("no luck"); }}};

class DataPlan : public ::testing::Test {
 protected:
  [[nodiscard]] buffer<int> cell(int value) { return {rt, 1, value}; }

  runtime rt{in_place()};
};

TEST_F(DataPlan, EntersOnlyWhatTasksOutsideConcern) {
  const buffer<int> x = cell(0), y = cell(0);
  const graph g = rt.record([&](submitter& s) {
    for (int i = 0; i < 5; ++i) s.submit(one_more, updates(x));
    s.submit(take_over, reads(x), writes(y));
    s.submit(one_more, updates(y));
  });
  ASSERT_NE(plan_of(g), nullptr);
  // The first and the last that change x, what reads x after that, and the last that changes y.
  const auto all = plan_of(g)->boundaries();
  ASSERT_THAT(all, SizeIs(4));
  EXPECT_THAT((std::vector{all[0].node, all[1].node, all[2].node, all[3].node}),
              ElementsAre(0, 4, 5, 6));
  EXPECT_THAT(plan_of(g)->histories(), SizeIs(2));
  for (int i = 0; i < 3; ++i) rt.run(g);
  rt.wait();
  EXPECT_THAT(x.to_vector(), ElementsAre(15));
  EXPECT_THAT(y.to_vector(), ElementsAre(16));
}

TEST_F(DataPlan, IsNotMadeWhereItDoesNotKnowAnOption) {
  const buffer<int> x = cell(0);
  const auto recorded = [&](const task_options& how) {
    return rt.record([&](submitter& s) { s.submit(how, one_more, updates(x)); });
  };
  EXPECT_NE(plan_of(recorded({.label = "a label"})), nullptr);
  EXPECT_EQ(plan_of(recorded({.priority = 1})), nullptr);
  EXPECT_EQ(plan_of(recorded({.timeout = std::chrono::seconds(10)})), nullptr);
  EXPECT_EQ(plan_of(recorded({.stop = std::stop_source().get_token()})), nullptr);
  EXPECT_EQ(plan_of(recorded({.after = {rt.async([] {})}})), nullptr);
  const graph no_data = rt.record([](submitter& s) { s.async([] {}); });
  EXPECT_EQ(plan_of(no_data), nullptr);
}

TEST_F(DataPlan, PassesNumbersAndParametersOn) {
  const buffer<float> x{rt, 4, 1.0F}, y{rt, 4, 0.0F};
  const run_parameter<float> factor(2.0F);
  const graph g = rt.record([&](submitter& s) {
    const future<float> sum = s.submit(ops::sum, reads(x));
    s.submit(ops::axpy, factor, reads(x), updates(y));
    s.submit(ops::axpy, sum, reads(x), updates(y));
  });
  ASSERT_NE(plan_of(g), nullptr);
  rt.run(g).get();
  EXPECT_THAT(y.to_vector(), Each(6.0F));
  rt.run(g, {factor = 5.0F}).get();
  EXPECT_THAT(y.to_vector(), Each(15.0F));
  rt.run(g).get();
  EXPECT_THAT(y.to_vector(), Each(21.0F)) << "what was set is for one run";
}

TEST_F(DataPlan, OrdersFunctionsAndTasks) {
  const buffer<int> x = cell(0);
  int seen = -1;
  const graph g = rt.record([&](submitter& s) {
    const future<void> changed = s.submit(one_more, updates(x));
    const future<void> looked = s.async({.after = {changed}}, [&] { seen = 1; });
    s.submit(
        {.after = {looked}}, [&](view<int> v) { v(0) += 10 * seen; }, updates(x));
  });
  ASSERT_NE(plan_of(g), nullptr);
  for (int i = 0; i < 20; ++i) rt.run(g);
  rt.wait();
  EXPECT_THAT(x.to_vector(), ElementsAre(220));
}

TEST_F(DataPlan, RunsOverlapWhereTheirDataAllowIt) {
  const buffer<int> x = cell(0), y = cell(0);
  std::latch released(1);
  bool holds = true;
  const graph g = rt.record([&](submitter& s) {
    s.submit(
        [&](view<int> v) {
          if (std::exchange(holds, false)) released.wait();
          ++v(0);
        },
        updates(x));
    s.submit(one_more, updates(y));
  });
  ASSERT_NE(plan_of(g), nullptr);
  const future<void> first = rt.run(g);
  const future<void> second = rt.run(g);
  // What follows y waits for neither of the tasks of x.
  if (rt.devices().front().lanes > 1) {
    EXPECT_THAT(y.to_vector(), ElementsAre(2));
  }
  EXPECT_FALSE(first.done());
  EXPECT_FALSE(second.done());
  released.count_down();
  second.get();
  EXPECT_THAT(x.to_vector(), ElementsAre(2));
}

TEST_F(DataPlan, ReadersInTwoRunsHaveNoOrder) {
  if (rt.devices().front().lanes < 2) GTEST_SKIP() << "one core runs one task at a time";
  const buffer<int> x = cell(0);
  std::latch both(2);
  const graph g = rt.record(
      [&](submitter& s) { s.submit([&](view<const int>) { both.arrive_and_wait(); }, reads(x)); });
  ASSERT_NE(plan_of(g), nullptr);
  const future<void> one = rt.run(g), other = rt.run(g);
  while (!one.done() || !other.done()) std::this_thread::yield();
}

TEST_F(DataPlan, AFailureStaysWithItsOwnData) {
  const buffer<int> x = cell(1), y = cell(1), z = cell(1);
  const graph g = rt.record([&](submitter& s) {
    s.submit({.label = "breaks"}, fail_always, updates(x));
    s.submit({.label = "reads it"}, take_over, reads(x), writes(y));
    s.submit(one_more, updates(z));
  });
  ASSERT_NE(plan_of(g), nullptr);
  const future<void> run = rt.run(g);
  EXPECT_THAT(run.error().message(), AllOf(HasSubstr("\"breaks\""), HasSubstr("no luck")));
  EXPECT_THAT(z.to_vector(), ElementsAre(2));
  EXPECT_THROW((void)x.to_vector(), std::exception);
  try {
    (void)y.to_vector();
    FAIL() << "does not throw";
  } catch (const error& lost) {
    EXPECT_THAT(lost.what(), AllOf(HasSubstr("\"reads it\" did not run"), HasSubstr("no luck")));
  }
  // What writes all of it heals it, in a run too.
  const graph heals = rt.record([&](submitter& s) {
    s.submit(take_over, reads(z), writes(x));
    s.submit(take_over, reads(x), writes(y));
  });
  ASSERT_NE(plan_of(heals), nullptr);
  rt.run(heals).get();
  EXPECT_THAT(y.to_vector(), ElementsAre(2));
}

TEST_F(DataPlan, AFailedFunctionKeepsTasksAfterItFromRunning) {
  const buffer<int> x = cell(1), y = cell(1);
  const graph g = rt.record([&](submitter& s) {
    const future<void> no = s.async({.label = "function"}, [] { throw std::runtime_error("no"); });
    s.submit({.label = "after it", .after = {no}}, one_more, updates(x));
    s.submit(add_to, reads(x), updates(y));
  });
  ASSERT_NE(plan_of(g), nullptr);
  const future<void> run = rt.run(g);
  EXPECT_THAT(run.error().message(), HasSubstr("\"function\" failed: no"));
  EXPECT_THAT(rt.submit(one_more, updates(y)).error().message(),
              AllOf(HasSubstr("\"after it\" did not run"), HasSubstr("\"function\" failed")));
}

TEST_F(DataPlan, AnUnwrittenBufferIsNotRead) {
  const buffer<int> x{rt, 1}, y = cell(0);
  const graph g = rt.record([&](submitter& s) { s.submit(take_over, reads(x), writes(y)); });
  ASSERT_NE(plan_of(g), nullptr);
  EXPECT_THAT(rt.run(g).error().message(), HasSubstr("which no earlier task writes"));
}

TEST_F(DataPlan, ARunThatIsCancelledLeavesNothingToRead) {
  const buffer<int> x = cell(1);
  std::latch begun(1), released(1);
  const graph g = rt.record([&](submitter& s) {
    s.submit(
        [&](view<int>) {
          begun.count_down();
          released.wait();
        },
        updates(x));
    s.submit({.label = "second"}, one_more, updates(x));
  });
  ASSERT_NE(plan_of(g), nullptr);
  const future<void> run = rt.run(g);
  begun.wait();
  run.cancel();
  released.count_down();
  EXPECT_EQ(run.error().code(), failure_code::cancelled);
  EXPECT_THAT(rt.submit(one_more, updates(x)).error().message(), HasSubstr("cancelled"));
}

TEST_F(DataPlan, ARunThatIsCancelledWhileItWaitsEndsAtOnce) {
  const buffer<int> x = cell(1), y = cell(1);
  std::latch released(1);
  const future<void> held = rt.submit([&](view<int>) { released.wait(); }, updates(x));
  const graph g = rt.record([&](submitter& s) {
    s.submit(one_more, updates(x));
    s.submit(add_to, reads(x), updates(y));
  });
  ASSERT_NE(plan_of(g), nullptr);
  const future<void> run = rt.run(g);
  run.cancel();
  EXPECT_EQ(run.error().code(), failure_code::cancelled);
  const future<void> after = rt.submit(one_more, updates(y));
  EXPECT_FALSE(after.done()) << "it comes after the task that the run was to wait for";
  released.count_down();
  EXPECT_THAT(after.error().message(), HasSubstr("cancelled"));
  EXPECT_THROW((void)x.to_vector(), std::exception);
}

TEST_F(DataPlan, ARunThatIsCancelledWhileATaskOfItWaitsEndsAfterThatTask) {
  if (rt.devices().front().lanes < 2) GTEST_SKIP() << "nothing runs beside a task that waits";
  const buffer<int> x = cell(1), y = cell(1);
  std::latch begun(1), released(1);
  const future<void> held = rt.submit([&](view<int>) { released.wait(); }, updates(x));
  const future<void> later = rt.async({.after = {held}}, [] {});
  std::atomic<bool> has_ended = false;
  const graph g = rt.record([&](submitter& s) {
    s.submit(one_more, updates(x));
    s.submit(
        [&](view<int>) {
          begun.count_down();
          later.wait();  // its worker does other work meanwhile
          has_ended = true;
        },
        updates(y));
  });
  ASSERT_NE(plan_of(g), nullptr);
  const future<void> run = rt.run(g);
  begun.wait();
  std::this_thread::sleep_for(std::chrono::milliseconds(2));
  run.cancel();
  EXPECT_FALSE(run.done());
  released.count_down();
  EXPECT_EQ(run.error().code(), failure_code::cancelled);
  EXPECT_TRUE(has_ended);
}

/// While it lives, no worker is free.
class busy_workers {
 public:
  explicit busy_workers(runtime& rt) {
    const std::size_t count = rt.devices().front().lanes;
    std::latch begun(static_cast<std::ptrdiff_t>(count));
    for (std::size_t i = 0; i < count; ++i) {
      busy_.push_back(rt.async([&, this] {
        begun.count_down();
        released_.wait();
      }));
    }
    begun.wait();
  }
  ~busy_workers() { end(); }
  void end() {
    if (!released_.try_wait()) released_.count_down();
    for (const future<void>& each : busy_) each.wait();
  }

 private:
  std::latch released_{1};
  std::vector<future<void>> busy_;
};

TEST_F(DataPlan, AThreadThatWaitsForARunOrItsScopeHelpsWithIt) {
  const buffer<int> x = cell(0), y = cell(0);
  const graph g = rt.record([&](submitter& s) {
    s.submit(one_more, updates(x));
    s.submit(add_to, reads(x), updates(y));
  });
  ASSERT_NE(plan_of(g), nullptr);
  const busy_workers busy(rt);
  rt.run(g).get();
  task_scope scope(rt);
  scope.run(g);
  scope.wait();
  EXPECT_THAT(y.to_vector(), ElementsAre(3));
}

TEST_F(DataPlan, ARunIsCancelledWhileAThreadHelpsATaskBeforeIt) {
  const buffer<int> x = cell(0);
  std::latch begun(1), released(1);
  const graph g = rt.record([&](submitter& s) { s.submit(one_more, updates(x)); });
  ASSERT_NE(plan_of(g), nullptr);
  const busy_workers busy(rt);
  rt.submit(
      [&](view<int>) {
        begun.count_down();
        released.wait();
      },
      updates(x));
  const future<void> run = rt.run(g);
  std::jthread cancels([&] {
    begun.wait();
    run.cancel();
    while (!run.done()) std::this_thread::yield();
    released.count_down();
  });
  EXPECT_EQ(run.error().code(), failure_code::cancelled);
}

TEST_F(DataPlan, ARunInAScopeEndsAtItsDeadline) {
  const buffer<int> x = cell(0);
  std::latch begun(1), released(1);
  const future<void> held = rt.submit(
      [&](view<int>) {
        begun.count_down();
        released.wait();
      },
      updates(x));
  begun.wait();  // or the thread that waits for the scope runs it
  const graph g = rt.record([&](submitter& s) { s.submit(one_more, updates(x)); });
  ASSERT_NE(plan_of(g), nullptr);
  future<void> run;
  {
    task_scope scope(rt, {.timeout = std::chrono::milliseconds(5)});
    run = scope.run(g);
    EXPECT_THROW(scope.wait(), error);
  }
  EXPECT_EQ(run.error().code(), failure_code::timed_out);
  released.count_down();
  EXPECT_THAT(rt.submit(one_more, updates(x)).error().message(),
              AllOf(HasSubstr("\"one_more\" did not begin before the deadline")));
}

TEST_F(DataPlan, TasksWithoutALabelAreCalledAsTheirKernels) {
  const buffer<int> x = cell(0);
  const graph g = rt.record([&](submitter& s) {
    const future<void> no = s.async({.label = "function"}, [] { throw std::runtime_error("no"); });
    s.submit({.after = {no}}, one_more, updates(x));
  });
  ASSERT_NE(plan_of(g), nullptr);
  const future<void> run = rt.run(g);
  EXPECT_TRUE(run.error());
  EXPECT_THAT(rt.submit(one_more, updates(x)).error().message(),
              HasSubstr("\"one_more\" did not run"));
}

TEST_F(DataPlan, AWaitBehindTheOwnViewIsRefused) {
  const buffer<int> x = cell(0), y = cell(0);
  const graph g = rt.record([&](submitter& s) {
    s.submit(one_more, updates(x));
    s.submit(take_over, reads(x), writes(y));
  });
  ASSERT_NE(plan_of(g), nullptr);
  const auto view_of_x = x.write();
  const future<void> run = rt.run(g);
  task_scope scope(rt);
  scope.submit(one_more, updates(y));
  EXPECT_THROW(scope.wait(), usage_error);
  EXPECT_THROW(run.wait(), usage_error);
  scope.cancel();
}

TEST_F(DataPlan, PartsOfABufferEnterByThemselves) {
  const buffer<int, 2> x{rt, {8, 4}, 0};
  const kernel<inout<int, 2>> more{"more", host_body{[](view<int, 2> part) {
                                     for (std::size_t r = 0; r < part.extent(0); ++r) ++part(r, 0);
                                   }}};
  const graph g = rt.record([&](submitter& s) {
    for (std::size_t row = 0; row < 8; ++row) s.submit(more, updates(x.rows(row, row + 1)));
    s.submit(more, updates(x.rows(2, 6)));
  });
  ASSERT_NE(plan_of(g), nullptr);
  std::latch released(1);
  const future<void> held =
      rt.submit([&](view<int, 2>) { released.wait(); }, updates(x.rows(0, 1)));
  const future<void> run = rt.run(g);
  // The rows that nothing holds.
  if (rt.devices().front().lanes > 1) {
    EXPECT_EQ(x.rows(5, 6).read()(0, 0), 2);
    EXPECT_EQ(x.rows(7, 8).read()(0, 0), 1);
  }
  EXPECT_FALSE(run.done());
  released.count_down();
  run.get();
  for (int i = 0; i < 50; ++i) rt.run(g);
  rt.wait();
  const auto all = x.read();
  for (std::size_t r = 0; r < 8; ++r) EXPECT_EQ(all(r, 0), r >= 2 && r < 6 ? 102 : 51) << r;
}

/// Graphs that use the same buffers in opposite directions, beside tasks that use two of them.
void run_against_one_another(runtime& rt, std::size_t buffers, int rounds) {
  std::vector<buffer<int>> all;
  for (std::size_t i = 0; i < buffers; ++i) all.emplace_back(rt, 1, 0);
  const graph up = rt.record([&](submitter& s) {
    s.submit(one_more, updates(all.front()));
    for (std::size_t i = 1; i < buffers; ++i) s.submit(add_to, reads(all[i - 1]), updates(all[i]));
  });
  const graph down = rt.record([&](submitter& s) {
    s.submit(one_more, updates(all.back()));
    for (std::size_t i = buffers - 1; i > 0; --i)
      s.submit(add_to, reads(all[i]), updates(all[i - 1]));
  });
  ASSERT_NE(plan_of(up), nullptr);
  std::vector<std::jthread> threads;
  for (const graph& g : {up, down, up}) {
    threads.emplace_back([&rt, g, rounds] {
      for (int i = 0; i < rounds; ++i) rt.run(g);
    });
  }
  threads.emplace_back([&] {
    for (int i = 0; i < rounds; ++i) {
      const std::size_t at = static_cast<std::size_t>(i) % (buffers - 1);
      rt.submit(add_to, reads(all[at + 1]), updates(all[at]));
      rt.submit(add_to, reads(all.front()), updates(all.back()));
    }
  });
  threads.clear();
  rt.wait();
}

TEST_F(DataPlan, RunsOfManyThreadsNeverWaitInACircle) { run_against_one_another(rt, 4, 200); }

TEST_F(DataPlan, RunsOverVeryManyBuffersNeverWaitInACircle) {
  run_against_one_another(rt, 100, 50);
}

TEST_F(DataPlan, KeepsItsDataUntilARunHasEnded) {
  std::latch released(1);
  future<void> run;
  std::atomic<int> last{0};
  {
    const buffer<int> x = cell(3);
    const graph g = rt.record([&](submitter& s) {
      s.submit([&](view<int>) { released.wait(); }, updates(x));
      s.submit([&](view<const int> v) { last = v(0); }, reads(x));
    });
    run = rt.run(g);
  }
  released.count_down();
  run.get();
  EXPECT_EQ(last, 3);
}

TEST_F(DataPlan, RunsWithinScopesAndLoops) {
  const buffer<int> x = cell(0);
  const graph body = rt.record([&](submitter& s) {
    s.submit(one_more, updates(x));
    s.submit(one_more, updates(x));
  });
  ASSERT_NE(plan_of(body), nullptr);
  {
    task_scope scope(rt);
    for (int i = 0; i < 10; ++i) scope.run(body);
    scope.wait();
  }
  EXPECT_THAT(x.to_vector(), ElementsAre(20));
  int rounds = 0;
  rt.run_while([&] { return ++rounds <= 10; }, body, 100).get();
  EXPECT_THAT(x.to_vector(), ElementsAre(40));
}

TEST_F(DataPlan, AWaitForWhatFollowsTheOwnTaskIsRefused) {
  const buffer<int> x = cell(0);
  future<void> outside;
  std::atomic<bool> is_set = false;
  std::string said;
  const auto wait_for_it = [&](view<int>) {
    is_set.wait(false);
    try {
      outside.wait();
    } catch (const usage_error& refused) {
      said = refused.what();
    }
  };
  const graph g = rt.record([&](submitter& s) {
    s.submit(one_more, updates(x));
    s.submit({.label = "inner"}, wait_for_it, updates(x));  // no boundary task
    s.submit(one_more, updates(x));
  });
  ASSERT_NE(plan_of(g), nullptr);
  ASSERT_THAT(plan_of(g)->boundaries(), SizeIs(2));
  const future<void> run = rt.run(g);
  outside = rt.submit({.label = "outside"}, one_more, updates(x));
  is_set = true;
  is_set.notify_all();
  outside.get();
  run.get();
  EXPECT_THAT(said, AllOf(HasSubstr("\"outside\""), HasSubstr("waits for it")));
  EXPECT_THAT(x.to_vector(), ElementsAre(3));
}

TEST_F(DataPlan, AWaitForWhatFollowsAnotherTaskOfTheRunIsNot) {
  if (rt.devices().front().lanes < 2) GTEST_SKIP() << "nothing runs beside a task that waits";
  const buffer<int> x = cell(0), y = cell(0);
  future<void> outside;
  std::atomic<bool> is_set = false;
  const graph g = rt.record([&](submitter& s) {
    s.submit(one_more, updates(y));
    s.submit(
        [&](view<int>) {
          is_set.wait(false);
          outside.wait();
        },
        updates(x));
  });
  ASSERT_NE(plan_of(g), nullptr);
  const future<void> run = rt.run(g);
  outside = rt.submit(one_more, updates(y));
  is_set = true;
  is_set.notify_all();
  EXPECT_NO_THROW(run.get());
  EXPECT_THAT(y.to_vector(), ElementsAre(2));
}

}  // namespace
}  // namespace hocket
