// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

// Launches that take too long are run a second time: on simulated devices and the virtual clock.

#include <algorithm>
#include <cstdlib>
#include <string>
#include <vector>

#include <boost/json.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "resilient_runtimes.hpp"

namespace hocket {
namespace {

using std::chrono::milliseconds;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

/// Of five milliseconds at 1 GFLOP/s.
const launch_work five_ms{5e6, 0};
const kernel<in_buffer<float>, out_buffer<float>> twice =
    kernel<in_buffer<float>, out_buffer<float>>{
        "twice", host_body{[](buffer_view<const float> from, buffer_view<float> to) {
          for (std::size_t i = 0; i < to.size(); ++i) to[i] = 2 * from[i];
        }}}
        .cost([](const launch_shape&) { return five_ms; });
const kernel<inout_buffer<float>> increase = kernel<inout_buffer<float>>{
    "increase", host_body{[](buffer_view<float> x) {
      for (float& each : x) each += 1;
    }}}.cost([](const launch_shape&) { return five_ms; });

/// Two devices of 1 GFLOP/s, of which the first becomes a hundred times slower after 112 ms: what
/// begins there then takes 500 ms.
constexpr const char* slow_later = "1,flops=1G,later=112ms,later_factor=100;1,flops=1G";

/// A buffer that a function of the host has filled, so that no launch is needed for that.
buffer<float> filled(runtime& rt, float value) {
  buffer<float> made{rt, tile_size};
  rt.submit([value](buffer_view<float> to) { std::ranges::fill(to, value); }, writes(made)).get();
  return made;
}

runtime_options speculating(const std::string& sim, const std::string& faults = {}) {
  runtime_options made{.devices = "NUMA0,Sim0,Sim1",
                       .backends = {{"cpu", "flops=1M"}, {"sim", sim}},
                       .clock = clock_kind::simulated,
                       .topology = testing::machine("numa:1 core:2 pu:1")};
  made.speculation = 3;
  if (!faults.empty()) made.faults = faults;
  return made;
}

runtime_options surviving(const std::string& sim) {
  runtime_options made = speculating(sim);
  made.resilience = resilience_kind::survive;
  return made;
}

class speculation : public resilience {
 protected:
  explicit speculation(const runtime_options& options = speculating(slow_later))
      : resilience(options) {}

  static constexpr std::size_t tasks = 10;

  [[nodiscard]] time_stamp now() { return rt.core()->where().now(); }
  void pass_until(milliseconds time) { testing::pass(rt, time - now()); }

  /// Doubles ten buffers.
  void double_all() {
    for (std::size_t i = 0; i < tasks; ++i) {
      from.push_back(filled(rt, static_cast<float>(i)));
      to.emplace_back(rt, std::array{tile_size});
    }
    pass_until(milliseconds(100));
    for (std::size_t i = 0; i < tasks; ++i) {
      all.push_back(rt.submit(twice, reads(from[i]), writes(to[i])));
    }
  }
  void expect_doubled() {
    for (std::size_t i = 0; i < to.size(); ++i) {
      EXPECT_THAT(to[i].to_vector(), Each(2.0F * static_cast<float>(i))) << i;
    }
  }
  /// Until a second run is in flight.
  void pass_until_one_is_duplicated() {
    for (int i = 0; i < 400 && rt.report().duplicates == 0; ++i) {
      testing::pass(rt, std::chrono::microseconds(500));
    }
    ASSERT_EQ(rt.report().duplicates, 1U);
    ASSERT_EQ(rt.report().duplicates_won, 0U);
  }

