// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

// Runs of recorded graphs that submit batches, because an earlier run had their tasks one behind
// the other.

#include <algorithm>
#include <numeric>
#include <random>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <hocket/devices/sim.hpp>
#include <hocket/hocket.hpp>

#include "runtime/runtime_core.hpp"
#include "seeds.hpp"

namespace hocket {
namespace {

using std::chrono::milliseconds;
using ::testing::Each;
using ::testing::HasSubstr;

constexpr std::size_t planned = 8;  ///< runs before a schedule is repeated

const auto raise = kernel<inout_buffer<float>>{
    "raise", host_body{[](buffer_view<float> x) {
      for (float& each : x) each += 1;
    }}}.cost([](const launch_shape&) {
  return launch_work{11e3, 0};
});
const auto mix = kernel<in_buffer<float>, inout_buffer<float>>{
    "mix", host_body{[](buffer_view<const float> from, buffer_view<float> to) {
      for (std::size_t i = 0; i < to.size(); ++i) to[i] = to[i] / 2 + from[i] / 4;
    }}}.cost([](const launch_shape&) {
  return launch_work{33e3, 0};
});
const auto set_to = kernel<float, out_buffer<float>>{
    "set_to", host_body{[](float value, buffer_view<float> x) {
      for (float& each : x) each = value;
    }}}.cost([](const launch_shape&) {
  return launch_work{11e3, 0};
});

runtime_options on_simulated(const std::string& devices, clock_kind clock = clock_kind::simulated) {
  std::string names = "Sim0";
  const auto more = std::ranges::count(devices, ';');
  for (std::ptrdiff_t i = 1; i <= more; ++i) names += ",Sim" + std::to_string(i);
  return {.devices = names, .backends = {{"sim", devices}}, .clock = clock};
}

const std::string two_unlike = "1,flops=20G;1,flops=40G";

/// Chains of tasks, each with its own data and with what its neighbour has when it begins.
struct chains {
  explicit chains(const runtime_options& options, bool batch = true) : rt(options) {
    for (std::size_t i = 0; i < count; ++i) data.emplace_back(rt, 64, static_cast<float>(i));
    all = rt.record({.batch = batch}, [&](submitter& s) {
      for (std::size_t i = 0; i < count; ++i) {
        s.submit(mix, reads(data[(i + 1) % count]), updates(data[i]));
      }
      for (std::size_t i = 0; i < count; ++i) {
        for (std::size_t step = 1; step < steps; ++step) s.submit(raise, updates(data[i]));
      }
    });
    rt.wait();
  }

  void run(std::size_t times) {
    for (std::size_t i = 0; i < times; ++i) rt.run(all).get();
  }
  /// How many launches one run has.
  [[nodiscard]] std::size_t launches() {
    const auto so_far = [&] {
      return std::ranges::count(rt.trace().records, trace_kind::kernel, &trace_record::kind);
    };
    const auto before = so_far();
    run(1);
    return static_cast<std::size_t>(so_far() - before);
  }
  [[nodiscard]] std::size_t batched() { return rt.report().batched_runs; }
  [[nodiscard]] std::vector<float> results() const {
    std::vector<float> made;
    for (const buffer<float>& each : data) made.push_back(each.to_vector().front());
    return made;
  }

