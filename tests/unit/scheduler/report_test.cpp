// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

// Bounds, idle times and the summary of runs on simulated devices, whose times are known.

#include <chrono>
#include <clocale>
#include <cstdlib>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <hocket/hocket.hpp>

namespace hocket {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

constexpr double ten_ms = 1e7;  // flops at 1 GFLOP/s

kernel<inout_buffer<float>> costly(const std::string& name, double flops = ten_ms) {
  return kernel<inout_buffer<float>>{name, host_body{[](buffer_view<float> x) { x(0) += 1; }}}.cost(
      [flops](const launch_shape&) {
        return launch_work{flops, 0};
      });
}

runtime_options traced_on(const std::string& configuration, const std::string& devices,
                          std::size_t trace = 1000) {
  return {.devices = devices,
          .backends = {{"sim", configuration}},
          .clock = clock_kind::simulated,
          .trace_capacity = trace};
}

/// A buffer that nothing has to fill.
buffer<float> empty_buffer(runtime& rt) { return {rt, 10, "x"}; }
const kernel<out_buffer<float>> produce{"produce",
                                        host_body{[](buffer_view<float> x) { x(0) = 0; }}};

/// Writes a buffer, in ten milliseconds at 1 GFLOP/s.
kernel<out_buffer<float>> source() {
  return kernel<out_buffer<float>>{"source", host_body{[](buffer_view<float> x) { x(0) = 0; }}}
      .cost([](const launch_shape&) {
        return launch_work{ten_ms, 0};
      });
}

TEST(report, bounds_of_independent_tasks_are_the_work_over_all_lanes) {
  runtime rt(traced_on("1,shared=yes,flops=1G;1,shared=yes,flops=3G", "Sim0,Sim1"));
  std::vector<buffer<float>> data;
  for (int i = 0; i < 40; ++i) data.push_back(empty_buffer(rt));
  for (const buffer<float>& each : data) rt.submit(source(), writes(each));
  rt.wait();
  const runtime_report made = rt.report();
  EXPECT_NEAR(static_cast<double>(made.area_bound.count()), 1e8, 1e6) << "400 ms by four";
  EXPECT_EQ(made.critical_path / microseconds(1), 3333);
  EXPECT_EQ(made.bound(), made.area_bound);
  EXPECT_GE(made.makespan, milliseconds(99));
  EXPECT_LT(made.makespan, milliseconds(110));
}

TEST(report, the_critical_path_is_the_longest_chain_on_the_fastest_devices) {
  runtime rt(traced_on("1,shared=yes,flops=1G;1,shared=yes,flops=2G", "Sim0,Sim1"));
  const buffer<float> x = empty_buffer(rt), y = empty_buffer(rt);
  rt.submit(source(), writes(x));
  rt.submit(source(), writes(y));
  for (int i = 0; i < 5; ++i) rt.submit(costly("step"), updates(x));
  rt.submit(ops::axpy, 1.0f, reads(x), updates(y));
  rt.submit(costly("step"), updates(y));
  rt.wait();
  const runtime_report made = rt.report();
  EXPECT_NEAR(static_cast<double>(made.critical_path.count()), 7 * 5e6, 1e4);
  EXPECT_EQ(made.bound(), made.critical_path);
  EXPECT_GE(made.makespan, made.critical_path);
}

/// What a run of a chain and of independent tasks reports, on two devices of these options.
runtime_report report_on(const std::string& configuration, double flops = ten_ms, int tasks = 12) {
  runtime rt(traced_on(configuration, "Sim0,Sim1"));
  std::vector<buffer<float>> data;
  for (int i = 0; i < tasks; ++i) data.push_back(empty_buffer(rt));
  for (const buffer<float>& each : data) rt.submit(produce, writes(each));
  for (const buffer<float>& each : data) rt.submit(costly("work", flops), updates(each));
  for (int i = 0; i < tasks / 2; ++i) rt.submit(costly("work", flops), updates(data[0]));
  rt.wait();
  return rt.report();
}

TEST(report, bounds_are_not_above_what_tasks_took_whose_times_were_unlike_one_another) {
  const std::string plain = "1,shared=yes,flops=1G;1,shared=yes,flops=1G";
  const nanoseconds usual = report_on(plain).makespan;
  for (const std::string deviation :
       {"first=30,first_factor=0.1", "first=30,first_factor=100", "first=4,first_factor=0.01",
        "later=20ms,later_factor=10", "later=20ms,later_factor=0.1", "noise=1"}) {
    const std::string one = "1,shared=yes,flops=1G," + deviation;
    const runtime_report both = report_on(one + ";" + one);
    EXPECT_LE(both.area_bound, both.makespan) << deviation;
    EXPECT_LE(both.critical_path, both.makespan) << deviation;
    EXPECT_GE(both.bound(), both.makespan / 4) << deviation << ": it says something";
  }
  EXPECT_GE(report_on(plain).bound(), usual / 2);
}

TEST(report, of_times_that_are_too_long_for_a_clock_has_no_negative_ones) {
  for (const char* const one : {"2,shared=yes,flops=1G", "1,lanes=8,shared=yes,flops=1e-18"}) {
    const runtime_report made = report_on(std::string(one) + ";1,shared=yes,flops=1M", 1e25, 100);
    EXPECT_GT(made.makespan, nanoseconds{0}) << one;
    EXPECT_GE(made.area_bound, nanoseconds{0}) << one;
    for (const device_report& each : made.devices) EXPECT_GE(each.busy, nanoseconds{0}) << one;
  }
}

TEST(report, has_no_critical_path_without_a_trace) {
  runtime rt(traced_on("2,flops=1G", "Sim0,Sim1", 0));
  const buffer<float> x = empty_buffer(rt);
  rt.submit(source(), writes(x));
  rt.wait();
  EXPECT_EQ(rt.report().critical_path, nanoseconds{0});
  EXPECT_GT(rt.report().area_bound, nanoseconds{0});
}

TEST(report, of_counts_leaves_out_the_bound) {
  runtime rt(traced_on("2,flops=1G", "Sim0,Sim1"));
  const buffer<float> x = empty_buffer(rt);
  rt.submit(source(), writes(x));
  rt.wait();
  const runtime_report made = rt.report(report_detail::counts);
  EXPECT_EQ(made.area_bound, nanoseconds{0});
  EXPECT_EQ(made.devices[0].kernels + made.devices[1].kernels, 1U);
  EXPECT_EQ(made.critical_path, rt.report().critical_path);
}

TEST(report, a_kernel_counts_only_on_devices_that_have_a_body_for_it) {
  runtime rt(traced_on("1,shared=yes,flops=1G;3,flops=1G", "Sim0,Sim1,Sim2,Sim3"));
  std::vector<buffer<float>> data;
  for (int i = 0; i < 4; ++i) data.push_back(empty_buffer(rt));
  const auto function = [](buffer_view<float> x) { x(0) = 0; };
  for (const buffer<float>& each : data) rt.submit(function, writes(each));
  rt.wait();
  EXPECT_EQ(rt.report().devices[0].kernels, 4U);
}

TEST(report, idle_devices_say_that_there_is_no_task) {
  runtime rt(traced_on("2,flops=1G,shared=yes", "Sim0,Sim1"));
  const buffer<float> x = empty_buffer(rt);
  rt.submit({.on = rt.device("Sim0")}, source(), writes(x));
  for (int i = 0; i < 4; ++i) rt.submit({.on = rt.device("Sim0")}, costly("step"), updates(x));
  rt.wait();
  const runtime_report made = rt.report();
  EXPECT_EQ(made.devices[1].idle.no_task, milliseconds(50));
  EXPECT_EQ(made.devices[0].idle.no_task, milliseconds(0));
  EXPECT_EQ(made.devices[0].busy, milliseconds(50));
}

TEST(report, time_between_runs_is_not_idle) {
  runtime rt(traced_on("2,flops=1G,shared=yes", "Sim0,Sim1"));
  const buffer<float> x = empty_buffer(rt);
  for (int i = 0; i < 3; ++i) {
    rt.submit({.on = rt.device("Sim0")}, source(), writes(x));
    rt.wait();
  }
  EXPECT_EQ(rt.report().devices[1].idle.no_task, milliseconds(30));
}

TEST(report, idle_devices_say_that_data_are_on_the_way) {
  runtime rt(traced_on("1,shared=yes;1,flops=1G,link=1M", "Sim0,Sim1"));
  const buffer<float> x(rt, 10'000, "x");  // 40 ms
  rt.submit({.on = rt.device("Sim0")}, produce, writes(x));
  rt.wait();
  rt.submit({.on = rt.device("Sim1")}, costly("step"), updates(x));
  rt.wait();
  EXPECT_EQ(rt.report().devices[1].idle.data, milliseconds(40));
}

TEST(report, idle_devices_say_that_other_devices_are_better) {
  // The slow device would take a second for what the fast one does in one millisecond.
  runtime rt(traced_on("1,shared=yes,flops=10M;1,shared=yes,flops=10G", "Sim0,Sim1"));
  std::vector<buffer<float>> data;
  for (int i = 0; i < 50; ++i) data.push_back(empty_buffer(rt));
  for (const buffer<float>& each : data) rt.submit(source(), writes(each));
  rt.wait();
  const runtime_report made = rt.report();
  EXPECT_EQ(made.devices[0].kernels, 0U);
  EXPECT_GT(made.devices[0].idle.choice, milliseconds(40));
}

TEST(summary, is_one_line_with_bounds_and_devices) {
  runtime rt(traced_on("2,flops=1G,shared=yes", "Sim0,Sim1"));
  const buffer<float> x = empty_buffer(rt);
  rt.submit({.on = rt.device("Sim0")}, source(), writes(x));
  for (int i = 0; i < 4; ++i) rt.submit({.on = rt.device("Sim0")}, costly("step"), updates(x));
  rt.wait();
  EXPECT_EQ(
      summary(rt.report()),
      "5 kernels in 50 ms, 1.00 times the bound (area 25 ms, critical path 50 ms): Sim0 5 (100 "
      "% busy), Sim1 0 (0 % busy; idle 50 ms for lack of tasks)");
}

TEST(summary, has_points_for_decimals_in_any_locale) {
  if (std::setlocale(LC_NUMERIC, "de_DE.UTF-8") == nullptr) {
    GTEST_SKIP() << "there is no locale with a comma for decimals";
  }
  runtime_report report;
  report.makespan = microseconds(45'600);
  report.area_bound = report.critical_path = microseconds(22'800);
  const std::string text = summary(report);
  std::setlocale(LC_NUMERIC, "C");
  EXPECT_EQ(text,
            "0 kernels in 45.6 ms, 2.00 times the bound (area 22.8 ms, critical path 22.8 ms): ");
}

/// What a runtime with these options prints when it ends.
std::string printed(const runtime_options& options, const char* asked) {
  ::setenv("HOCKET_SUMMARY", asked, 1);
  ::testing::internal::CaptureStderr();
  {
    runtime rt(options);
    const buffer<float> x = empty_buffer(rt);
    rt.submit(source(), writes(x));
    rt.wait();
  }
  ::unsetenv("HOCKET_SUMMARY");
  return ::testing::internal::GetCapturedStderr();
}

TEST(summary, is_printed_when_a_runtime_ends_if_that_is_asked_for) {
  const runtime_options options = traced_on("2,flops=1G,shared=yes", "Sim0,Sim1", 0);
  EXPECT_THAT(printed(options, "1"), AllOf(HasSubstr("hocket: 1 kernels in 10 ms, 1.00 times"),
                                           HasSubstr("critical path 10 ms")));
  EXPECT_THAT(printed(options, "0"), IsEmpty());
  EXPECT_THAT(printed(options, ""), IsEmpty());
}

TEST(summary, of_functions_alone_names_no_device) {
  ::setenv("HOCKET_SUMMARY", "1", 1);
  ::testing::internal::CaptureStderr();
  {
    runtime rt;
    rt.async([] { return 1; }).get();
  }
  ::unsetenv("HOCKET_SUMMARY");
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "hocket: 0 kernels: no device was used\n");
}

TEST(summary, of_tasks_that_ran_in_place_has_no_bounds) {
  EXPECT_THAT(printed({.devices = "NUMA0"}, "1"),
              AllOf(HasSubstr("hocket: 1 kernels: NUMA0 1"), Not(HasSubstr("bound"))));
}

}  // namespace
}  // namespace hocket
