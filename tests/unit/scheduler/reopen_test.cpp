// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

// Devices that were lost or removed are connected again: simulated ones.

#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "resilient_runtimes.hpp"

namespace hocket {
namespace {

using std::chrono::microseconds;
using ::testing::Each;
using ::testing::HasSubstr;

class reopened : public resilience, public ::testing::WithParamInterface<resilience_kind> {
 protected:
  reopened() : resilience(options()) {}

  [[nodiscard]] static runtime_options options() {
    runtime_options made = surviving();
    made.resilience = GetParam();
    return made;
  }
  [[nodiscard]] device_state state() { return rt.report().devices[1].state; }
};

TEST_P(reopened, devices_are_used_as_before) {
  const buffer<float> x{rt, tile_size, 0.0F}, y{rt, tile_size, 0.0F}, z{rt, tile_size, 0.0F};
  rt.wait();
  for (int round = 0; round < 3; ++round) {
    for (int i = 0; i < 5; ++i) rt.submit(on("Sim0"), add_one, updates(y));
    rt.submit(on("Sim0"), add_one, updates(z));
    rt.wait();
    EXPECT_THAT(y.to_vector(), Each(static_cast<float>(5 * (round + 1))));
    lose("Sim0");
    EXPECT_EQ(state(), device_state::lost);
    rt.reopen(rt.device("Sim0"));
    EXPECT_EQ(state(), device_state::in_use);
    EXPECT_EQ(rt.report().devices[1].used_bytes, 0U);
    if (GetParam() == resilience_kind::none) {
      EXPECT_EQ(rt.submit(add_one, updates(z)).error().code(), failure_code::dependency_failed);
      rt.submit(ops::fill, 0.0F, writes(z));
    }
    rt.submit(ops::fill, static_cast<float>(round), writes(x));
    rt.submit(on("Sim0"), add_one, updates(x)).get();
    EXPECT_THAT(x.to_vector(), Each(static_cast<float>(round + 1)));
  }
}

TEST_P(reopened, devices_may_be_lost_at_work_and_take_their_part_again) {
  std::vector<buffer<float>> tiles;
  for (int i = 0; i < 30; ++i) tiles.emplace_back(rt, std::array{tile_size}, 0.0F);
  rt.wait();
  for (const buffer<float>& each : tiles) rt.submit(add_one, updates(each));
  testing::pass(rt, microseconds(500));
  lose("Sim0");
  rt.reopen(rt.device("Sim0"));
  const std::uint64_t before = kernels_on(1);
  for (const buffer<float>& each : tiles) rt.submit(ops::fill, 2.0F, writes(each));
  for (const buffer<float>& each : tiles) rt.submit(add_one, updates(each));
  for (const buffer<float>& each : tiles) EXPECT_THAT(each.to_vector(), Each(3.0F));
  EXPECT_GT(kernels_on(1), before);
  try {
    rt.wait();
  } catch (const error& e) {
    EXPECT_EQ(GetParam(), resilience_kind::none) << e.what();
  }
}

TEST_P(reopened, devices_may_have_been_drained_and_removed) {
  const buffer<float> x{rt, tile_size, 0.0F};
  rt.submit(on("Sim0"), add_one, updates(x)).get();
  rt.drain(rt.device("Sim0")).get();
  rt.remove(rt.device("Sim0"));
  EXPECT_EQ(state(), device_state::removed);
  EXPECT_THAT(x.to_vector(), Each(1.0F));
  rt.submit(add_one, updates(x)).get();
  const future<void> named = rt.submit(on("Sim0"), add_one, updates(x));
  if (GetParam() == resilience_kind::survive) {
    named.get();
  } else {
    EXPECT_THAT(named.error().message(), HasSubstr("runtime::remove was called"));
    rt.submit(ops::fill, 3.0F, writes(x));
  }
  rt.reopen(rt.device("Sim0"));
  rt.submit(on("Sim0"), add_one, updates(x)).get();
  EXPECT_THAT(x.to_vector(), Each(4.0F));
}

TEST_P(reopened, devices_may_be_removed_when_they_are_lost) {
  const buffer<float> x{rt, tile_size, 0.0F};
  rt.wait();
  lose("Sim0");
  rt.remove(rt.device("Sim0"));
  rt.remove(rt.device("Sim0"));
  EXPECT_EQ(state(), device_state::removed);
  rt.reopen(rt.device("Sim0"));
  rt.submit(ops::fill, 1.0F, writes(x));
  rt.submit(on("Sim0"), add_one, updates(x)).get();
  EXPECT_THAT(x.to_vector(), Each(2.0F));
}

TEST_P(reopened, devices_have_to_be_lost_or_removed_before) {
  EXPECT_THAT(testing::thrown_by<usage_error>([&] { rt.reopen(rt.device("Sim0")); }).what(),
              HasSubstr("Sim0 is in use; only a device that is lost or removed"));
  EXPECT_THAT(testing::thrown_by<usage_error>([&] { rt.remove(rt.device("Sim0")); }).what(),
              HasSubstr("only a device that is drained or lost can be removed"));
  EXPECT_THROW(rt.remove(rt.device("NUMA0")), usage_error);
  EXPECT_THROW(rt.reopen(rt.device("NUMA0")), usage_error);
  rt.drain(rt.device("Sim0")).get();
  EXPECT_THROW(rt.reopen(rt.device("Sim0")), usage_error);
}

INSTANTIATE_TEST_SUITE_P(, reopened,
                         ::testing::Values(resilience_kind::none, resilience_kind::survive));

TEST(reopened_with_faults, devices_are_refused) {
  runtime_options options = surviving();
  options.faults = std::string("lose Sim0 launch 1");
  runtime rt(options);
  const buffer<float> x{rt, tile_size, 0.0F};
  rt.submit({.on = rt.device("Sim0")}, add_one, updates(x)).get();
  EXPECT_THAT(testing::thrown_by<usage_error>([&] { rt.reopen(rt.device("Sim0")); }).what(),
              HasSubstr("plan of faults"));
}

TEST(reopened_over_threads, devices_serve_threads_that_wait_meanwhile) {
  runtime_options options = surviving();
  options.clock = clock_kind::real;
  runtime rt(options);
  const device_handle sim = rt.device("Sim0");
  std::atomic<bool> ended{false};
  std::vector<std::thread> threads;
  std::vector<buffer<float>> sums;
  for (int i = 0; i < 3; ++i) sums.emplace_back(rt, std::array{tile_size}, 0.0F);
  std::vector<int> added(3, 0);
  for (std::size_t i = 0; i < 3; ++i) {
    threads.emplace_back([&, i] {
      for (; !ended; ++added[i]) rt.submit({.on = sim}, add_one, updates(sums[i])).get();
    });
  }
  for (int round = 0; round < 20; ++round) {
    auto& device = rt.core()->connection().machine().at(sim.id);
    device.lose({failure_code::device_lost, "It is gone."});
    while (rt.report().devices[sim.id.value].alive) std::this_thread::yield();
    rt.reopen(sim);
  }
  ended = true;
  for (std::thread& each : threads) each.join();
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_THAT(sums[i].to_vector(), Each(static_cast<float>(added[i])));
  }
}

}  // namespace
}  // namespace hocket