  static constexpr std::size_t count = 24, steps = 8;
  runtime rt;
  std::vector<buffer<float>> data;
  graph all;
};

/// The results of so many runs, task by task on one device.
std::vector<float> results_after(std::size_t runs) {
  chains alone(on_simulated("1"), false);
  alone.run(runs);
  EXPECT_EQ(alone.batched(), 0U);
  return alone.results();
}

TEST(schedule_batches, are_submitted_from_the_ninth_run_on) {
  for (const clock_kind clock : {clock_kind::simulated, clock_kind::real}) {
    runtime_options options = on_simulated(two_unlike, clock);
    options.trace_capacity = 100'000;
    chains home(options);
    home.run(planned - 1);
    EXPECT_EQ(home.launches(), chains::steps * chains::count);
    EXPECT_EQ(home.batched(), 0U);
    EXPECT_LT(home.launches(), chains::steps * chains::count / 2);
    EXPECT_EQ(home.batched(), 1U);
    EXPECT_EQ(home.rt.report().repeated_runs, 1U);
    EXPECT_THAT(summary(home.rt.report()),
                HasSubstr("runs of graphs that repeated a schedule: 1, in batches: 1"));
    EXPECT_EQ(home.results(), results_after(planned + 1));
  }
}

TEST(schedule_batches, take_no_longer_than_single_tasks) {
  const auto last_of = [](bool batch) {
    chains home(on_simulated(two_unlike), batch);
    home.run(planned + 4);
    const time_stamp begin = home.rt.now();
    home.run(1);
    EXPECT_EQ(home.batched(), batch ? 5U : 0U);
    return home.rt.now() - begin;
  };
  const nanoseconds alone = last_of(false);
  EXPECT_LE(last_of(true), alone + alone / 50);
}

TEST(schedule_batches, are_made_where_there_is_one_device_too) {
  chains home(on_simulated("1"));
  home.run(planned + 3);
  EXPECT_EQ(home.batched(), 3U);
  EXPECT_EQ(home.results(), results_after(planned + 3));
}

TEST(schedule_batches, are_for_graphs_that_ask_for_them) {
  chains home(on_simulated(two_unlike), false);
  home.run(planned + 3);
  EXPECT_EQ(home.rt.report().repeated_runs, 3U);
  EXPECT_EQ(home.batched(), 0U);
}

TEST(schedule_batches, have_the_lanes_of_a_processor) {
  chains home(
      {.devices = "NUMA0", .backends = {{"cpu", "lanes=2"}}, .data_tasks = data_path::placed});
  home.run(planned + 20);
  EXPECT_GE(home.batched(), 1U);
  EXPECT_EQ(home.results(), results_after(planned + 20));
}

TEST(schedule_batches, are_submitted_by_runs_that_overlap) {
  chains home(on_simulated(two_unlike, clock_kind::real));
  home.run(planned);
  std::vector<std::thread> threads;
  for (int t = 0; t < 3; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 10; ++i) home.rt.run(home.all);
    });
  }
  for (std::thread& each : threads) each.join();
  home.rt.wait();
  // Other threads go task by task while one makes batches, and slow runs may have ended the
  // schedule.
  std::size_t runs = planned + 30;
  for (; home.batched() == 0 && runs < 300; ++runs) home.run(1);
  EXPECT_GE(home.batched(), 1U);
  EXPECT_EQ(home.results(), results_after(runs));
}

TEST(schedule_batches, take_the_settings_of_each_run) {
  runtime rt(on_simulated("1;1"));
  std::vector<buffer<float>> data;
  for (int i = 0; i < 10; ++i) data.emplace_back(rt, 10, 0.0F);
  const run_parameter<float> value{1.0F, "value"};
  const graph all = rt.record({.batch = true}, [&](submitter& s) {
    for (const auto& each : data) s.submit(set_to, value, writes(each));
    for (const auto& each : data) s.submit(raise, updates(each));
  });
  rt.wait();
  for (std::size_t i = 0; i < planned; ++i) rt.run(all).get();
  rt.run(all, {value = 5.0F}).get();
  for (const auto& each : data) EXPECT_THAT(each.to_vector(), Each(6.0F));
  rt.run(all).get();
  for (const auto& each : data) EXPECT_THAT(each.to_vector(), Each(2.0F));
  EXPECT_EQ(rt.report().batched_runs, 2U);
}

TEST(schedule_batches, are_bodies_of_loops) {
  runtime rt(on_simulated("1;1"));
  std::vector<buffer<float>> data;
  for (int i = 0; i < 10; ++i) data.emplace_back(rt, 10, 0.0F);
  const graph body = rt.record({.batch = true}, [&](submitter& s) {
    for (const auto& each : data) s.submit(raise, updates(each));
  });
  rt.wait();
  int left = 20;
  rt.run_while([&] { return left-- > 0; }, body).get();
  EXPECT_EQ(rt.report().batched_runs, 20 - planned);
  for (const auto& each : data) EXPECT_THAT(each.to_vector(), Each(20.0F));
}