  std::vector<buffer<float>> from, to;
  std::vector<future<void>> all;
};

TEST_F(speculation, ends_tasks_of_a_slow_device_elsewhere) {
  double_all();
  for (const future<void>& each : all) each.get();
  EXPECT_LT(now(), milliseconds(170));
  expect_doubled();
  const runtime_report report = rt.report();
  EXPECT_GE(report.duplicates, 1U);
  EXPECT_EQ(report.duplicates_won, report.duplicates);
  EXPECT_THAT(summary(report), HasSubstr("run a second time: "));
  rt.wait();
  EXPECT_GT(now(), milliseconds(600)) << "it waits for the first run";
  expect_doubled();
}

TEST(no_speculation, waits_for_the_slow_device) {
  runtime_options options = speculating(slow_later);
  options.speculation = 0;
  runtime rt(options);
  const buffer<float> x = filled(rt, 1), y{rt, tile_size};
  testing::pass(rt, milliseconds(112));
  for (int i = 0; i < 4; ++i) rt.submit({.on = rt.device("Sim0")}, twice, reads(x), writes(y));
  rt.wait();
  EXPECT_GT(rt.core()->where().now(), milliseconds(500));
  EXPECT_EQ(rt.report().duplicates, 0U);
  EXPECT_THAT(summary(rt.report()), Not(HasSubstr("second time")));
}

TEST(speculation_with_delays, gives_the_same_results_whichever_launch_is_late) {
  for (int launch = 2; launch <= 6; ++launch) {
    runtime rt(speculating("2,flops=1G,depth=2",
                           "delay Sim0 launch " + std::to_string(launch) + " by 400ms"));
    std::vector<buffer<float>> data;
    for (int i = 0; i < 12; ++i) data.push_back(filled(rt, 1));
    const time_stamp begin = rt.core()->where().now();
    std::vector<future<void>> all;
    for (const buffer<float>& each : data) all.push_back(rt.submit(increase, updates(each)));
    for (const future<void>& each : all) each.get();
    EXPECT_LT(rt.core()->where().now() - begin, milliseconds(100)) << launch;
    EXPECT_GE(rt.report().duplicates_won, 1U) << launch;
    // Late first runs write while others read.
    for (const buffer<float>& each : data) rt.submit(increase, updates(each));
    rt.wait();
    for (const buffer<float>& each : data) EXPECT_THAT(each.to_vector(), Each(3.0F));
  }
}

TEST_F(speculation, leaves_alone_what_names_a_device_or_is_read_there) {
  const buffer<float> x = filled(rt, 1), y{rt, tile_size}, z{rt, tile_size};
  pass_until(milliseconds(100));
  for (int i = 0; i < 4; ++i) rt.submit(on("Sim0"), twice, reads(x), writes(y));
  rt.wait();
  EXPECT_GT(now(), milliseconds(600));
  EXPECT_EQ(rt.report().duplicates, 0U);
}

class speculation_of_a_fast_first_run : public speculation {
 protected:
  speculation_of_a_fast_first_run()
      : speculation(speculating("1,flops=1G,later=112ms,later_factor=4;1,flops=1G")) {}
};

TEST_F(speculation_of_a_fast_first_run, drops_the_second_run) {
  double_all();
  for (const future<void>& each : all) each.get();
  expect_doubled();
  const runtime_report report = rt.report();
  EXPECT_GE(report.duplicates, 1U);
  EXPECT_LT(report.duplicates_won, report.duplicates);
  // Later tasks use the memory that the second run has written.
  for (std::size_t i = 0; i < to.size(); ++i) {
    rt.submit(on("Sim1"), increase, updates(to[i]));
    rt.submit(on("Sim0"), increase, updates(to[i]));
  }
  rt.wait();
  for (std::size_t i = 0; i < to.size(); ++i) {
    EXPECT_THAT(to[i].to_vector(), Each(2.0F * static_cast<float>(i) + 2));
  }
}

TEST_F(speculation, is_not_told_of_a_first_run_that_fails_last) {
  for (int i = 4; i <= 10; ++i) {
    simulated("Sim0").fail_launch(static_cast<std::uint64_t>(i),
                                  {failure_code::task_failed, "It fails late."});
  }
  double_all();
  for (const future<void>& each : all) EXPECT_FALSE(each.error());
  EXPECT_GE(rt.report().duplicates_won, 1U);
  EXPECT_NO_THROW(rt.wait());
  expect_doubled();
}

TEST_F(speculation, waits_for_the_first_run_where_the_second_fails) {
  for (int i = 1; i <= 30; ++i) {
    simulated("Sim1").fail_launch(static_cast<std::uint64_t>(i),
                                  {failure_code::task_failed, "It fails."});
  }
  const buffer<float> x = filled(rt, 1), y{rt, tile_size}, z{rt, tile_size};
  rt.submit(on("Sim0"), twice, reads(x), writes(y));
  rt.submit(on("Sim0"), twice, reads(x), writes(y));
  pass_until(milliseconds(113));
  // The first of two like devices is chosen.
  const future<void> late = rt.submit(twice, reads(x), writes(z));
  EXPECT_FALSE(late.error());
  EXPECT_GT(now(), milliseconds(600));
  EXPECT_EQ(rt.report().duplicates, 1U);
  EXPECT_EQ(rt.report().duplicates_won, 0U);
  EXPECT_THAT(z.to_vector(), Each(2.0F));
}

/// The third launch on the first device takes 20 ms, and so does its second run, which begins 15 ms
/// later.
class speculation_with_two_ends : public speculation {
 protected:
  explicit speculation_with_two_ends(const runtime_options& options = speculating(devices))
      : speculation(options) {}
  static constexpr const char* devices =
      "1,flops=1G,later=112ms,later_factor=4;1,flops=1G,later=112ms,later_factor=4";

