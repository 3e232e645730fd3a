// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "placement/cost_model.hpp"
#include "placement/time_counts.hpp"

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
    definition.host = [](const hocket::host_launch&) {};
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

TEST(CostModel, PredictsNoMoreThanTheLongestTime) {
  machine slow = one_device();
  slow.devices[0].flops_per_second = 1e-18;
  slow.devices[0].bytes_per_second = 1e-300;
  cost_model model(slow);
  const device_id device{0};
  EXPECT_EQ(model.predict(launch_of("k", 1), device), hocket::longest_time);
  EXPECT_EQ(model.speed_of(launch_of("k", 0), device).time_of({0, 0}), 2000);
  for (int i = 0; i < 100; ++i) model.measured(launch_of("k", 1), device, nanoseconds::max());
  EXPECT_EQ(model.predict(launch_of("k", 1), device), hocket::longest_time);
}

TEST(TimeSum, OfVeryManyLongTimesIsExact) {
  hocket::placement::time_sum sum;
  sum.add(5ns);
  for (int i = 0; i < 1000; ++i) sum.add(hocket::longest_time);
  EXPECT_EQ(sum.value(), hocket::placement::longest_sum);
  for (int i = 0; i < 1000; ++i) sum.take_away(hocket::longest_time);
  EXPECT_EQ(sum.value(), 5ns);
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

machine two_devices() {
  machine made = one_device();
  made.devices[0].formats = {hocket::kernel_format::host};
  made.devices.push_back(made.devices.front());
  return made;
}

/// Two devices of which the second was slow when it was measured.
class slow_device : public ::testing::Test {
 protected:
  slow_device() {
    for (int i = 0; i < 4; ++i) {
      model_.measured(task_, fast_, 1ms);
      model_.measured(task_, slow_, 8ms);
    }
  }

  /// Work of the fast device until the other one is tried, at most so much.
  nanoseconds work_until_trial(nanoseconds most = std::chrono::hours(1)) {
    nanoseconds done{0};
    while (!is_tried() && done < most) {
      model_.measured(task_, fast_, 1ms);
      done += 1ms;
    }
    return done;
  }
  [[nodiscard]] bool is_tried() const { return slow() < fast(); }
  [[nodiscard]] nanoseconds fast() const { return model_.predict(task_, fast_); }
  [[nodiscard]] nanoseconds slow() const { return model_.predict(task_, slow_); }

  const machine machine_ = two_devices();
  cost_model model_{machine_};
  const launch_of task_{"k", 1e6};
  const device_id fast_{0}, slow_{1};
};

TEST_F(slow_device, is_tried_when_a_trial_costs_little) {
  ASSERT_EQ(slow(), 8ms);
  const nanoseconds first = work_until_trial();
  // Three tasks that take 7 ms more each are one part in 128 of that, and a look is not taken
  // often.
  EXPECT_GE(first, 128 * 3 * 7ms);
  EXPECT_LT(first, 128 * 3 * 7ms * 5 / 4);
  EXPECT_EQ(fast(), 1ms);
  model_.measured(task_, slow_, 8ms);
  EXPECT_EQ(slow(), 8ms) << "as slow as before";
  EXPECT_GE(work_until_trial(), 128 * 3 * 7ms) << "the next trial comes no sooner";
}

TEST_F(slow_device, is_used_again_when_it_has_become_fast) {
  (void)work_until_trial();
  const std::uint64_t changes = model_.launch_changes(slow_);
  for (int i = 0; i < 8; ++i) {
    model_.measured(task_, slow_, 500us);
    EXPECT_EQ(slow(), 500us) << i;
  }
  EXPECT_GT(model_.launch_changes(slow_), changes) << "plans are made anew";
}

TEST_F(slow_device, is_left_again_after_one_fast_launch) {
  (void)work_until_trial();
  model_.measured(task_, slow_, 500us);
  EXPECT_EQ(slow(), 500us);
  model_.measured(task_, slow_, 8ms);
  EXPECT_EQ(slow(), 8ms);
}

TEST_F(slow_device, is_not_tried_where_it_has_no_body) {
  machine without = two_devices();
  without.devices[1].formats.clear();
  cost_model model(without);
  const launch_of task("k", 1e6);
  for (int i = 0; i < 4; ++i) model.measured(task, slow_, 8ms);
  for (int i = 0; i < 20'000; ++i) model.measured(task, fast_, 1ms);
  EXPECT_EQ(model.predict(task, slow_), 8ms);
}

TEST(CostModel, TriesADeviceWhoseRatesAreLow) {
  machine two = two_devices();
  two.devices[1].flops_per_second = 1e8;
  cost_model model(two);
  const launch_of task("k", 1e6);
  const device_id fast{0}, unknown{1};
  nanoseconds done{0};
  for (; model.predict(task, unknown) > 2ms && done < 1h; done += 1ms) {
    model.measured(task, fast, 1ms);
  }
  EXPECT_GT(done, 128 * 100ms) << "it may have to compile the kernel";
  EXPECT_LT(done, 30s);
  model.measured(task, unknown, 10ms);
  model.measured(task, unknown, 10ms);
  EXPECT_EQ(model.predict(task, unknown), 10ms);
}

}  // namespace
