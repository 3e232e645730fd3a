// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <hocket/devices/sim.hpp>

#include <cmath>
#include <fstream>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <hocket/devices/cpu.hpp>
#include <hocket/devices/prediction.hpp>
#include <hocket/execution/seeded_executor.hpp>

#include "commands.hpp"
#include "recording_sink.hpp"

namespace hocket::testing {
namespace {

using std::chrono::microseconds;

/// The devices of a configuration on a virtual clock.
struct machine {
  machine(const backend& from, const std::string& configuration) {
    std::uint64_t next = 0;
    for (const auto& c : from.find(where, configuration).usable) {
      device_numbers n{{devices.size()}, {}, {next + 1}, {next + 2}};
      next += 3;
      for (std::size_t lane = 0; lane < c->info().lanes; ++lane) n.compute.push_back({next++});
      devices.push_back(c->connect(n, where, sink).value());
    }
  }
  [[nodiscard]] sim_device& sim(std::size_t d) { return dynamic_cast<sim_device&>(*devices[d]); }
  [[nodiscard]] nanoseconds time_of(stream& on, launch_command what) {
    const timepoint t = submit(on, std::move(what));
    sink.await(where, t.on->stream(), t.value);
    const command_result r = sink.result(t.on->stream(), t.value);
    return r.end - r.begin;
  }

  seeded_executor where;
  recording_sink sink;
  submitter submit;
  std::vector<std::unique_ptr<device>> devices;
};

launch_command costing(launch_work cost, body_width width = body_width::serial) {
  return launch([](const host_launch&) {}, width, cost);
}

TEST(sim, devices_differ_as_they_are_told_to) {
  machine m(*make_sim_backend(),
            "1,flops=1G,bandwidth=1G,launch=7us;1,flops=4G,bandwidth=2G,lanes=2");
  EXPECT_EQ(m.time_of(m.devices[0]->compute(0), costing({1e6, 10})), microseconds(1007));
  EXPECT_EQ(m.time_of(m.devices[0]->compute(0), costing({10, 2e6})), microseconds(2007));
  EXPECT_EQ(m.time_of(m.devices[1]->compute(0), costing({1e6, 10})), microseconds(250));
  EXPECT_EQ(m.time_of(m.devices[1]->compute(1), costing({1e6, 1e6})), microseconds(500));
  EXPECT_EQ(m.time_of(m.devices[1]->compute(0), costing({1e6, 10}, body_width::wide)),
            microseconds(125));
}

/// What a copy from the host of so many bytes takes on the nth device, when all copies begin now.
std::vector<nanoseconds> ends_of_copies(machine& m, copy_route route, std::uint64_t bytes) {
  std::vector<timepoint> all;
  for (const auto& each : m.devices) {
    copy_command what;
    what.bytes = bytes;
    what.route = route;
    stream& on = route == copy_route::to_host ? each->outbound() : each->inbound();
    all.push_back(m.submit(on, what));
  }
  std::vector<nanoseconds> ends;
  for (const timepoint& t : all) {
    m.sink.await(m.where, t.on->stream(), t.value);
    ends.push_back(m.sink.result(t.on->stream(), t.value).end);
  }
  return ends;
}

TEST(sim, a_kernel_has_the_rate_that_its_machine_gives_it) {
  const std::string path = ::testing::TempDir() + "sim_test_rates.json";
  std::ofstream(path) << R"({"machine": "a", "devices": [
      {"flops": "1G", "bandwidth": "1T", "launch": 0, "kernels": {"slow": 0.1}}]})";
  machine m(*make_sim_backend(), "machine=" + path);
  launch_command slow = costing({1e6, 10});
  EXPECT_EQ(m.time_of(m.devices[0]->compute(0), slow), microseconds(1000));
  auto named = std::make_shared<kernel_definition>(*slow.kernel);
  named->name = "slow";
  slow.kernel = named;
  EXPECT_EQ(m.time_of(m.devices[0]->compute(0), slow), microseconds(10000));
}

