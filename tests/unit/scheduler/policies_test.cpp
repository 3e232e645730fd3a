// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

// Every policy that is built in, and policies of a user's own, on simulated devices.

#include <algorithm>
#include <chrono>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <hocket/hocket.hpp>

namespace hocket {
namespace {

using std::chrono::milliseconds;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::Gt;
using ::testing::HasSubstr;

/// Runs on the virtual clock, on devices with the configuration of sim.
runtime_options on_sim(const std::string& devices, const std::string& policy = {}) {
  return {.backends = {{"sim", devices}}, .clock = clock_kind::simulated, .policy = policy};
}

runtime_options on_sim(const std::string& devices, std::shared_ptr<placement_policy> own) {
  runtime_options made = on_sim(devices);
  made.own_policy = std::move(own);
  return made;
}

std::string names(std::size_t count) {
  std::string made = "Sim0";
  for (std::size_t i = 1; i < count; ++i) made += ",Sim" + std::to_string(i);
  return made;
}

/// Adds one, in ten milliseconds at 1 GFLOP/s.
kernel<inout_buffer<float>> add_one() {
  return kernel<inout_buffer<float>>{"add_one", host_body{[](buffer_view<float> x) { x(0) += 1; }}}
      .cost([](const launch_shape&) {
        return launch_work{1e7, 0};
      });
}

std::vector<std::uint64_t> kernels_of(runtime& rt) {
  std::vector<std::uint64_t> made;
  for (const device_report& each : rt.report().devices) made.push_back(each.kernels);
  return made;
}

/// So many independent tasks, each with a buffer of its own.
std::vector<std::uint64_t> kernels_of_independent_tasks(runtime_options options,
                                                        std::size_t devices, int tasks) {
  options.devices = names(devices);
  runtime rt(options);
  std::vector<buffer<float>> data;
  for (int i = 0; i < tasks; ++i) data.emplace_back(rt, 10, "x");
  for (const buffer<float>& each : data) rt.submit(ops::fill, 0.0f, writes(each));
  for (const buffer<float>& each : data) rt.submit(add_one(), updates(each));
  rt.wait();
  std::vector<std::uint64_t> made = kernels_of(rt);
  for (const buffer<float>& each : data) EXPECT_EQ(each.to_vector().front(), 1.0f);
  return made;
}

class each_policy : public ::testing::TestWithParam<std::string> {};

// Chains that join: every policy orders, copies and computes the same.
TEST_P(each_policy, computes_the_same) {
  runtime_options options =
      on_sim("1,shared=yes,flops=1G;1,flops=4G,peer=no;1,flops=2G", GetParam());
  options.devices = names(3);
  runtime rt(options);
  std::vector<buffer<float>> chains;
  for (int i = 0; i < 8; ++i) chains.emplace_back(rt, 10, 0.0f);
  for (int step = 0; step < 10; ++step) {
    for (std::size_t i = 0; i < chains.size(); ++i) {
      rt.submit(add_one(), updates(chains[i]));
      rt.submit(ops::axpy, 1.0f, reads(chains[i]), updates(chains[(i + 1) % chains.size()]));
    }
  }
  std::vector<float> sums;
  for (const buffer<float>& each : chains) sums.push_back(each.to_vector().front());
  runtime alone(runtime_options{
      .devices = "Sim0", .backends = {{"sim", "1,shared=yes"}}, .clock = clock_kind::simulated});
  std::vector<float> expected(8);
  for (int step = 0; step < 10; ++step) {
    for (std::size_t i = 0; i < 8; ++i) {
      expected[i] += 1;
      expected[(i + 1) % 8] += expected[i];
    }
  }
  EXPECT_EQ(sums, expected);
}

// Each task of a chain may be given to the host behind the one before it, whose lane it has to use:
// in the other lane it would stand in the way of the next chain.
TEST_P(each_policy, keeps_all_lanes_of_the_host_at_work_with_chains) {
  runtime_options options = on_sim("1,shared=yes,lanes=2,depth=2,flops=1G", GetParam());
  options.devices = "Sim0";
  runtime rt(options);
  std::vector<buffer<float>> chains;
  for (int i = 0; i < 4; ++i) chains.emplace_back(rt, 10, 0.0f);
  // Bodies of kernels that have no text may yield their lane, and none is queued behind them.
  const auto add = add_one().with({{.names = {"x"}, .passes = {{.text = "x(0) += 1.0f;"}}}});
  const auto run = [&] {
    rt.wait();
    const time_stamp begin = rt.now();
    for (const buffer<float>& each : chains) {
      for (int step = 0; step < 4; ++step) rt.submit(add, updates(each));
    }
    rt.wait();
    return rt.now() - begin;
  };
  (void)run();  // before a kernel was measured, a lane is given one
  EXPECT_LT(run(), milliseconds(85)) << "16 tasks of 10 ms in two lanes";
}

TEST_P(each_policy, takes_the_same_time_in_every_run) {
  const auto run = [] {
    runtime_options options = on_sim("1,flops=1G;2,flops=4G", GetParam());
    options.devices = names(3);
    runtime rt(options);
    std::vector<buffer<float>> data;
    for (int i = 0; i < 30; ++i) data.emplace_back(rt, 1000, 0.0f);
    for (const buffer<float>& each : data) rt.submit(add_one(), updates(each));
    rt.wait();
    return rt.now();
  };
  EXPECT_EQ(run(), run());
}

INSTANTIATE_TEST_SUITE_P(policies, each_policy, ::testing::ValuesIn(placement_policies()),
                         [](const auto& each) {
                           std::string name = each.param;
                           std::ranges::replace(name, '-', '_');
                           return name;
                         });

// What an operation takes on the slow one is more nanoseconds than an integer holds.
TEST(policies, that_compare_times_leave_out_a_device_that_takes_centuries) {
  for (const char* const policy : {"replanning", "earliest-end", "ranked-earliest-end"}) {
    runtime_options options = on_sim("1,flops=1e-18,bandwidth=1e-18;1,flops=1G", policy);
    options.devices = names(2);
    runtime rt(options);
    const buffer<float> x{rt, 100, 1.0f};
    std::vector<buffer<float>> sums;
    for (int i = 0; i < 10; ++i) sums.emplace_back(rt, 100, 1.0f);
    for (const buffer<float>& each : sums) rt.submit(ops::axpy, 1.0f, reads(x), updates(each));
    rt.wait();
    EXPECT_THAT(kernels_of(rt), ElementsAre(0U, Gt(0U))) << policy;
  }
}

TEST(policies, round_robin_gives_each_device_as_many) {
  EXPECT_THAT(kernels_of_independent_tasks(on_sim("1,flops=1G;2,flops=8G", "round-robin"), 3, 30),
              ElementsAre(20, 20, 20));
}

TEST(policies, random_gives_more_to_faster_devices) {
  const std::vector<std::uint64_t> found =
      kernels_of_independent_tasks(on_sim("1,flops=1G;1,flops=9G", "random"), 2, 200);
  EXPECT_NEAR(static_cast<double>(found[1]) / static_cast<double>(found[0] + found[1]), 0.9, 0.1);
}

TEST(policies, owner_computes_keeps_each_tile_of_a_grid_on_its_device) {
  runtime_options options = on_sim("4,flops=1G", "owner-computes");
  options.devices = names(4);
  runtime rt(options);
  const buffer<float, 2> grid(rt, {8, 8}, 0.0f);
  rt.wait();
  const std::vector<std::uint64_t> before = kernels_of(rt);
  const auto touch = kernel<inout_buffer<float, 2>>{
      "touch", host_body{[](buffer_view<float, 2> x) { x(0, 0) += 1; }}};
  for (int step = 0; step < 3; ++step) {
    for (std::size_t i = 0; i < 8; i += 2) {
      for (std::size_t j = 0; j < 8; j += 2)
        rt.submit(touch, updates(grid.tile({i, j}, {i + 2, j + 2})));
    }
  }
  rt.wait();
  std::vector<std::uint64_t> made = kernels_of(rt);
  for (std::size_t i = 0; i < made.size(); ++i) made[i] -= before[i];
  EXPECT_THAT(made, ElementsAre(12, 12, 12, 12));
}

TEST(policies, locality_first_runs_where_the_data_are) {
  runtime_options options = on_sim("1,flops=1G;1,flops=100G,link=1G", "locality-first");
  options.devices = names(2);
  runtime rt(options);
  const buffer<float> x(rt, 100'000, "x");
  rt.submit({.on = rt.device("Sim0")}, ops::fill, 0.0f, writes(x));
  for (int i = 0; i < 10; ++i) rt.submit(add_one(), updates(x));
  rt.wait();
  EXPECT_THAT(kernels_of(rt), ElementsAre(11, 0));
}

TEST(policies, work_stealing_leaves_no_device_idle) {
  runtime_options options = on_sim("1,shared=yes,flops=1G;3,flops=1G", "work-stealing");
  options.devices = names(4);
  runtime rt(options);
  std::vector<buffer<float>> data;
  for (int i = 0; i < 40; ++i) data.emplace_back(rt, 10, 0.0f);
  rt.wait();
  const time_stamp begin = rt.now();
  for (const buffer<float>& each : data) rt.submit(add_one(), updates(each));
  rt.wait();
  EXPECT_LT(rt.now() - begin, milliseconds(111)) << "ten rounds of ten milliseconds, and copies";
}

TEST(policies, least_energy_takes_the_device_that_needs_fewer_joules) {
  // 10 ms at 100 W, 5 ms at 150 W: one joule, and three quarters of one.
  EXPECT_THAT(kernels_of_independent_tasks(
                  on_sim("1,flops=1G,watts=100;1,flops=2G,watts=150", "least-energy"), 2, 10),
              ElementsAre(0, 20));
  EXPECT_THAT(kernels_of_independent_tasks(
                  on_sim("1,flops=1G,watts=100;1,flops=2G,watts=250", "least-energy"), 2, 10),
              ElementsAre(20, 0));
}

TEST(policies, ranked_earliest_end_begins_with_the_longest_chain) {
  const auto makespan = [](const std::string& policy) {
    runtime_options options = on_sim("2,flops=1G", policy);
    options.devices = names(2);
    runtime rt(options);
    std::vector<buffer<float>> data;
    for (int i = 0; i < 20; ++i) data.emplace_back(rt, 10, 0.0f);
    const buffer<float> chain(rt, 10, 0.0f);
    rt.wait();
    const time_stamp begin = rt.now();
    // All begin at one time, when it is known what comes after them.
    const buffer<float> gate(rt, 10, 0.0f);
    const future<void> opens = rt.submit(add_one(), updates(gate));
    for (const buffer<float>& each : data) rt.submit({.after = {opens}}, add_one(), updates(each));
    for (int i = 0; i < 20; ++i) rt.submit({.after = {opens}}, add_one(), updates(chain));
    rt.wait();
    return rt.now() - begin;
  };
  EXPECT_LT(makespan("ranked-earliest-end"), makespan("earliest-end"));
}

/// Does what it is told to.
class told final : public placement_policy {
 public:
  using choice = std::function<std::size_t(const placement_task&)>;
  explicit told(choice choose, placement_moment when = placement_moment::when_ready)
      : choose_(std::move(choose)), when_(when) {}
  [[nodiscard]] std::size_t choose(const placement_task& task) override { return choose_(task); }
  [[nodiscard]] placement_moment moment() const override { return when_; }

 private:
  choice choose_;
  placement_moment when_;
};

TEST(own_policy, sees_what_the_task_does_and_where_it_could_run) {
  std::vector<std::string> kernels;
  const auto look = [&](const placement_task& task) {
    kernels.emplace_back(task.kernel);
    if (task.kernel != "axpy") return task.options.back().device;
    EXPECT_EQ(task.label, "the sum");
    EXPECT_EQ(task.priority, 3);
    EXPECT_EQ(task.accesses.size(), 2U);
    EXPECT_EQ(task.accesses[0].mode, access_mode::read);
    EXPECT_EQ(task.accesses[0].bytes, 4000U);
    EXPECT_EQ(task.accesses[0].region->end, index_list{1000});
    EXPECT_EQ(task.accesses[1].mode, access_mode::update);
    EXPECT_NE(task.accesses[0].buffer, task.accesses[1].buffer);
    EXPECT_EQ(task.options.size(), 2U);
    const placement_option& far = task.options[1];
    EXPECT_EQ(far.device, 1U);
    EXPECT_EQ(far.lanes, 2U);
    EXPECT_EQ(far.watts, 20);
    EXPECT_EQ(far.copies, milliseconds(8)) << "both buffers over a link of 1 MB/s";
    EXPECT_EQ(far.arrival, milliseconds(8));
    EXPECT_EQ(task.options[0].copies, milliseconds(0));
    EXPECT_EQ(far.end(), far.arrival + far.time);
    return far.device;
  };
  runtime_options options =
      on_sim("1,shared=yes;1,lanes=2,link=1M,watts=20,peer=no", std::make_shared<told>(look));
  options.devices = names(2);
  runtime rt(options);
  const buffer<float> x(rt, 1000, "x"), y(rt, 1000, "y");
  for (const auto& each : {x, y})
    rt.submit({.on = rt.device("Sim0")}, ops::fill, 1.0f, writes(each));
  rt.wait();
  rt.submit({.priority = 3, .label = "the sum"}, ops::axpy, 2.0f, reads(x), updates(y));
  rt.wait();
  EXPECT_THAT(kernels, ElementsAre("axpy")) << "for others a device was named";
  EXPECT_THAT(kernels_of(rt), ElementsAre(2, 1));
}

TEST(own_policy, may_wait_until_a_device_has_room) {
  std::vector<std::size_t> rooms;
  std::vector<nanoseconds> ranks;
  const auto shortest_queue = [&](const placement_task& task) {
    ranks.push_back(task.rank);
    const auto best = std::ranges::min_element(task.options, {}, &placement_option::tasks);
    rooms.push_back(best->room);
    return best->device;
  };
  const std::vector<std::uint64_t> found = kernels_of_independent_tasks(
      on_sim("2,flops=1G", std::make_shared<told>(shortest_queue, placement_moment::when_room)), 2,
      40);
  EXPECT_THAT(found, ElementsAre(40, 40));
  EXPECT_THAT(rooms, ::testing::Contains(0U)) << "some are asked for again";
  EXPECT_THAT(ranks, ::testing::Contains(Gt(milliseconds(9))));
}

/// The result of a run with the policy, and what it printed.
std::pair<std::vector<std::uint64_t>, std::string> run_with(told::choice choose) {
  ::testing::internal::CaptureStderr();
  const auto found = kernels_of_independent_tasks(
      on_sim("2,flops=1G", std::make_shared<told>(std::move(choose))), 2, 10);
  return {found, ::testing::internal::GetCapturedStderr()};
}

/// Gives all tasks to the first device, and lets none be moved.
class first_only final : public placement_policy {
 public:
  std::size_t choose(const placement_task& task) override { return task.options.front().device; }
  [[nodiscard]] bool moves_tasks() const override { return true; }
  [[nodiscard]] bool should_move(const placement_task& task, const placement_option& from,
                                 const placement_option& to) override {
    ++asked;
    EXPECT_EQ(from.device, 0U);
    EXPECT_THAT(task.options, ::testing::SizeIs(2));
    EXPECT_EQ(&task.options[0], &from);
    EXPECT_EQ(&task.options[1], &to);
    return false;
  }

  int asked = 0;
};

// There may be a thousand devices that stand idle, each of which asks.
TEST(own_policy, is_asked_about_the_two_devices_between_which_a_task_would_move) {
  const auto own = std::make_shared<first_only>();
  const auto kernels = kernels_of_independent_tasks(on_sim("4,flops=1G", own), 4, 8);
  EXPECT_THAT(kernels, ElementsAre(16U, 0U, 0U, 0U));
  EXPECT_GT(own->asked, 0);
}

TEST(own_policy, that_chooses_no_option_is_named_once) {
  const auto [kernels, text] = run_with([](const placement_task& /*task*/) { return 7; });
  EXPECT_EQ(kernels[0] + kernels[1], 20U);
  EXPECT_THAT(text, AllOf(HasSubstr("chose device 7"), HasSubstr("\"fill\"")));
  EXPECT_EQ(std::ranges::count(text, '\n'), 1);
}

TEST(own_policy, that_throws_is_named_once) {
  const auto [kernels, text] = run_with(
      [](const placement_task& /*task*/) -> std::size_t { throw std::runtime_error("no idea"); });
  EXPECT_EQ(kernels[0] + kernels[1], 20U);
  EXPECT_THAT(text, HasSubstr("no idea"));
  EXPECT_EQ(std::ranges::count(text, '\n'), 1);
}

TEST(own_policy, is_refused_beside_a_name) {
  runtime_options options = on_sim(
      "2", std::make_shared<told>([](const placement_task& t) { return t.options[0].device; }));
  options.policy = "random";
  EXPECT_THROW(runtime{options}, usage_error);
}

/// More tasks are open than a round looks at when they are cancelled.
TEST(policies, go_on_after_all_open_tasks_were_cancelled) {
  for (const char* const policy : {"replanning", "earliest-end", "work-stealing"}) {
    runtime rt{{.devices = "NUMA0,Sim0,Sim1", .backends = {{"sim", "2"}}, .policy = policy}};
    std::vector<buffer<float>> all;
    for (int i = 0; i < 40; ++i) all.emplace_back(rt, 8, 0.0F);
    rt.wait();
    for (int round = 0; round < 5; ++round) {
      task_scope scope{rt};
      for (int i = 0; i < 3; ++i) {
        for (const buffer<float>& each : all) scope.submit(ops::fill, 1.0F, writes(each));
      }
      scope.cancel();
      scope.wait();
      const future<void> next = rt.submit(ops::fill, 3.0F, writes(all[0]));
      ASSERT_TRUE(next.wait_for(std::chrono::seconds(30))) << policy << ", round " << round;
    }
    EXPECT_EQ(all[0].to_vector()[0], 3.0F);
  }
}

}  // namespace
}  // namespace hocket
