// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "placement/cost_model.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <optional>

using hocket::device_id;
using hocket::memory_id;
using hocket::nanoseconds;
using hocket::placement::cost_model;
using hocket::placement::machine;
using hocket::placement::recent_median;
using namespace std::chrono_literals;

namespace {

constexpr memory_id host{0};
constexpr memory_id own{1};

/// A device of 1 GFLOP/s a lane, two lanes, behind a link of 1 GB/s and 1 us.
machine one_device() {
  machine made;
  made.memories = {{"host", 1 << 30}, {"Sim0", 1 << 30}};
  machine::device_node node;
  node.name = "Sim0";
  node.memory = own;
  node.compute = {hocket::stream_id{0}, hocket::stream_id{1}};
  node.flops_per_second = 1e9;
  node.bytes_per_second = 1e9;
  node.launch_latency = 2us;
  made.devices = {node};
  made.streams = {{device_id{0}, 0}, {device_id{0}, 1}, {std::nullopt, 2}};
  const machine::link link{hocket::stream_id{2}, 1e9, 1us};
  made.links = {std::nullopt, link, link, std::nullopt};
  return made;
}

struct launch_of : hocket::launch_command {
  launch_of(const std::string& name, double flops) {
    hocket::kernel_definition definition;
    definition.name = name;
    kernel = std::make_shared<const hocket::kernel_definition>(std::move(definition));
    cost = {flops, 0};
  }
};

/// Costs that another process has measured of kernels "k" on the first device, and of copies to it.
class told_costs final : public hocket::placement::kept_costs {
 public:
  std::vector<hocket::placement::kept_launch> of_kernel(const hocket::kernel_definition& kernel,
                                                        device_id device) override {
    ++questions;
    if (kernel.name != "k" || device != device_id{0}) return {};
    return {{{1e6, 0}, false, 5ms}, {{1e9, 0}, false, 7s}};
  }
  std::vector<hocket::placement::kept_copy> of_copies() override {
    ++questions;
    return {{host, own, 4096, 10us}};
  }