TEST(sim, first_launches_of_a_kernel_and_later_ones_deviate_as_told) {
  machine m(*make_sim_backend(),
            "1,flops=1G,bandwidth=1G,first=2,first_factor=10,later=30ms,later_factor=4");
  stream& lane = m.devices[0]->compute(0);
  const auto next = [&] { return m.time_of(lane, costing({1e6, 0})); };
  EXPECT_EQ(next(), microseconds(10'000));
  EXPECT_EQ(next(), microseconds(10'000));
  EXPECT_EQ(next(), microseconds(1000));
  EXPECT_EQ(m.time_of(lane, costing({9e6, 0})), microseconds(9000));
  EXPECT_EQ(next(), microseconds(4000)) << "it starts after 30 ms";
}

TEST(sim, noise_has_the_mean_one_and_is_the_same_in_every_run) {
  const auto times = [] {
    machine m(*make_sim_backend(), "1,flops=1G,bandwidth=1G,noise=0.3");
    std::vector<double> made;
    for (int i = 0; i < 2000; ++i) {
      made.push_back(
          static_cast<double>(m.time_of(m.devices[0]->compute(0), costing({1e6, 0})).count()));
    }
    return made;
  };
  const std::vector<double> found = times();
  double mean = 0, variance = 0;
  for (const double each : found) mean += each / 2000;
  for (const double each : found) variance += std::pow(std::log(each / 1e6) + 0.045, 2) / 2000;
  EXPECT_NEAR(mean, 1e6, 3e4);
  EXPECT_NEAR(std::sqrt(variance), 0.3, 0.03);
  EXPECT_EQ(found, times());
}

TEST(sim, devices_on_one_bus_hold_up_one_another) {
  const std::string path = ::testing::TempDir() + "sim_test_bus.json";
  std::ofstream(path) << R"({"machine": "a", "buses": {"b": {"bandwidth": "1G"}}, "devices": [
      {"count": 3, "link": "1G", "latency": "1us", "bus": "b", "execute": false}]})";
  const auto all = [&](copy_route route) {
    machine m(*make_sim_backend(), "machine=" + path);
    return ends_of_copies(m, route, 1'000'000);
  };
  const std::vector<nanoseconds> one_by_one{microseconds(1001), microseconds(2001),
                                            microseconds(3001)};
  EXPECT_THAT(all(copy_route::to_device), ::testing::UnorderedElementsAreArray(one_by_one));
  EXPECT_THAT(all(copy_route::to_host), ::testing::UnorderedElementsAreArray(one_by_one));
  EXPECT_THAT(all(copy_route::between_devices), ::testing::Each(nanoseconds(microseconds(1001))));
}

TEST(sim, a_planned_launch_fails_and_is_not_run) {
  machine m(*make_sim_backend(), "1");
  m.sim(0).fail_launch(2, {failure_code::task_failed, "Planned."});
  int ran = 0;
  for (int i = 0; i < 3; ++i) {
    (void)m.time_of(m.devices[0]->compute(0), launch([&](const host_launch&) { ++ran; }));
  }
  EXPECT_EQ(ran, 2);
  const auto results = m.sink.results(m.devices[0]->compute(0).time().stream());
  EXPECT_FALSE(results[0].why);
  EXPECT_EQ(results[1].why.message(), "Planned.");
  EXPECT_FALSE(results[2].why);
}

TEST(sim, that_does_not_execute_takes_its_time_all_the_same) {
  machine m(*make_sim_backend(), "1,execute=no,flops=1G,memory=64G,link=1G");
  EXPECT_EQ(m.time_of(m.devices[0]->compute(0), launch([](const host_launch&) { ADD_FAILURE(); },
                                                       body_width::serial, {1e6, 0})),
            microseconds(1000));
  const timepoint t =
      m.submit(m.devices[0]->inbound(), copy_command{{}, {}, {1000}, 1, box::whole({1000}), 1000});
  m.sink.await(m.where, t.on->stream(), t.value);
  EXPECT_EQ(m.sink.result(t.on->stream(), 1).end - m.sink.result(t.on->stream(), 1).begin,
            microseconds(1));
}

TEST(sim, that_does_not_execute_has_more_memory_than_the_host) {
  machine m(*make_sim_backend(), "1,execute=no,memory=4000000G");
  constexpr std::size_t bytes = 1'000'000'000'000'000;
  memory_resource& memory = m.devices[0]->memory();
  const allocation a = memory.allocate(bytes, 64).value();
  const allocation b = memory.allocate(100, 4096).value();
  const auto address = [](const allocation& of) {
    return reinterpret_cast<std::uintptr_t>(of.address());
  };
  EXPECT_NE(address(a), 0U);
  EXPECT_EQ(address(a) % 64, 0U);
  EXPECT_EQ(address(b) % 4096, 0U);
  EXPECT_TRUE(address(a) + bytes <= address(b) || address(b) + 100 <= address(a));
  memory.deallocate(a);
  memory.deallocate(b);
}

#ifndef NDEBUG
TEST(sim, memory_that_nobody_filled_is_not_a_number) {
  machine m(*make_sim_backend(), "1,memory=1M");
  const allocation a = m.devices[0]->memory().allocate(400, 64).value();
  for (int i = 0; i < 100; ++i) {
    const float value = static_cast<const float*>(a.address())[i];
    EXPECT_NE(value, value);
  }
  m.devices[0]->memory().deallocate(a);
}
#endif

TEST(cpu, a_wide_body_has_all_lanes_on_a_virtual_clock) {
  machine m(*make_cpu_backend(), "lanes=4,flops=1G,launch=1us");
  EXPECT_EQ(m.time_of(m.devices[0]->compute(0), costing({4e6, 0})), microseconds(4001));
  EXPECT_EQ(m.time_of(m.devices[0]->compute(0), costing({4e6, 0}, body_width::wide)),
            microseconds(1001));
}

TEST(prediction, does_not_overflow) {
  device_info info;
  EXPECT_GT(predicted_launch(info, {1e300, 1e300}, body_width::serial).count(), 0);
  EXPECT_EQ(predicted_launch(info, {}, body_width::serial).count(), 0);
  EXPECT_EQ(time_for(1, 1e-18), longest_time);
  EXPECT_EQ(limited_time(std::numeric_limits<double>::quiet_NaN()), longest_time);
  EXPECT_EQ(limited_time(1.5), nanoseconds(2));
}

}  // namespace
}  // namespace hocket::testing