  void begin() {
    rt.submit(on("Sim0"), twice, reads(x), writes(y));
    rt.submit(on("Sim0"), twice, reads(x), writes(y));
    pass_until(milliseconds(113));
    late = rt.submit(twice, reads(x), writes(z));
    pass_until_one_is_duplicated();
  }

  const buffer<float> x = filled(rt, 1), y{rt, tile_size}, z{rt, tile_size};
  future<void> late;
};

TEST_F(speculation_with_two_ends, takes_the_second_run_where_the_first_fails) {
  simulated("Sim0").fail_launch(3, {failure_code::task_failed, "It fails first."});
  begin();
  EXPECT_FALSE(late.error());
  EXPECT_EQ(rt.report().duplicates_won, 1U);
  EXPECT_THAT(z.to_vector(), Each(2.0F));
}

TEST_F(speculation_with_two_ends, fails_as_the_first_run_did_where_both_fail) {
  simulated("Sim0").fail_launch(3, {failure_code::task_failed, "It fails first."});
  simulated("Sim1").fail_launch(1, {failure_code::task_failed, "It fails as well."});
  begin();
  EXPECT_THAT(late.error().message(), HasSubstr("It fails first."));
  EXPECT_EQ(rt.report().duplicates_won, 0U);
}

TEST_F(speculation_with_two_ends, ends_a_task_that_is_cancelled_while_both_run) {
  begin();
  late.cancel();
  EXPECT_EQ(late.error().code(), failure_code::cancelled);
  rt.submit(twice, reads(x), writes(z));
  EXPECT_THAT(z.to_vector(), Each(2.0F));
  EXPECT_EQ(rt.report().duplicates_won, 0U);
}

TEST_F(speculation_with_two_ends, lets_devices_be_drained) {
  for (const char* const device : {"Sim1", "Sim0"}) {
    if (!late.valid()) begin();
    rt.drain(rt.device(device)).get();
    EXPECT_EQ(rt.report().devices[rt.device(device).id.value].used_bytes, 0U);
  }
  late.get();
  EXPECT_THAT(z.to_vector(), Each(2.0F));
}

TEST_F(speculation_with_two_ends, loses_nothing_with_the_device_of_the_second_run) {
  begin();
  lose("Sim1");
  late.get();
  EXPECT_THAT(z.to_vector(), Each(2.0F));
  EXPECT_EQ(rt.report().duplicates_won, 0U);
}

class speculation_that_survives : public speculation_with_two_ends {
 protected:
  speculation_that_survives() : speculation_with_two_ends(surviving(devices)) {}
};

TEST_F(speculation_that_survives, tries_again_where_both_runs_fail) {
  simulated("Sim0").fail_launch(3, {failure_code::task_failed, "It fails first."});
  simulated("Sim1").fail_launch(1, {failure_code::task_failed, "It fails as well."});
  begin();
  EXPECT_FALSE(late.error());
  EXPECT_THAT(z.to_vector(), Each(2.0F));
  EXPECT_EQ(rt.report().retried_commands, 1U);
}

TEST_F(speculation_that_survives, makes_content_again_that_was_lost_with_either_device) {
  begin();
  lose("Sim0");
  late.get();
  EXPECT_THAT(z.to_vector(), Each(2.0F));
  rt.submit(twice, reads(z), writes(y));
  rt.wait();
  EXPECT_THAT(y.to_vector(), Each(4.0F));
  EXPECT_EQ(rt.report().given_up, 0U);
}

class speculation_without_room : public speculation {
 protected:
  // The second device has room for one buffer, where the task uses two.
  speculation_without_room()
      : speculation(speculating("1,flops=1G,later=112ms,later_factor=100;1,flops=1G,memory=500")) {}
};

TEST_F(speculation_without_room, does_without) {
  double_all();
  for (const future<void>& each : all) each.get();
  expect_doubled();
  EXPECT_EQ(rt.report().duplicates, 0U);
}

TEST_F(speculation, of_tasks_of_a_graph_lets_it_run_again) {
  for (std::size_t i = 0; i < tasks; ++i) {
    from.push_back(filled(rt, static_cast<float>(i)));
    to.emplace_back(rt, std::array{tile_size});
  }
  const graph g = rt.record([&](submitter& s) {
    for (std::size_t i = 0; i < tasks; ++i) s.submit(twice, reads(from[i]), writes(to[i]));
  });
  pass_until(milliseconds(100));
  rt.run(g).get();
  EXPECT_LT(now(), milliseconds(170));
  EXPECT_GE(rt.report().duplicates_won, 1U);
  for (const buffer<float>& each : from) rt.submit(increase, updates(each));
  rt.run(g).get();
  for (std::size_t i = 0; i < tasks; ++i) {
    EXPECT_THAT(to[i].to_vector(), Each(2.0F * static_cast<float>(i) + 2));
  }
  rt.wait();
  for (std::size_t i = 0; i < tasks; ++i) {
    EXPECT_THAT(to[i].to_vector(), Each(2.0F * static_cast<float>(i) + 2));
  }
}

class traced_speculation : public speculation_with_two_ends {
 protected:
  static runtime_options traced() {
    runtime_options made = speculating("1,flops=1G,later=112ms,later_factor=100;1,flops=1G");
    made.trace_capacity = 1000;
    return made;
  }
  traced_speculation() : speculation_with_two_ends(traced()) {}
};

TEST_F(traced_speculation, marks_the_second_run) {
  begin();
  rt.wait();
  const auto trace = boost::json::parse(to_chrome_json(rt.trace())).as_object();
  std::vector<std::string> duplicates;
  for (const auto& each : trace.at("traceEvents").as_array()) {
    const auto& event = each.as_object();
    if (!event.contains("cat") || event.at("cat") != "kernel") continue;
    if (!event.at("args").as_object().contains("duplicate")) continue;
    duplicates.emplace_back(event.at("name").as_string());
  }
  EXPECT_THAT(duplicates, ElementsAre("twice"));
}

TEST(speculation_with_a_hang, lets_the_virtual_clock_stand_still) {
  runtime rt(speculating("1,flops=1G;1,flops=1G", "hang Sim0 launch 3"));
  const buffer<float> x = filled(rt, 1), y{rt, tile_size};
  for (int i = 0; i < 2; ++i) {
    rt.submit({.on = rt.device("Sim0")}, twice, reads(x), writes(y)).get();
  }
  const future<void> hung = rt.submit({.on = rt.device("Sim0")}, twice, reads(x), writes(y));
  EXPECT_THROW(hung.get(), usage_error) << "nothing will ever happen";
}

TEST(speculation_option, is_checked) {
  EXPECT_THROW(runtime(runtime_options{.speculation = 0.5}), usage_error);
  EXPECT_THROW(runtime(runtime_options{.speculation = -1}), usage_error);
  for (const char* const wrong : {"soon", "3x", "0.1", "nan"}) {
    ::setenv("HOCKET_SPECULATION", wrong, 1);
    EXPECT_THROW(runtime rt, usage_error) << wrong;
  }
  ::setenv("HOCKET_SPECULATION", "2.5", 1);
  EXPECT_NO_THROW(runtime rt);
  ::unsetenv("HOCKET_SPECULATION");
}

}  // namespace
}  // namespace hocket