  int questions = 0;
};

TEST(RecentMedian, IsTheLowerMiddleOfTheLastFifteen) {
  recent_median median;
  median.add(4);
  EXPECT_EQ(median.value(), 4);
  median.add(1000);
  EXPECT_EQ(median.value(), 4);
  median.add(5);
  EXPECT_EQ(median.value(), 5);
  for (int i = 0; i < 12; ++i) median.add(6);
  EXPECT_EQ(median.value(), 6);
  for (int i = 0; i < 8; ++i) median.add(7);  // now seven sixes are left
  EXPECT_EQ(median.value(), 7);
}

TEST(RecentMedian, TakesSomeOfManySamplesOnceThereAreEnough) {
  recent_median median;
  for (int i = 0; i < 15; ++i) median.add_some(4);
  for (int i = 0; i < 7 * 4; ++i) median.add_some(5);
  EXPECT_EQ(median.value(), 4);
  for (int i = 0; i < 4; ++i) median.add_some(5);
  EXPECT_EQ(median.value(), 5);
}

TEST(CostModel, BelievesTheRatesUntilSomethingWasMeasured) {
  const machine m = one_device();
  cost_model model(m);
  const launch_of task("k", 1e6);
  EXPECT_EQ(model.predict(task, device_id{0}), nanoseconds(2us + 1ms));
  launch_of wide("k", 1e6);
  wide.width = hocket::body_width::wide;
  EXPECT_EQ(model.predict(wide, device_id{0}), nanoseconds(2us + 500us));

  model.measured(task, device_id{0}, 7ms);
  model.measured(task, device_id{0}, 7ms);
  EXPECT_EQ(model.predict(task, device_id{0}), nanoseconds(7ms));
  EXPECT_EQ(model.predict(launch_of("other", 1e6), device_id{0}), nanoseconds(2us + 1ms));
}

// The first launch may have compiled the kernel.
TEST(CostModel, DoesNotBelieveThatAKernelIsSlowAfterItsFirstLaunch) {
  const machine m = one_device();
  cost_model model(m);
  const launch_of task("k", 1e6);
  model.measured(task, device_id{0}, 501ms);
  EXPECT_EQ(model.predict(task, device_id{0}), nanoseconds(2us + 1ms));
  model.measured(task, device_id{0}, 501us);
  EXPECT_EQ(model.predict(task, device_id{0}), nanoseconds(501us));
}

TEST(CostModel, BelievesThatAKernelIsFastAfterItsFirstLaunch) {
  const machine m = one_device();
  cost_model model(m);
  const launch_of task("k", 1e6);
  model.measured(task, device_id{0}, 501us);
  EXPECT_EQ(model.predict(task, device_id{0}), nanoseconds(501us));
}

TEST(CostModel, TakesTheNearestSizeOfTheKernelForOneThatWasNotMeasured) {
  const machine m = one_device();
  cost_model model(m);
  for (int i = 0; i < 2; ++i) {
    model.measured(launch_of("k", 1e6), device_id{0}, nanoseconds(2 * (2us + 1ms)));
    model.measured(launch_of("k", 1e9), device_id{0}, nanoseconds(3 * (2us + 1s)));
  }
  EXPECT_EQ(model.predict(launch_of("k", 1e5), device_id{0}), nanoseconds(2 * (2us + 100us)));
  EXPECT_EQ(model.predict(launch_of("k", 4e6), device_id{0}), nanoseconds(2 * (2us + 4ms)));
  EXPECT_EQ(model.predict(launch_of("k", 4e8), device_id{0}), nanoseconds(3 * (2us + 400ms)));
  EXPECT_EQ(model.predict(launch_of("k", 8e9), device_id{0}), nanoseconds(3 * (2us + 8s)));
  EXPECT_EQ(model.predict(launch_of("j", 4e6), device_id{0}), nanoseconds(2us + 4ms));
}

TEST(CostModel, ForgetsWhatWasBeforeADeviceGotSlower) {
  const machine m = one_device();
  cost_model model(m);
  const launch_of task("k", 1e6);
  for (int i = 0; i < 15; ++i) model.measured(task, device_id{0}, 1ms);
  model.measured(task, device_id{0}, 4ms);
  model.measured(task, device_id{0}, 4ms);
  EXPECT_EQ(model.predict(task, device_id{0}), nanoseconds(1ms)) << "two may be outliers";
  model.measured(task, device_id{0}, 4ms);
  EXPECT_EQ(model.predict(task, device_id{0}), nanoseconds(4ms));
}

TEST(CostModel, ScalesCopiesByWhatWasMeasuredOnTheirLink) {
  const machine m = one_device();
  cost_model model(m);
  EXPECT_EQ(model.copies().predict(host, own, 4000), nanoseconds(5us));

  model.copies().measured(host, own, 4000, 10us);  // twice what the rates say
  EXPECT_EQ(model.copies().predict(host, own, 4000), nanoseconds(10us));
  EXPECT_EQ(model.copies().predict(host, own, 3000), nanoseconds(8us));
  EXPECT_EQ(model.copies().predict(host, own, 1 << 20), nanoseconds(1us + 1048576ns));
  EXPECT_EQ(model.copies().predict(own, host, 4000), nanoseconds(5us));
}

TEST(CostModel, BelievesWhatAnotherProcessHasMeasured) {
  const machine m = one_device();
  told_costs kept;
  cost_model model(m, &kept);
  EXPECT_EQ(kept.questions, 0) << "nothing is read before something is to be known";
  EXPECT_EQ(model.predict(launch_of("k", 1e6), device_id{0}), nanoseconds(5ms));
  EXPECT_NE(model.estimate_of(launch_of("k", 1e6), device_id{0}).known, nullptr);
  EXPECT_TRUE(model.knows(launch_of("k", 1e9), device_id{0}));
  EXPECT_NEAR(static_cast<double>(model.predict(launch_of("k", 5e8), device_id{0}).count()), 3.5e9,
              1e6)
      << "as the nearest size";
  EXPECT_EQ(model.predict(launch_of("j", 1e6), device_id{0}), nanoseconds(2us + 1ms));
  EXPECT_EQ(model.predict(launch_of("j", 1e6), device_id{0}), nanoseconds(2us + 1ms));
  EXPECT_EQ(kept.questions, 2) << "once for each kernel";
  EXPECT_EQ(model.copies().predict(host, own, 4096), nanoseconds(10us));
  EXPECT_EQ(model.copies().predict(own, host, 4096), nanoseconds(1us + 4096ns));
  EXPECT_EQ(model.copies().predict(own, host, 1 << 20), nanoseconds(1us + 1048576ns));
  EXPECT_EQ(kept.questions, 3);
}

TEST(CostModel, BelievesTwoMeasurementsMoreThanAnotherProcess) {
  const machine m = one_device();
  told_costs kept;
  cost_model model(m, &kept);
  const launch_of task("k", 1e6);
  model.measured(task, device_id{0}, 500ms, model.estimate_of(task, device_id{0}));
  EXPECT_EQ(model.predict(task, device_id{0}), nanoseconds(5ms)) << "the first one may be slow";
  model.measured(task, device_id{0}, 20ms);
  EXPECT_EQ(model.predict(task, device_id{0}), nanoseconds(20ms));
  for (int i = 0; i < 2; ++i) model.copies().measured(host, own, 4096, 40us);
  EXPECT_EQ(model.copies().predict(host, own, 4096), nanoseconds(40us));
}

TEST(CostModel, TellsOtherProcessesWhatWasMeasuredTwice) {
  const machine m = one_device();
  told_costs kept;
  cost_model model(m, &kept);
  EXPECT_EQ(model.predict(launch_of("k", 1e6), device_id{0}), nanoseconds(5ms));
  EXPECT_EQ(model.copies().predict(host, own, 4096), nanoseconds(10us));
  model.measured(launch_of("k", 1e6), device_id{0}, 1ms);
  model.copies().measured(host, own, 4096, 10us);
  EXPECT_TRUE(model.learned().launches.empty());
  EXPECT_TRUE(model.learned().copies.empty());
  for (int i = 0; i < 2; ++i) model.measured(launch_of("j", 3e6), device_id{0}, 4ms);
  for (int i = 0; i < 2; ++i) model.copies().measured(own, host, 5000, 9us);
  const hocket::placement::measured_costs learned = model.learned();
  ASSERT_EQ(learned.launches.size(), 1U);
  EXPECT_EQ(learned.launches[0].kernel, "j");
  EXPECT_EQ(learned.launches[0].took.done, (hocket::launch_work{3e6, 0}));
  EXPECT_EQ(learned.launches[0].took.time, nanoseconds(4ms));
  ASSERT_EQ(learned.copies.size(), 1U);
  EXPECT_EQ(learned.copies[0].bytes, 4096U) << "the size that others of its class are known by";
  EXPECT_NEAR(static_cast<double>(learned.copies[0].time.count()), 9e3 * 5096 / 6000, 1);
}

}  // namespace