TEST(schedule_batches, are_parts_of_larger_ones) {
  runtime rt(on_simulated("1;1"));
  const buffer<float> x{rt, 10, 0.0F}, y{rt, 10, 0.0F};
  const task_options there{.on = rt.device("Sim1")};
  const graph inner = rt.record({.batch = true}, [&](submitter& s) {
    s.submit(there, raise, updates(x));
    s.submit(there, mix, reads(x), updates(y));
  });
  ASSERT_EQ(inner.size(), 1U);
  const graph outer = rt.record({.batch = true}, [&](submitter& s) {
    s.run(inner);
    s.submit(there, raise, updates(y));
    s.run(inner);
  });
  EXPECT_EQ(outer.size(), 1U);
  rt.wait();
  for (std::size_t i = 0; i < planned + 2; ++i) rt.run(outer).get();
  float a = 0, b = 0;
  for (std::size_t i = 0; i < planned + 2; ++i) {
    b = b / 2 + ++a / 4 + 1;
    b = b / 2 + ++a / 4;
  }
  EXPECT_THAT(x.to_vector(), Each(a));
  EXPECT_THAT(y.to_vector(), Each(b));
}

TEST(schedule_batches, fail_as_one) {
  runtime rt(on_simulated("1"));
  const buffer<float> x{rt, 10, 0.0F}, y{rt, 10, 0.0F}, z{rt, 10, 0.0F};
  bool fails = false;
  const kernel<inout_buffer<float>> picky{"picky", host_body{[&](buffer_view<float>) {
                                            if (fails) throw std::runtime_error("too much");
                                          }}};
  const graph all = rt.record({.batch = true}, [&](submitter& s) {
    s.submit({.label = "a"}, raise, updates(x));
    s.submit({.label = "b"}, picky, updates(y));
    s.submit({.label = "c"}, raise, updates(z));
  });
  rt.wait();
  for (std::size_t i = 0; i < planned; ++i) rt.run(all).get();
  fails = true;
  const failure why = rt.run(all).error();
  EXPECT_THAT(why.message(), HasSubstr("\"a+b+c\""));
  EXPECT_THAT(why.message(), HasSubstr("too much"));
  fails = false;
  for (const auto* each : {&x, &y, &z}) rt.submit(ops::fill, 0.0F, writes(*each));
  rt.run(all).get();
  EXPECT_THAT(z.to_vector(), Each(1.0F));
}

TEST(schedule_batches, end_when_a_device_becomes_slow) {
  chains home(on_simulated("1,flops=20G;1,flops=40G,later=8ms,later_factor=20"));
  std::size_t runs = 0;
  for (; home.rt.now() < time_stamp(milliseconds(8)); ++runs) home.run(1);
  ASSERT_EQ(home.batched(), runs - planned);
  // Two runs tell that batches take longer, and two that the schedule is no good any more.
  home.run(4);
  EXPECT_LE(home.batched(), runs - planned + 3);
  home.run(planned + 1);
  EXPECT_GE(home.batched(), runs - planned + 3) << "they are made of the next schedule";
  EXPECT_EQ(home.results(), results_after(runs + planned + 5));
}

class lossy_batches : public ::testing::Test {
 protected:
  void lose(chains& home, std::size_t device) {
    auto& lost =
        dynamic_cast<sim_device&>(home.rt.core()->connection().machine().at(device_id{device}));
    lost.lose({failure_code::device_lost, "It is gone."});
  }
};

TEST_F(lossy_batches, are_made_anew_when_a_device_is_lost) {
  chains home(on_simulated("1;1;1"));
  home.run(planned + 2);
  ASSERT_EQ(home.batched(), 2U);
  (void)home.results();  // the host has all that the device has
  lose(home, 1);
  home.run(planned);
  EXPECT_EQ(home.batched(), 2U);
  home.run(4);
  EXPECT_GE(home.batched(), 4U);
  EXPECT_EQ(home.results(), results_after(2 * planned + 6));
}

