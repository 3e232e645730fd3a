// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

// The streams of two devices with faults, without a runtime: commands that wait for one another.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <hocket/devices/fault_injector.hpp>
#include <hocket/devices/null.hpp>
#include <hocket/devices/sim.hpp>
#include <hocket/execution/seeded_executor.hpp>
#include <hocket/execution/tbb_executor.hpp>

#include "commands.hpp"
#include "recording_sink.hpp"

namespace hocket::testing {
namespace {

using std::chrono::milliseconds;
using ::testing::Each;
using ::testing::HasSubstr;

struct driver_kind {
  const char* name;
  std::unique_ptr<const backend> (*make)();
  const char* configuration;
  bool is_virtual;
};
void PrintTo(const driver_kind& kind, std::ostream* out) { *out << kind.name; }

std::unique_ptr<executor> executor_for(const driver_kind& kind) {
  if (kind.is_virtual) return std::make_unique<seeded_executor>();
  return std::make_unique<tbb_executor>(std::make_shared<const host_topology>());
}

class streams_with_faults : public ::testing::TestWithParam<driver_kind> {
 protected:
  static constexpr std::size_t size = 1000;

  void open(fault_plan plan) {
    where_ = executor_for(GetParam());
    found_devices found = GetParam().make()->find(*where_, GetParam().configuration);
    faults_ = std::make_unique<fault_injector>(std::move(plan));
    std::uint64_t next = 0;
    for (const auto& each : faults_->decorate(std::move(found.usable))) {
      device_numbers numbers;
      numbers.device = {devices_.size()};
      numbers.compute = {{next++}};
      numbers.inbound = {next++};
      numbers.outbound = {next++};
      devices_.push_back(each->connect(numbers, *where_, sink_).value());
    }
  }
  void TearDown() override {
    for (std::size_t d = 0; d < blocks_.size(); ++d) devices_[d]->memory().deallocate(blocks_[d]);
    devices_.clear();
  }

  [[nodiscard]] static std::string first_name() {
    return std::string(GetParam().name) == "null" ? "Null0" : "Sim0";
  }
  [[nodiscard]] device& at(std::size_t d) { return *devices_[d]; }
  [[nodiscard]] command_result end_of(timepoint last) {
    sink_.await(*where_, last.on->stream(), last.value);
    return sink_.result(last.on->stream(), last.value);
  }
  /// A block of each device.
  void make_blocks() {
    for (const auto& each : devices_) {
      blocks_.push_back(each->memory().allocate(size * sizeof(float), 64).value());
    }
  }
  [[nodiscard]] static copy_command copy(const allocation& from, const allocation& to) {
    return {from, to, {size}, sizeof(float), box::whole({size}), size * sizeof(float)};
  }
  [[nodiscard]] static allocation host(std::vector<float>& values) {
    return {values.data(), values.size() * sizeof(float)};
  }

