// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

// Runs of recorded graphs that repeat the schedule of an earlier one, on simulated devices.

#include <algorithm>
#include <array>
#include <numeric>
#include <set>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <hocket/devices/sim.hpp>
#include <hocket/hocket.hpp>

#include "placement/run_tasks.hpp"
#include "runtime/runtime_core.hpp"
#include "runtimes.hpp"

namespace hocket {
namespace {

using std::chrono::milliseconds;
using ::testing::Each;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr std::size_t planned = 8;  ///< runs before one is repeated
const std::string unlike =
    "1,shared=yes,flops=20G;1,flops=100G,link=1G;1,flops=60G,link=1G;1,flops=60G,link=1G";

launch_work flops(double count) { return {count, 0}; }

const auto raise = kernel<inout_buffer<float>>{
    "raise", host_body{[](buffer_view<float> x) {
      for (float& each : x) each += 1;
    }}}.cost([](const launch_shape&) { return flops(11e6); });
const auto mix = kernel<in_buffer<float>, inout_buffer<float>>{
    "mix", host_body{[](buffer_view<const float> from, buffer_view<float> to) {
      for (std::size_t i = 0; i < to.size(); ++i) to[i] = to[i] / 2 + from[i] / 4;
    }}}.cost([](const launch_shape&) { return flops(33e6); });
const auto blend = kernel<in_buffer<float>, in_buffer<float>, inout_buffer<float>>{
    "blend", host_body{[](buffer_view<const float> one, buffer_view<const float> other,
                          buffer_view<float> to) {
      for (std::size_t i = 0; i < to.size(); ++i) to[i] = to[i] / 2 + one[i] / 4 + other[i] / 8;
    }}}.cost([](const launch_shape&) { return flops(66e6); });

runtime_options on_simulated(const std::string& devices, const std::string& policy = {}) {
  std::string names = "Sim0";
  const auto more = std::ranges::count(devices, ';');
  for (std::ptrdiff_t i = 1; i <= more; ++i) names += ",Sim" + std::to_string(i);
  return {.devices = names,
          .backends = {{"sim", devices}},
          .clock = clock_kind::simulated,
          .policy = policy};
}

/// A graph of the shape of a factorization of tiles, whose runs take times that differ where it is
/// planned a little differently.
struct factorization {
  explicit factorization(const runtime_options& options) : rt(options) {
    for (std::size_t i = 0; i < tiles * tiles; ++i) data.emplace_back(rt, 40'000, 1.0F);
    all = rt.record([&](submitter& s) {
      for (std::size_t k = 0; k < tiles; ++k) {
        s.submit(raise, updates(at(k, k)));
        for (std::size_t i = k + 1; i < tiles; ++i)
          s.submit(mix, reads(at(k, k)), updates(at(i, k)));
        for (std::size_t i = k + 1; i < tiles; ++i) {
          for (std::size_t j = k + 1; j <= i; ++j) {
            s.submit(blend, reads(at(i, k)), reads(at(j, k)), updates(at(i, j)));
          }
        }
      }
    });
    rt.wait();
  }

  [[nodiscard]] const buffer<float>& at(std::size_t row, std::size_t column) const {
    return data[row * tiles + column];
  }
  /// How long one run takes that nothing overlaps.
  nanoseconds run() {
    const time_stamp begin = rt.now();
    rt.run(*all).get();
    return rt.now() - begin;
  }
  std::vector<nanoseconds> run(std::size_t times) {
    std::vector<nanoseconds> made;
    for (std::size_t i = 0; i < times; ++i) made.push_back(run());
    return made;
  }
  [[nodiscard]] std::size_t repeated() { return rt.report().repeated_runs; }
  [[nodiscard]] std::vector<std::uint64_t> kernels() {
    std::vector<std::uint64_t> made;
    for (const device_report& each : rt.report().devices) made.push_back(each.kernels);
    return made;
  }
  [[nodiscard]] std::vector<float> results() const {
    std::vector<float> made;
    for (const buffer<float>& each : data) made.push_back(each.to_vector().front());
    return made;
  }

  static constexpr std::size_t tiles = 8;
  runtime rt;
  std::vector<buffer<float>> data;
  std::optional<graph> all;
};

/// The results of so many runs, by one device.
std::vector<float> results_after(std::size_t runs) {
  factorization alone(on_simulated("1,shared=yes"));
  (void)alone.run(runs);
  return alone.results();
}

TEST(schedules, the_shortest_of_the_first_runs_is_repeated) {
  factorization home(on_simulated(unlike));
  const std::vector<nanoseconds> first = home.run(planned);
  EXPECT_EQ(home.repeated(), 0U);
  const nanoseconds least = std::ranges::min(first);
  const std::set<nanoseconds> later(first.begin() + 1, first.end());
  EXPECT_GT(later.size(), 2U) << "runs are planned alike";
  EXPECT_LT(least, first.back());
  std::vector<std::vector<std::uint64_t>> shares;
  for (std::size_t i = 0; i < 6; ++i) {
    std::vector<std::uint64_t> share = home.kernels();
    EXPECT_LT(home.run(), least + least / 50);
    const std::vector<std::uint64_t> now = home.kernels();
    std::ranges::transform(now, share, share.begin(), std::minus<>());
    shares.push_back(std::move(share));
  }
  EXPECT_EQ(home.repeated(), 6U);
  EXPECT_THAT(shares, Each(shares.front()));
  EXPECT_THAT(summary(home.rt.report()), HasSubstr("runs of graphs that repeated a schedule: 6"));
  EXPECT_EQ(home.results(), results_after(planned + 6));
}

TEST(schedules, each_graph_has_its_own) {
  factorization home(on_simulated(unlike));
  const graph other = home.rt.record([&](submitter& s) {
    for (const buffer<float>& each : home.data) s.submit(raise, updates(each));
  });
  for (std::size_t i = 0; i < planned + 1; ++i) {
    (void)home.run();
    home.rt.run(other).get();
  }
  EXPECT_EQ(home.repeated(), 2U);
}

TEST(schedules, runs_of_one_graph_that_overlap_are_not_measured) {
  factorization home(on_simulated(unlike));
  const auto run_at_once = [&](std::size_t times) {
    for (std::size_t i = 0; i < times; ++i) home.rt.run(*home.all);
    home.rt.wait();
  };
  for (std::size_t i = 0; i < planned; ++i) run_at_once(3);
  (void)home.run(1);
  EXPECT_EQ(home.repeated(), 0U);
  (void)home.run(planned - 1);
  run_at_once(5);
  EXPECT_EQ(home.repeated(), 5U) << "but they repeat what was";
  EXPECT_EQ(home.results(), results_after(4 * planned + 5));
}

TEST(schedules, runs_beside_other_work_are_not_measured) {
  factorization home(on_simulated(unlike));
  const buffer<float> own{home.rt, 10, 0.0F};
  for (std::size_t i = 0; i < 3 * planned; ++i) {
    home.rt.submit(raise, updates(own));
    (void)home.run();
  }
  EXPECT_EQ(home.repeated(), 0U);
  (void)home.run(planned + 1);
  EXPECT_EQ(home.repeated(), 1U) << "runs alone are";
  home.rt.submit(raise, updates(own));
  (void)home.run();
  EXPECT_EQ(home.repeated(), 2U) << "what is repeated is repeated beside other work too";
}

TEST(schedules, runs_that_fail_are_not_measured) {
  runtime rt(on_simulated(unlike));
  const buffer<float> x{rt, 10, 0.0F}, y{rt, 10, 0.0F};
  bool fails = true;
  const graph g = rt.record([&](submitter& s) {
    s.submit(raise, updates(x));
    s.submit(
        [&](buffer_view<float>) {
          if (fails) throw std::runtime_error("no");
        },
        updates(y));
  });
  const auto run = [&](std::size_t times) {
    for (std::size_t i = 0; i < times; ++i) {
      rt.submit(ops::fill, 0.0F, writes(y)).get();
      rt.run(g).wait();
    }
  };
  run(2 * planned);
  fails = false;
  run(planned);
  EXPECT_EQ(rt.report().repeated_runs, 0U);
  run(1);
  EXPECT_EQ(rt.report().repeated_runs, 1U);
}

TEST(schedules, belong_to_the_policy_that_plans) {
  for (const std::string& policy : placement_policies()) {
    factorization home(on_simulated(unlike, policy));
    (void)home.run(planned + 3);
    EXPECT_EQ(home.repeated(), policy == "replanning" ? 3U : 0U) << policy;
  }
}

class slower_device : public ::testing::Test {
 protected:
  /// Runs until shortly before the second device gets slower, and returns how often.
  std::size_t run_until_then() {
    std::size_t runs = 0;
    for (; home.rt.now() < time_stamp(std::chrono::seconds(2)); ++runs) (void)home.run();
    return runs;
  }

