// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "device_rules.hpp"

namespace hocket::faults {
namespace {

using std::chrono::milliseconds;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// The numbers of those of so many calls that a plan meets.
std::vector<int> met(const fault_plan& plan, std::string device, int calls = 12,
                     fault_call call = fault_call::launch) {
  tally counts(plan.rules().size());
  device_rules rules(plan, counts, std::move(device), true);
  std::vector<int> all;
  for (int i = 1; i <= calls; ++i) {
    if (rules.next({&call, 1}, milliseconds(i))) all.push_back(i);
  }
  EXPECT_EQ(counts.counts().failed, all.size());
  return all;
}

TEST(DeviceRules, CountTheCallsOfADevice) {
  const fault_plan plan("fail Sim0 launch 3; fail * launch 5..7; fail Sim1 launch 11..");
  EXPECT_THAT(met(plan, "Sim0"), ElementsAre(3, 5, 6, 7));
  EXPECT_THAT(met(plan, "Sim1"), ElementsAre(5, 6, 7, 11, 12));
  EXPECT_THAT(met(plan, "Sim2"), ElementsAre(5, 6, 7));
  EXPECT_THAT(met(plan, "Sim0", 12, fault_call::copy), IsEmpty());
}

TEST(DeviceRules, MeetTheFirstCallAfterATime) {
  EXPECT_THAT(met("fail * launch after 4ms", "Sim0"), ElementsAre(4));
  EXPECT_THAT(met("fail * launch after 1s", "Sim0"), IsEmpty());
}

TEST(DeviceRules, DrawTheSameForTheSameSeedDeviceAndCall) {
  const fault_plan plan("seed 5; fail * launch 10%");
  const std::vector<int> once = met(plan, "Sim0", 2000);
  EXPECT_GT(once.size(), 150U);
  EXPECT_LT(once.size(), 250U);
  EXPECT_EQ(met(plan, "Sim0", 2000), once);
  EXPECT_NE(met(plan, "Sim1", 2000), once);
  EXPECT_NE(met("seed 6; fail * launch 10%", "Sim0", 2000), once);
  EXPECT_EQ(met("fail * launch 100%", "Sim0", 5).size(), 5U);
}

TEST(DeviceRules, LetTheFirstRuleActAndCountEachKind) {
  const fault_plan plan("fail * wait 2; delay * launch 2..3 by 1ms");
  tally counts(2);
  device_rules rules(plan, counts, "Sim0", true);
  const fault_call both[] = {fault_call::launch, fault_call::wait};
  EXPECT_FALSE(rules.next(both, {}));
  EXPECT_EQ(rules.next(both, {})->action, fault_action::fail);
  EXPECT_EQ(rules.next(both, {})->action, fault_action::delay);
  EXPECT_TRUE(counts.has_met(0));
  EXPECT_TRUE(counts.has_met(1));
}

TEST(DeviceRules, SayWhichRuleWasMetWhere) {
  const fault_plan plan("fail * launch 1; fail * compile 2; hang * launch 3; lose * launch 4");
  tally counts(4);
  device_rules rules(plan, counts, "Sim0", true);
  const fault_call calls[] = {fault_call::launch, fault_call::compile};
  const auto why = [&] { return rules.next(calls, {})->why; };
  const failure failed = why(), not_compiled = why(), hung = why(), lost = why();
  EXPECT_THAT(failed.message(), AllOf(HasSubstr("Device \"Sim0\": launch 1 fails"),
                                      HasSubstr("\"fail * launch 1\"")));
  EXPECT_EQ(failed.code(), failure_code::task_failed);
  EXPECT_EQ(not_compiled.code(), failure_code::compile_failed);
  EXPECT_EQ(hung.code(), failure_code::cancelled);
  EXPECT_EQ(lost.code(), failure_code::device_lost);
  EXPECT_EQ(counts.counts().lost, 0U) << "counted where the device is lost";
}

TEST(DeviceRules, LoseNoDeviceThatCannotBeLost) {
  const fault_plan plan("lose * launch 1; lose * after 2ms");
  tally counts(2);
  device_rules host(plan, counts, "NUMA0", false), other(plan, counts, "Sim0", true);
  const fault_call call = fault_call::launch;
  EXPECT_FALSE(host.next({&call, 1}, {}));
  EXPECT_THAT(host.timed_losses(), IsEmpty());
  EXPECT_TRUE(other.next({&call, 1}, {}));
  ASSERT_EQ(other.timed_losses().size(), 1U);
  EXPECT_EQ(other.timed_losses().front().after, milliseconds(2));
}

TEST(DeviceRules, TakeTheFirstLaunchOfAKernelWithATextForItsCompilation) {
  const fault_plan plan;
  tally counts(0);
  device_rules rules(plan, counts, "Sim0", true);
  auto made = std::make_shared<kernel_definition>();
  EXPECT_FALSE(rules.is_first_launch(made));
  made->sources.emplace_back();
  EXPECT_TRUE(rules.is_first_launch(made));
  EXPECT_FALSE(rules.is_first_launch(made));
  rules.forget(made);
  EXPECT_TRUE(rules.is_first_launch(made));
}

}  // namespace
}  // namespace hocket::faults
