// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "graphs/placed_plan.hpp"

#include <gmock/gmock.h>

#include <atomic>
#include <chrono>
#include <latch>
#include <string>
#include <thread>
#include <vector>

#include <hocket/hocket.hpp>

#include "graphs/graph_content.hpp"
#include "host_graphs.hpp"

namespace hocket {
namespace {

using ::testing::AllOf;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

const detail::placed_plan* placed_plan_of(const graph& g) { return g.content()->placed().get(); }

class PlacedPlan : public host_graphs {
 protected:
  PlacedPlan() : host_graphs(data_path::placed) {}
};

TEST_F(PlacedPlan, IsMadeOfTasksThatItKnows) {
  const buffer<int> x = cell(0);
  const device_handle host = rt.device("NUMA0");
  const auto recorded = [&](const task_options& how) {
    return rt.record([&](submitter& s) { s.submit(how, one_more, updates(x)); });
  };
  EXPECT_NE(placed_plan_of(recorded({.label = "a label"})), nullptr);
  EXPECT_NE(placed_plan_of(recorded({.on = host, .priority = 1, .in_order = true})), nullptr);
  EXPECT_EQ(placed_plan_of(recorded({.timeout = std::chrono::seconds(10)})), nullptr);
  EXPECT_EQ(placed_plan_of(recorded({.stop = std::stop_source().get_token()})), nullptr);
  EXPECT_EQ(placed_plan_of(recorded({.after = {rt.async([] {})}})), nullptr);
  const graph has_function = rt.record([&](submitter& s) {
    s.submit(one_more, updates(x));
    s.async([] {});
  });
  EXPECT_EQ(placed_plan_of(has_function), nullptr);
}

TEST_F(PlacedPlan, ParametersAreOfOneRun) {
  const buffer<float> x{rt, 4, 1.0F}, y{rt, 4, 0.0F};
  const run_parameter<float> factor(2.0F);
  const graph g = rt.record([&](submitter& s) {
    s.submit(ops::axpy, factor, reads(x), updates(y));
    s.submit(ops::axpy, 10.0F, reads(x), updates(y));
  });
  ASSERT_NE(placed_plan_of(g), nullptr);
  rt.run(g).get();
  EXPECT_THAT(y.to_vector(), Each(12.0F));
  // Two runs at once have numbers of their own.
  const future<void> five = rt.run(g, {factor = 5.0F}), seven = rt.run(g, {factor = 7.0F});
  five.get();
  seven.get();
  EXPECT_THAT(y.to_vector(), Each(44.0F));
  rt.run(g).get();
  EXPECT_THAT(y.to_vector(), Each(56.0F)) << "what was set is for one run";
}

TEST_F(PlacedPlan, WhatIsSubmittedBehindAVeryLargeRunComesAfterAllOfIt) {
  constexpr std::size_t count = 1'000;  // more than the engine adds at a time
  std::vector<buffer<int>> all;
  for (std::size_t i = 0; i < count; ++i) all.push_back(cell(1));
  const buffer<int> sum = cell(0);
  const graph g = rt.record([&](submitter& s) {
    for (const buffer<int>& each : all) s.submit(one_more, updates(each));
    for (const buffer<int>& each : all) s.submit(add_to, reads(each), updates(sum));
  });
  ASSERT_NE(placed_plan_of(g), nullptr);
  ASSERT_EQ(placed_plan_of(g)->size(), 2 * count);
  for (int round = 1; round <= 3; ++round) {
    rt.run(g);
    rt.submit(one_more, updates(sum));
    // 1 000 times the same, modulo 1 000, and one more each round.
    EXPECT_THAT(sum.to_vector(), ElementsAre(round));
    EXPECT_THAT(all.back().to_vector(), ElementsAre(1 + round));
  }
}

TEST_F(PlacedPlan, TasksComeAfterTheEndsOfThoseThatTheyName) {
  const buffer<int> x = cell(0), y = cell(0);
  std::atomic<bool> has_ended{false}, was_early{false};
  const graph g = rt.record([&](submitter& s) {
    const future<void> first = s.submit(
        [&](buffer_view<int>) {
          std::this_thread::sleep_for(std::chrono::milliseconds(2));
          has_ended = true;
        },
        updates(x));
    s.submit(
        {.after = {first}},
        [&](buffer_view<int>) { was_early = was_early || !has_ended.exchange(false); }, updates(y));
  });
  ASSERT_NE(placed_plan_of(g), nullptr);
  for (int i = 0; i < 10; ++i) rt.run(g).get();
  EXPECT_FALSE(was_early);
}

TEST_F(PlacedPlan, ATaskFailsWithTheOneThatItNames) {
  const buffer<int> x = cell(0), unwritten{rt, 1}, y = cell(0);
  const graph g = rt.record([&](submitter& s) {
    // It fails at once, while the others are added.
    const future<void> no = s.submit({.label = "reads"}, add_to, reads(unwritten), updates(x));
    const future<void> after = s.submit({.label = "after", .after = {no}}, one_more, updates(y));
    s.submit({.label = "last", .after = {after}}, one_more, updates(cell(0)));
  });
  ASSERT_NE(placed_plan_of(g), nullptr);
  for (int i = 0; i < 2; ++i) {
    EXPECT_THAT(rt.run(g).error().message(), HasSubstr("which no earlier task writes"));
  }
  EXPECT_THAT(rt.submit(one_more, updates(y)).error().message(),
              AllOf(HasSubstr("\"after\" did not run"), HasSubstr("\"reads\"")));
}

TEST_F(PlacedPlan, EachRunTakesAndReturnsItsBytes) {
  budget bytes{rt, 100};
  std::vector<buffer<int>> all{cell(0), cell(0), cell(0)};
  std::atomic<int> taken{0}, most{0};
  const graph g = rt.record([&](submitter& s) {
    for (const buffer<int>& each : all) {
      const future<void> taker = s.submit(
          {.takes = bytes.share(60)},
          [&](buffer_view<int>) {
            const int now = ++taken;
            if (now > most) most = now;
          },
          updates(each));
      s.submit(
          {.returns = {taker}}, [&](buffer_view<int>) { --taken; }, updates(each));
    }
  });
  ASSERT_NE(placed_plan_of(g), nullptr);
  for (int i = 0; i < 20; ++i) rt.run(g);
  rt.wait();
  EXPECT_EQ(most, 1) << "two shares do not fit";
  EXPECT_EQ(taken, 0);
}

TEST_F(PlacedPlan, ManyRunsAtATime) {
  const buffer<int> x = cell(0);
  std::latch released(1);
  const graph g = rt.record([&](submitter& s) {
    for (int i = 0; i < 3; ++i) s.submit(one_more, updates(x));
  });
  ASSERT_NE(placed_plan_of(g), nullptr);
  rt.submit([&](buffer_view<int>) { released.wait(); }, updates(x));
  for (int i = 0; i < 20; ++i) rt.run(g);
  released.count_down();
  for (int i = 0; i < 20; ++i) rt.run(g);
  rt.wait();
  EXPECT_THAT(x.to_vector(), ElementsAre(120));
}

TEST_F(PlacedPlan, AScopeWaitsForTheBodiesOfACancelledRun) {
  if (rt.devices().front().lanes < 2) GTEST_SKIP() << "nothing runs beside the body that waits";
  const buffer<int> x = cell(0), y = cell(0);
  std::latch begun(2), released(1);
  std::atomic<int> ended{0};
  const auto hold = [&](buffer_view<int>) {
    begun.count_down();
    released.wait();
    ++ended;
  };
  const graph g = rt.record([&](submitter& s) {
    s.submit(hold, updates(x));
    s.submit(hold, updates(y));
    s.submit(one_more, updates(y));
  });
  ASSERT_NE(placed_plan_of(g), nullptr);
  task_scope scope(rt);
  const future<void> run = scope.run(g);
  begun.wait();
  run.cancel();
  EXPECT_EQ(run.error().code(), failure_code::cancelled);
  EXPECT_EQ(ended, 0);
  released.count_down();
  scope.wait();
  EXPECT_EQ(ended, 2);
  const graph heals =
      rt.record([&](submitter& s) { s.submit([&](buffer_view<int> v) { v(0) = 5; }, writes(x)); });
  rt.run(heals).get();
  EXPECT_THAT(x.to_vector(), ElementsAre(5));
}

TEST_F(PlacedPlan, ARunWhoseRuntimeStopsEnds) {
  const buffer<int> x = cell(0);
  std::latch begun(1), released(1);
  const graph g = rt.record([&](submitter& s) { s.submit(one_more, updates(x)); });
  rt.submit(
      [&](buffer_view<int>) {
        begun.count_down();
        released.wait();
      },
      updates(x));
  begun.wait();  // or this thread might run it while it waits
  const future<void> run = rt.run(g);
  rt.stop();
  EXPECT_EQ(run.error().code(), failure_code::cancelled);
  EXPECT_EQ(rt.run(g).error().code(), failure_code::cancelled);
  released.count_down();
  rt.wait();
}

TEST_F(PlacedPlan, TasksOfARunThatWaitAreListed) {
  const buffer<int> x = cell(0), y = cell(0);
  const graph g = rt.record([&](submitter& s) {
    s.submit({.label = "first"}, one_more, updates(x));
    s.submit({.label = "second"}, take_over, reads(x), writes(y));
  });
  rt.wait();  // until the cells have their values
  std::vector<std::string> waiting;
  {
    const auto held = x.write();
    rt.run(g);
    for (const pending_task& each : rt.pending().tasks) {
      if (each.label == "first" || each.label == "second") {
        waiting.push_back(each.label + " for " + each.waits_for.front());
      }
    }
  }
  rt.wait();
  EXPECT_THAT(waiting, ::testing::UnorderedElementsAre("first for task \"view of buffer 0\"",
                                                       "second for task \"first\""));
}

}  // namespace
}  // namespace hocket