  factorization home{on_simulated("1,flops=20G;1,flops=40G,later=2s,later_factor=8")};
};

TEST_F(slower_device, ends_a_schedule) {
  const std::size_t runs = run_until_then();
  ASSERT_EQ(home.repeated(), runs - planned);
  // Two runs tell that it is slower.
  (void)home.run(2 + planned);
  EXPECT_EQ(home.repeated(), runs - planned + 2);
  (void)home.run();
  EXPECT_EQ(home.repeated(), runs - planned + 3);
}

TEST_F(slower_device, is_given_less_as_soon_as_a_run_is_late) {
  (void)run_until_then();
  const std::vector<std::uint64_t> before = home.kernels();
  (void)home.run();
  const std::vector<std::uint64_t> after = home.kernels();
  EXPECT_LT(after[1] - before[1], (after[0] - before[0]));
}

class lossy_schedules : public ::testing::Test {
 protected:
  void lose(std::size_t device) {
    auto& lost =
        dynamic_cast<sim_device&>(home.rt.core()->connection().machine().at(device_id{device}));
    lost.lose({failure_code::device_lost, "It is gone."});
  }

  factorization home{on_simulated(unlike)};
};

TEST_F(lossy_schedules, are_dropped_when_a_device_is_lost) {
  (void)home.run(planned + 1);
  ASSERT_EQ(home.repeated(), 1U);
  (void)home.results();  // the host has all that the device has
  lose(1);
  (void)home.run(planned);
  EXPECT_EQ(home.repeated(), 1U);
  (void)home.run(1);
  EXPECT_EQ(home.repeated(), 2U);
  EXPECT_EQ(home.results(), results_after(2 * planned + 2));
}

TEST_F(lossy_schedules, go_on_elsewhere_when_a_device_is_lost_meanwhile) {
  (void)home.run(planned);
  const nanoseconds took = home.run();
  const future<void> run = home.rt.run(*home.all);
  testing::pass(home.rt, took / 2);
  lose(2);
  run.wait();
  for (const buffer<float>& each : home.data) home.rt.submit(ops::fill, 1.0F, writes(each));
  (void)home.run(1);
  EXPECT_EQ(home.repeated(), 2U);
  EXPECT_EQ(home.results(), results_after(1));
}

// The schedule has the tasks of the first buffer first.
TEST(schedules, do_not_hold_up_tasks_behind_those_that_a_view_holds_up) {
  runtime rt(on_simulated("1,flops=1G;1,flops=1G"));
  const buffer<float> x{rt, 10, 0.0F}, y{rt, 10, 0.0F};
  const graph g = rt.record([&](submitter& s) {
    for (int i = 0; i < 4; ++i) s.submit(raise, updates(x));
    for (int i = 0; i < 4; ++i) s.submit({.on = rt.device("Sim1")}, raise, updates(y));
    for (int i = 0; i < 4; ++i) s.submit({.on = rt.device("Sim0")}, raise, updates(y));
  });
  rt.wait();
  for (std::size_t i = 0; i < planned + 1; ++i) rt.run(g).get();
  ASSERT_EQ(rt.report().repeated_runs, 1U);
  future<void> run;
  {
    const auto held = x.read();
    run = rt.run(g);
    EXPECT_THAT(y.to_vector(), Each(8.0F * (planned + 2)));
    EXPECT_FALSE(run.done());
  }
  run.get();
  EXPECT_THAT(x.to_vector(), Each(4.0F * (planned + 2)));
}

// A device starts these by priority, and what comes first is held longer than what comes next.
TEST(schedules, do_not_hold_up_tasks_whose_turn_it_is) {
  runtime rt(on_simulated("1,flops=1G;1,flops=1G"));
  const buffer<float> x{rt, 10, 0.0F}, y{rt, 10, 0.0F}, z{rt, 10, 0.0F};
  const graph g = rt.record([&](submitter& s) {
    const auto on_first = [&](std::int64_t priority) {
      return task_options{.on = rt.device("Sim0"), .priority = priority, .in_order = true};
    };
    s.submit({.on = rt.device("Sim1")}, raise, updates(x));
    s.submit(on_first(2), mix, reads(x), updates(y));
    s.submit(on_first(1), raise, updates(z));
    s.submit(on_first(0), raise, updates(z));
  });
  rt.wait();
  for (std::size_t i = 0; i < planned; ++i) {
    future<void> run;
    {
      const auto held = x.read();
      run = rt.run(g);
      testing::pass(rt, milliseconds(20));
    }
    run.get();
  }
  // Now the first one could start at once.
  for (std::size_t i = 0; i < 4; ++i) rt.run(g).get();
  EXPECT_EQ(rt.report().repeated_runs, 4U);
  EXPECT_THAT(z.to_vector(), Each(2.0F * (planned + 4)));
}

// The schedule has a task of the other device before.
TEST(schedules, do_not_hold_up_tasks_until_a_long_kernel_of_another_device_ends) {
  runtime rt(on_simulated("1,flops=1G;1,flops=1G"));
  const auto very_long =
      kernel<inout_buffer<float>>{"very_long", host_body{[](buffer_view<float>) {}}}.cost(
          [](const launch_shape&) { return flops(1e10); });
  const buffer<float> x{rt, 10, 0.0F}, y{rt, 10, 0.0F}, other{rt, 10, 0.0F};
  const graph g = rt.record([&](submitter& s) {
    for (int i = 0; i < 2; ++i) s.submit({.on = rt.device("Sim0")}, raise, updates(x));
    for (int i = 0; i < 2; ++i) s.submit({.on = rt.device("Sim1")}, raise, updates(y));
  });
  rt.wait();
  for (std::size_t i = 0; i < planned; ++i) {
    future<void> run;
    {
      const auto held = y.read();
      run = rt.run(g);
      testing::pass(rt, milliseconds(50));
    }
    run.get();
  }
  const future<void> before = rt.submit({.on = rt.device("Sim0")}, very_long, updates(other));
  const time_stamp begin = rt.now();
  const future<void> run = rt.run(g);
  EXPECT_THAT(y.to_vector(), Each(2.0F * (planned + 1)));
  EXPECT_LT(rt.now() - begin, milliseconds(100));
  EXPECT_FALSE(before.done());
  run.get();
  EXPECT_EQ(rt.report().repeated_runs, 1U);
}

/// A schedule without an engine, of runs of three tasks.
class one_schedule : public ::testing::Test {
 protected:
  one_schedule() {
    for (std::uint32_t i = 0; i < 3; ++i) {
      tasks_[i].issued_as = 2 - i;
      tasks_[i].run.device = device_id{i / 2};
    }
  }
  void plan(nanoseconds took) {
    const std::array<placement::run_task*, 3> all{&tasks_[0], &tasks_[1], &tasks_[2]};
    kept_.measured_planned(all, took);
  }
  void plan_all(nanoseconds took) {
    for (std::size_t i = 0; i < planned; ++i) plan(took);
  }
  void repeat(nanoseconds took) { kept_.measured_repeated(*kept_.to_repeat(), took); }
  /// Runs that are planned until one would be repeated.
  std::size_t runs_until_repeated() {
    std::size_t runs = 0;
    for (; kept_.to_repeat() == nullptr; ++runs) plan(milliseconds(8));
    return runs;
  }