TEST_F(lossy_batches, are_run_again_where_the_program_survives) {
  runtime_options options = on_simulated("1;1;1");
  options.resilience = resilience_kind::survive;
  chains home(options);
  home.run(planned + 2);
  ASSERT_EQ(home.batched(), 2U);
  const future<void> run = home.rt.run(home.all);
  lose(home, 2);
  run.get();
  home.run(planned + 3);
  EXPECT_EQ(home.results(), results_after(2 * planned + 6));
}

/// A task of a random graph: what it reads and updates.
struct random_step {
  std::size_t from, to;
  bool raises;
};

std::vector<random_step> random_steps(std::mt19937_64& random, std::size_t buffers) {
  std::vector<random_step> made(20 + random() % 60);
  for (random_step& each : made) {
    each = {random() % buffers, random() % buffers, random() % 3 == 0};
    each.raises = each.raises || each.from == each.to;
  }
  return made;
}

/// Runs the steps so often as a graph. batched: gets the runs in batches too.
std::vector<float> results_on(const runtime_options& options, const std::vector<random_step>& steps,
                              std::size_t buffers, std::size_t runs, std::uint64_t seed,
                              std::size_t& batched) {
  runtime rt(options);
  std::mt19937_64 random(seed);
  const std::size_t devices = rt.devices().size();
  std::vector<buffer<float>> data;
  for (std::size_t i = 0; i < buffers; ++i) data.emplace_back(rt, 4, static_cast<float>(i));
  const graph all = rt.record({.batch = true}, [&](submitter& s) {
    std::vector<future<void>> made;
    for (const random_step& each : steps) {
      task_options how;
      if (random() % 5 == 0) how.on = rt.device(rt.devices()[random() % devices].name);
      if (how.on && random() % 2 == 0) how.in_order = true;
      // A line of tasks in order goes by priority first, even where they wait for one another.
      if (!how.in_order && random() % 9 == 0) how.priority = 1;
      if (!made.empty() && random() % 6 == 0) how.after = {made[random() % made.size()]};
      made.push_back(each.raises
                         ? s.submit(how, raise, updates(data[each.to]))
                         : s.submit(how, mix, reads(data[each.from]), updates(data[each.to])));
    }
  });
  for (std::size_t i = 0; i < runs; ++i) {
    const future<void> run = rt.run(all);
    if (i < planned || random() % 2 == 0) run.get();
  }
  rt.wait();
  batched += rt.report().batched_runs;
  std::vector<float> content;
  for (const auto& each : data) content.push_back(each.to_vector().front());
  return content;
}

std::vector<float> results_in_order(const std::vector<random_step>& steps, std::size_t buffers,
                                    std::size_t runs) {
  std::vector<float> data(buffers);
  std::iota(data.begin(), data.end(), 0.0F);
  for (std::size_t i = 0; i < runs; ++i) {
    for (const random_step& each : steps) {
      data[each.to] = each.raises ? data[each.to] + 1 : data[each.to] / 2 + data[each.from] / 4;
    }
  }
  return data;
}

TEST(schedule_batches, of_random_graphs_give_the_same_bits) {
  const std::uint64_t first = std::random_device{}();
  const auto seeds = std::max<std::uint64_t>(2, testing::seeds_on_one_thread(40));
  std::size_t batched = 0;
  for (std::uint64_t seed = first; seed < first + seeds; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937_64 random(seed);
    const std::size_t buffers = 2 + random() % 12;
    const std::vector<random_step> steps = random_steps(random, buffers);
    const std::vector<float> expected = results_in_order(steps, buffers, planned + 6);
    for (const clock_kind clock : {clock_kind::simulated, clock_kind::real}) {
      for (const char* const devices : {"1", "1,flops=20G;2,flops=40G", "1;1;1,link=1G"}) {
        ASSERT_EQ(
            results_on(on_simulated(devices, clock), steps, buffers, planned + 6, seed, batched),
            expected)
            << devices;
      }
    }
  }
  EXPECT_GT(batched, 0U);
}

}  // namespace
}  // namespace hocket