  recording_sink sink_;
  submitter submit_;
  std::unique_ptr<executor> where_;
  std::unique_ptr<fault_injector> faults_;
  std::vector<std::unique_ptr<device>> devices_;
  std::vector<allocation> blocks_;
};

TEST_P(streams_with_faults, count_commands_that_wait) {
  open("fail " + first_name() + " wait 2");
  const timepoint before = submit_(at(1).compute(0), nothing());
  (void)submit_(at(0).compute(0), nothing());
  const timepoint first = submit_(at(0).compute(0), nothing(), {before});
  const timepoint second = submit_(at(0).compute(0), nothing(), {before});
  EXPECT_FALSE(end_of(first).why);
  EXPECT_THAT(end_of(second).why.message(), HasSubstr("wait 2 fails"));
  EXPECT_EQ(end_of(second).why.code(), failure_code::task_failed);
}

TEST_P(streams_with_faults, let_others_see_a_copy_when_it_is_corrupted) {
  open("corrupt " + first_name() + " copy-out 1..");
  make_blocks();
  for (int round = 0; round < 50; ++round) {
    std::vector<float> given(size, 1.0F), passed(size), seen(size);
    const timepoint in = submit_(at(0).inbound(), copy(host(given), blocks_[0]));
    const timepoint out = submit_(at(0).outbound(), copy(blocks_[0], host(passed)), {in});
    const timepoint on = submit_(at(1).inbound(), copy(host(passed), blocks_[1]), {out});
    const timepoint last = submit_(at(1).outbound(), copy(blocks_[1], host(seen)), {on});
    EXPECT_FALSE(end_of(last).why);
    EXPECT_NE(passed, given);
    EXPECT_EQ(seen, passed);
    (void)end_of(out);
  }
  EXPECT_EQ(faults_->counts().corrupted, 50U);
}

TEST_P(streams_with_faults, corrupt_a_copy_into_a_device_and_not_its_source) {
  open("corrupt " + first_name() + " copy-in 2");
  make_blocks();
  std::vector<float> given(size, 1.0F), seen(size);
  timepoint in;
  for (int i = 0; i < 2; ++i) in = submit_(at(0).inbound(), copy(host(given), blocks_[0]));
  EXPECT_FALSE(end_of(submit_(at(0).outbound(), copy(blocks_[0], host(seen)), {in})).why);
  EXPECT_THAT(given, Each(1.0F));
  EXPECT_NE(seen, given);
}

TEST_P(streams_with_faults, begin_a_delayed_command_when_it_could_and_that_much_later) {
  open("delay " + first_name() + " launch 2 by 3ms");
  const timepoint before = submit_(at(1).compute(0), nothing());
  (void)submit_(at(0).compute(0), nothing());
  const timepoint delayed = submit_(at(0).compute(0), nothing(), {before});
  const timepoint behind = submit_(at(0).compute(0), nothing());
  const timepoint other = submit_(at(1).compute(0), nothing(), {delayed});
  EXPECT_FALSE(end_of(other).why);
  EXPECT_GE(end_of(delayed).begin, end_of(before).end + milliseconds(3));
  EXPECT_GE(end_of(behind).begin, end_of(delayed).end);
  EXPECT_GE(end_of(other).begin, end_of(delayed).end);
}

TEST_P(streams_with_faults, let_commands_hang_until_they_are_released) {
  open("hang " + first_name() + " launch 1");
  const timepoint hangs = submit_(at(0).compute(0), nothing());
  const timepoint behind = submit_(at(0).compute(0), nothing());
  EXPECT_FALSE(end_of(submit_(at(1).compute(0), nothing())).why);
  EXPECT_TRUE(sink_.results(hangs.on->stream()).empty());
  faults_->release_hangs();
  EXPECT_EQ(end_of(hangs).why.code(), failure_code::cancelled);
  EXPECT_FALSE(end_of(behind).why);
}

TEST_P(streams_with_faults, drop_what_is_held_back_when_the_device_is_lost) {
  open("hang " + first_name() + " launch 1; lose " + first_name() + " copy 1");
  make_blocks();
  const timepoint hangs = submit_(at(0).compute(0), nothing());
  const timepoint waits = submit_(at(1).compute(0), nothing(), {hangs});
  std::vector<float> given(size);
  (void)submit_(at(0).inbound(), copy(host(given), blocks_[0]));
  sink_.await_loss(*where_, device_id{0});
  EXPECT_THAT(sink_.lost().at(device_id{0}).message(), HasSubstr("loses it"));
  EXPECT_EQ(end_of(waits).why.code(), failure_code::device_lost);
  faults_->release_hangs();
  EXPECT_TRUE(sink_.results(hangs.on->stream()).empty());
  EXPECT_EQ(to_string(faults_->counts()), "1 hung, 1 lost");
}

INSTANTIATE_TEST_SUITE_P(, streams_with_faults,
                         ::testing::Values(driver_kind{"virtual_sim", make_sim_backend, "2", true},
                                           driver_kind{"real_sim", make_sim_backend, "2", false},
                                           driver_kind{"null", make_null_backend, "devices=2",
                                                       false}),
                         [](const auto& each) { return std::string(each.param.name); });

}  // namespace
}  // namespace hocket::testing
