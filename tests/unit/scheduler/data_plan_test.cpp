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
#include "host_graphs.hpp"

namespace hocket {
namespace {

using ::testing::AllOf;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;

const detail::data_plan* plan_of(const graph& g) { return g.content()->compiled().get(); }

class DataPlan : public host_graphs {
 protected:
  DataPlan() : host_graphs(data_path::in_place) {}
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
        {.after = {looked}}, [&](buffer_view<int> v) { v(0) += 10 * seen; }, updates(x));
  });
  ASSERT_NE(plan_of(g), nullptr);
  for (int i = 0; i < 20; ++i) rt.run(g);
  rt.wait();
  EXPECT_THAT(x.to_vector(), ElementsAre(220));
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
      [&](buffer_view<int>) {
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

}  // namespace
}  // namespace hocket