  std::array<placement::run_task, 3> tasks_;
  placement::kept_schedule kept_;
};

TEST_F(one_schedule, has_the_order_in_which_tasks_were_issued) {
  plan_all(milliseconds(3));
  const std::vector<placement::scheduled_task>& made = kept_.to_repeat()->tasks;
  ASSERT_EQ(made.size(), 3U);
  EXPECT_EQ(made[2].device, device_id{1});
  EXPECT_GT(made[2].rank, made[1].rank);
  EXPECT_GT(made[1].rank, made[0].rank);
}

TEST_F(one_schedule, stays_as_long_as_no_two_runs_in_a_row_are_slow) {
  plan_all(milliseconds(8));
  for (int i = 0; i < 10; ++i) {
    repeat(milliseconds(20));
    repeat(milliseconds(8));
  }
  repeat(milliseconds(20));
  EXPECT_NE(kept_.to_repeat(), nullptr);
  repeat(milliseconds(20));
  EXPECT_EQ(kept_.to_repeat(), nullptr);
}

TEST_F(one_schedule, is_sought_again_after_more_and_more_runs) {
  std::vector<std::size_t> runs;
  for (int i = 0; i < 7; ++i) {
    runs.push_back(runs_until_repeated());
    repeat(milliseconds(20));
    repeat(milliseconds(20));
  }
  EXPECT_THAT(runs, ::testing::ElementsAre(8, 8, 24, 72, 264, 1032, 1032));
  kept_.devices_changed(1);
  EXPECT_EQ(runs_until_repeated(), 8U);
}

}  // namespace
}  // namespace hocket
