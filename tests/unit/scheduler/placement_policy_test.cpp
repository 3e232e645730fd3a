// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <limits>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <hocket/devices/sim.hpp>
#include <hocket/hocket.hpp>

#include "placement/core_sharing.hpp"
#include "placement/device_prices.hpp"
#include "runtime/runtime_core.hpp"

namespace hocket {
namespace {

using placement::device_prices;
using std::chrono::milliseconds;
using std::chrono::nanoseconds;
using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr double never = std::numeric_limits<double>::infinity();

placement::machine machine_with(const std::vector<std::size_t>& lanes) {
  placement::machine made;
  for (const std::size_t count : lanes) made.devices.emplace_back().compute.resize(count);
  return made;
}

/// The prices where each row is a kind of work with its time on each device.
std::vector<double> prices_of(const std::vector<std::size_t>& lanes,
                              const std::vector<std::vector<double>>& work) {
  const placement::machine machine = machine_with(lanes);
  device_prices made(machine);
  made.begin();
  for (std::size_t k = 0; k < work.size(); ++k) {
    made.add("kind " + std::to_string(k), [&](std::size_t d) { return work[k][d]; });
  }
  made.solve(1);
  std::vector<double> prices;
  for (std::size_t d = 0; d < lanes.size(); ++d) prices.push_back(made.of(device_id{d}));
  return prices;
}

TEST(device_prices, are_one_without_work) {
  EXPECT_EQ(prices_of({1, 3}, {}), (std::vector<double>{1, 1}));
}

// Work of one kind is shared out so that both are busy: a second of the faster is worth more.
TEST(device_prices, are_as_devices_are_fast) {
  const std::vector<double> found = prices_of({1, 1}, {{1e6, 3e6}});
  EXPECT_NEAR(found[0], 1.5, 0.05);
  EXPECT_NEAR(found[1], 0.5, 0.05);
}

TEST(device_prices, are_those_of_a_lane) {
  const std::vector<double> found = prices_of({1, 2}, {{1e6, 1e6}});
  EXPECT_NEAR(found[0], 1, 0.05);
  EXPECT_NEAR(found[1], 1, 0.05);
}

// What only one device can do makes it dear where that is most of the work.
TEST(device_prices, are_high_where_nothing_else_can_do_the_work) {
  const std::vector<double> found = prices_of({1, 1}, {{8e6, never}, {1e6, 1e6}});
  EXPECT_GT(found[0], 1.9);
  EXPECT_LT(found[1], 0.1);
}

TEST(device_prices, matter_less_where_a_chain_is_longer_than_the_work_takes) {
  const placement::machine machine = machine_with({1, 1});
  device_prices made(machine);
  made.begin();
  made.add("kind", [](std::size_t) { return 1e6; });
  made.solve(1e6);
  EXPECT_NEAR(made.weight(), 0.5, 0.01);
  made.solve(1e5);
  EXPECT_EQ(made.weight(), 1);
}

/// A node of four cores, and drivers with so many of them.
placement::machine on_host_cores(const std::vector<std::size_t>& cores) {
  placement::machine made = machine_with({4});
  made.devices.front().runs_host_tasks = true;
  made.devices.front().host_cores = 4;
  for (const std::size_t count : cores) {
    made.devices.emplace_back().compute.resize(1);
    made.devices.back().host_cores = count;
  }
  return made;
}

TEST(core_sharing, devices_hold_up_one_another_by_the_cores_that_both_use) {
  const placement::core_sharing found(on_host_cores({2, 2, 4, 0}));
  EXPECT_EQ(found.cores(), 4U);
  const auto rivals = found.rivals(device_id{1});
  ASSERT_EQ(rivals.size(), 2U) << "the other driver with two cores uses the other two";
  EXPECT_EQ(rivals[0].device, device_id{0});
  EXPECT_EQ(rivals[0].takes, 1.0);
  EXPECT_EQ(rivals[0].loses, 0.5);
  EXPECT_EQ(rivals[1].device, device_id{3});
  EXPECT_TRUE(found.rivals(device_id{4}).empty()) << "it has processors of its own";
}

TEST(core_sharing, nodes_of_the_host_have_no_core_in_common) {
  placement::machine nodes = machine_with({2, 2});
  for (placement::machine::device_node& each : nodes.devices) {
    each.runs_host_tasks = true;
    each.host_cores = 2;
  }
  const placement::core_sharing found(nodes);
  EXPECT_EQ(found.cores(), 4U);
  EXPECT_TRUE(found.rivals(device_id{0}).empty());
}

TEST(device_prices, devices_on_the_same_cores_are_one_resource) {
  const placement::machine machine = on_host_cores({4});
  device_prices made(machine);
  made.begin();
  made.add("kind", [](std::size_t) { return 4e6; });  // on a lane; the driver has all four cores
  made.solve(1);
  EXPECT_NEAR(made.bound(), 1e6, 1e3) << "the driver adds nothing";
  EXPECT_NEAR(made.of(device_id{1}), 4 * made.of(device_id{0}), 1e-6);
}

TEST(placement_policy, replanning_uses_one_of_two_devices_on_the_same_cores) {
  // The second device is as fast as all lanes of the first, but what it does they cannot.
  const auto kernels_of_second = [](const std::string& cores) {
    runtime rt{{.devices = "Sim0,Sim1",
                .backends = {{"sim",
                              "1,shared=yes,lanes=2,flops=2G,host_cores=2;1,link=1T,"
                              "flops=3G" +
                                  cores}},
                .clock = clock_kind::simulated}};
    std::vector<buffer<float>> data;
    for (int i = 0; i < 200; ++i) data.emplace_back(rt, 10, "x");
    for (const buffer<float>& each : data) {
      rt.submit(
          kernel<out_buffer<float>>{"own", host_body{[](buffer_view<float> x) { x(0) = 0; }}}.cost(
              [](const launch_shape&) {
                return launch_work{1e7, 0};
              }),
          writes(each));
    }
    rt.wait();
    return rt.report().devices[1].kernels;
  };
  EXPECT_GT(kernels_of_second(""), 60U) << "three sevenths of the work";
  EXPECT_LT(kernels_of_second(",host_cores=2"), 5U);
}

/// Two fast devices and a slow one, which share nothing.
runtime_options unequal(const std::string& policy) {
  return {.devices = "Sim0,Sim1,Sim2",
          .backends = {{"sim",
                        "1,shared=yes,flops=1G,bandwidth=1T;2,flops=10G,bandwidth=1T,link=10G,"
                        "latency=1us,peer=no"}},
          .clock = clock_kind::simulated,
          .policy = policy};
}

/// Adds one, and takes so many flops.
kernel<inout_buffer<float>> costly(double flops) {
  return kernel<inout_buffer<float>>{"costly", host_body{[](buffer_view<float> x) { x(0) += 1; }}}
      .cost([flops](const launch_shape&) {
        return launch_work{flops, 0};
      });
}

/// A chain of 20 tasks of 10 ms each, on a fast device, and 100 of 1 ms beside it.
nanoseconds makespan_of_chain(const std::string& policy) {
  runtime rt{unequal(policy)};
  std::vector<buffer<float>> small;
  for (int i = 0; i < 100; ++i) small.emplace_back(rt, 10, 0.0f);
  const buffer<float> x{rt, 10, 0.0f, "x"};
  rt.wait();
  const time_stamp begin = rt.now();
  for (const buffer<float>& each : small) rt.submit(costly(1e7), updates(each));
  for (int i = 0; i < 20; ++i) rt.submit(costly(1e8), updates(x));
  rt.wait();
  const nanoseconds took = rt.now() - begin;
  EXPECT_EQ(x.to_vector().front(), 20.0f);
  for (const buffer<float>& each : small) EXPECT_EQ(each.to_vector().front(), 1.0f);
  return took;
}

TEST(placement_policy, replanning_begins_the_chain_that_was_submitted_last) {
  const nanoseconds bound = milliseconds(200);
  EXPECT_LT(makespan_of_chain("replanning"), bound * 103 / 100);
  EXPECT_GT(makespan_of_chain("earliest-end"), bound * 110 / 100);
  EXPECT_EQ(makespan_of_chain(""), makespan_of_chain("replanning"));
}

TEST(placement_policy, replanning_leaves_data_where_later_tasks_are) {
  // Moving the buffer to a fast device takes 400 ms, and each task gains 9 ms there.
  const auto took_with = [](int tasks) {
    runtime rt{{.devices = "Sim0,Sim1",
                .backends = {{"sim",
                              "1,shared=yes,flops=1G,bandwidth=1T;1,flops=10G,bandwidth=1T,"
                              "link=10M,latency=1us"}},
                .clock = clock_kind::simulated}};
    const buffer<float> x{rt, 1'000'000, 0.0f, "x"};
    rt.submit({.on = rt.device("Sim0")}, ops::fill, 0.0f, writes(x));
    rt.wait();
    const time_stamp begin = rt.now();
    for (int i = 0; i < tasks; ++i) rt.submit(costly(1e7), updates(x));
    rt.wait();
    return rt.now() - begin;
  };
  EXPECT_EQ(took_with(5), milliseconds(50)) << "all on the slow device, which has the buffer";
  EXPECT_LT(took_with(1000), milliseconds(1800)) << "it moves once";
}

/// A hundred tasks of 10 ms or 100 ms, of which most wait for a device.
class open_tasks : public ::testing::Test {
 protected:
  open_tasks() {
    for (int i = 0; i < 100; ++i) {
      data_.emplace_back(rt_, 10, 0.0f);
      all_.push_back(rt_.submit(costly(1e8), updates(data_.back())));
    }
  }
  void lose(std::size_t device) {
    auto& lost =
        dynamic_cast<sim_device&>(rt_.core()->connection().machine().at(device_id{device}));
    lost.lose({failure_code::device_lost, "It is gone."});
  }
  [[nodiscard]] int done() const {
    return static_cast<int>(
        std::ranges::count_if(all_, [](const future<void>& each) { return !each.error(); }));
  }

