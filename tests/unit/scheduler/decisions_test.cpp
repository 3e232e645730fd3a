// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

// The part of a trace with decisions that is about placed tasks, on simulated devices whose times
// are known.

#include <chrono>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <boost/json.hpp>

#include <hocket/hocket.hpp>

namespace hocket {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

class Decisions : public ::testing::Test {
 protected:
  static runtime_options on(const std::string& configuration, std::size_t capacity = 100) {
    return {.backends = {{"sim", configuration}},
            .clock = clock_kind::simulated,
            .trace_capacity = capacity,
            .trace_decisions = true};
  }
  /// Ten milliseconds at 1 GFLOP/s.
  template <class Parameter>
  static kernel<Parameter> costly(const std::string& name) {
    return kernel<Parameter>{name, host_body{[](buffer_view<float> x) { x(0) = 0; }}}.cost(
        [](const launch_shape&) {
          return launch_work{1e7, 0};
        });
  }
  static traced_task named(const traced_run& run, const std::string& name) {
    const auto at = std::ranges::find(run.tasks, name, &traced_task::name);
    if (at == run.tasks.end()) throw std::out_of_range(name);
    return *at;
  }
};

TEST_F(Decisions, SayWhatEachDeviceWouldHaveTaken) {
  runtime_options options = on("1,flops=1G,shared=yes;1,flops=4G,link=1G");
  options.devices = "Sim0,Sim1";
  runtime rt(options);
  const buffer<float> x{rt, 250'000, "x"};
  rt.submit({.on = rt.device("Sim0")}, costly<out_buffer<float>>("first"), writes(x));
  rt.submit(costly<inout_buffer<float>>("second"), updates(x));
  rt.wait();
  const traced_run run = rt.trace().run;
  ASSERT_EQ(run.tasks.size(), 2U);
  const traced_task first = run.tasks[0], second = run.tasks[1];
  EXPECT_EQ(first.why, traced_choice::named);
  EXPECT_EQ(first.named, device_id{0});
  EXPECT_EQ(second.why, traced_choice::policy);
  EXPECT_EQ(second.device, device_id{1});
  EXPECT_THAT(second.after, ElementsAre(first.id));
  ASSERT_EQ(second.candidates.size(), 2U);
  EXPECT_EQ(second.candidates[0].time, milliseconds(10));
  EXPECT_EQ(second.candidates[0].bytes, 0U);
  EXPECT_EQ(second.candidates[1].time, microseconds(2500));
  EXPECT_EQ(second.candidates[1].arrival, milliseconds(1));
  EXPECT_EQ(second.candidates[1].end, microseconds(3500));
  EXPECT_EQ(second.candidates[1].bytes, 1'000'000U);
  EXPECT_EQ(second.submitted, time_stamp{0});
  EXPECT_EQ(second.ready, milliseconds(10));
  EXPECT_EQ(second.begin, milliseconds(11));
  EXPECT_EQ(second.end, microseconds(13'500));
  EXPECT_EQ(second.predicted, microseconds(2500));
  ASSERT_EQ(run.copies.size(), 1U);
  EXPECT_EQ(run.copies[0].task, second.id);
  EXPECT_EQ(run.copies[0].begin, milliseconds(10));
  EXPECT_EQ(run.copies[0].end, milliseconds(11));
  ASSERT_EQ(run.buffers.size(), 1U);
  EXPECT_EQ(run.buffers[0].label, "x");
  EXPECT_THAT(run.buffers[0].extents, ElementsAre(250'000U));
}

TEST_F(Decisions, TellFunctionsViewsAndFuturesApart) {
  runtime_options options = on("1,flops=1G,shared=yes;1,flops=1G");
  options.devices = "Sim0,Sim1";
  runtime rt(options);
  const buffer<float> x{rt, 10, "x"}, y{rt, 10, "y"};
  const auto before = rt.submit(costly<out_buffer<float>>("before"), writes(y));
  rt.submit(
      {.label = "function", .after = {before}}, [](buffer_view<float> v) { v(0) = 1; }, writes(x));
  (void)x.to_vector();
  const traced_run run = rt.trace().run;
  const traced_task function = named(run, "function");
  EXPECT_TRUE(function.host_only);
  EXPECT_EQ(function.why, traced_choice::only);
  EXPECT_THAT(function.after, ElementsAre(named(run, "before").id));
  EXPECT_EQ(run.tasks.back().kind, traced_kind::view);
  EXPECT_FALSE(run.tasks.back().device.valid());
}

TEST_F(Decisions, SayWhoWaitedForMemory) {
  runtime_options options = on("1,flops=1G,memory=1500,link=1M");
  options.devices = "Sim0";
  runtime rt(options);
  const buffer<float> x{rt, 250, "x"}, y{rt, 250, "y"};
  rt.submit(costly<out_buffer<float>>("first"), writes(x));
  rt.submit(costly<out_buffer<float>>("second"), writes(y));
  rt.wait();
  const traced_task second = named(rt.trace().run, "second");
  EXPECT_EQ(second.issued - second.committed, milliseconds(1)) << "x went to the host";
}

TEST_F(Decisions, KeepTheLastTasks) {
  runtime_options options = on("1,flops=1G", 4);
  options.devices = "Sim0";
  runtime rt(options);
  for (int i = 0; i < 20; ++i) {
    const buffer<float> x{rt, 10, "x"};
    rt.submit({.label = "task " + std::to_string(i)}, ops::fill, 1.0f, writes(x)).get();
  }
  const traced_run run = rt.trace().run;
  ASSERT_EQ(run.tasks.size(), 4U);
  EXPECT_EQ(run.tasks.back().name, "task 19");
  EXPECT_EQ(run.dropped, 16U);
  EXPECT_LE(run.buffers.size(), 9U);
}

TEST_F(Decisions, AreInTheFileOnlyIfAskedFor) {
  const auto file_of = [](bool asked) {
    runtime_options options = on("1,flops=1G");
    options.devices = "Sim0";
    options.trace_decisions = asked;
    runtime rt(options);
    const buffer<float> x{rt, 10, 1.0f, "x"};
    rt.wait();
    EXPECT_EQ(rt.trace().run.tasks.size(), asked ? 1U : 0U);
    return boost::json::parse(to_chrome_json(rt.trace())).as_object();
  };
  EXPECT_FALSE(file_of(false).contains("hocket"));
  const auto made = file_of(true);
  const auto& task = made.at("hocket").at("tasks").at(0).as_object();
  EXPECT_EQ(task.at("name").as_string(), "fill");
  EXPECT_EQ(task.at("accesses").at(0).at("mode").as_string(), "write");
  EXPECT_EQ(made.at("hocket").at("report").at("devices").at(0).at("kernels").to_number<int>(), 1);
}

}  // namespace
}  // namespace hocket