  runtime rt_{unequal("replanning")};
  std::vector<buffer<float>> data_;
  std::vector<future<void>> all_;
};

TEST_F(open_tasks, are_cancelled) {
  for (std::size_t i = 50; i < 100; ++i) all_[i].cancel();
  EXPECT_GE(done(), 50);
  EXPECT_LT(done(), 60) << "some of the others had begun";
}

TEST_F(open_tasks, run_elsewhere_when_a_device_is_lost) {
  lose(1);
  EXPECT_GE(done(), 90) << "but those that had begun there";
}

TEST_F(open_tasks, fail_when_all_devices_are_lost) {
  std::vector<future<void>> writers;
  for (const buffer<float>& each : data_) {
    writers.push_back(rt_.submit(ops::fill, 1.0f, writes(each)));
  }
  for (std::size_t device = 0; device < 3; ++device) lose(device);
  EXPECT_LT(done(), 10) << "the content of the others is lost, too";
  EXPECT_EQ(writers.back().error().code(), failure_code::no_device);
  const future<void> next = rt_.submit(ops::fill, 1.0f, writes(data_.front()));
  EXPECT_EQ(next.error().code(), failure_code::no_device);
  EXPECT_THAT(next.error().message(), HasSubstr("no device to run on"));
}

TEST(placement_policy, is_refused_where_there_is_none_with_the_name) {
  const auto refusal = [](const runtime_options& options) -> std::string {
    try {
      const runtime rt(options);
    } catch (const usage_error& e) {
      return e.what();
    }
    return "";
  };
  EXPECT_THAT(refusal({.policy = "best"}),
              AllOf(HasSubstr("runtime_options::policy"), HasSubstr("\"best\""),
                    HasSubstr("replanning, earliest-end")));
  ::setenv("HOCKET_POLICY", "worst", 1);
  EXPECT_THAT(refusal({}), AllOf(HasSubstr("HOCKET_POLICY"), HasSubstr("\"worst\"")));
  ::unsetenv("HOCKET_POLICY");
}

}  // namespace
}  // namespace hocket
