// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

// Messages of a runtime with a plan, and plans that it refuses.

#include <cstdlib>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <hocket/devices/host_device.hpp>

#include "rounds.hpp"
#include "runtime/runtime_core.hpp"

namespace hocket {
namespace {

using std::chrono::milliseconds;
using ::testing::AllOf;
using ::testing::Each;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::options_at;
using testing::run_rounds;
using testing::scale;
using testing::virtual_sim;

std::string refusal(const runtime_options& options) {
  try {
    runtime rt(options);
    (void)rt.devices();
  } catch (const usage_error& thrown) {
    return thrown.what();
  }
  ADD_FAILURE() << "It is taken.";
  return {};
}

std::string refusal(const char* plan) { return refusal(options_at(virtual_sim, plan)); }

TEST(FaultInjection, NamesTheDevicesThereAre) {
  EXPECT_THAT(refusal("fail Sim0 launch 1; lose Sim7 launch 17"),
              AllOf(HasSubstr("\"lose Sim7 launch 17\""), HasSubstr("\"Sim7\""),
                    HasSubstr("NUMA0, Sim0, Sim1")));
}

TEST(FaultInjection, LosesNoHost) {
  EXPECT_THAT(refusal("lose NUMA0 launch 1"), AllOf(HasSubstr("NUMA0"), HasSubstr("lost")));
  runtime_options host = options_at(virtual_sim, "lose * launch 1");
  host.devices = "NUMA0";
  EXPECT_THAT(refusal(host), HasSubstr("cannot be lost"));
}

TEST(FaultInjection, RefusesCallsThatADeviceNeverMakes) {
  EXPECT_THAT(refusal("fail NUMA0 copy-in 1"), AllOf(HasSubstr("NUMA0"), HasSubstr("no copies")));
  EXPECT_FALSE(runtime(options_at(virtual_sim, "fail NUMA0 allocation 9")).devices().empty());
}

TEST(FaultInjection, RefusesTasksInPlace) {
  runtime_options alone = options_at(virtual_sim, "fail * launch 1");
  alone.devices = "NUMA0";
  alone.data_tasks = data_path::in_place;
  EXPECT_THAT(refusal(alone), HasSubstr("no plan of faults"));
}

TEST(FaultInjection, PlacesTasksOnTheHostAlone) {
  runtime_options alone = options_at(testing::fault_places[1], "fail * launch 2");
  alone.devices = "NUMA0";
  runtime rt(alone);
  const buffer<float> x{rt, 10, 1.0F};
  const future<void> failing = rt.submit(scale, 2.0F, updates(x));
  EXPECT_THAT(failing.error().message(), HasSubstr("launch 2 fails"));
}

TEST(FaultInjection, ReadsThePlanOfTheEnvironmentWhereTheOptionsHaveNone) {
  ASSERT_EQ(setenv("HOCKET_FAULTS", "fail Sim9 launch 1", 1), 0);
  const std::string from_environment = refusal(options_at(virtual_sim, {}));
  const std::string from_options = refusal("fail Sim8 launch 1");
  ASSERT_EQ(setenv("HOCKET_FAULTS", "fail Sim0 launch", 1), 0);
  const std::string wrong = refusal(options_at(virtual_sim, {}));
  ASSERT_EQ(unsetenv("HOCKET_FAULTS"), 0);
  EXPECT_THAT(from_environment, AllOf(HasSubstr("HOCKET_FAULTS"), HasSubstr("Sim9")));
  EXPECT_THAT(from_options, AllOf(HasSubstr("runtime_options::faults"), HasSubstr("Sim8")));
  EXPECT_THAT(wrong, HasSubstr("HOCKET_FAULTS, rule 1"));
}

TEST(FaultInjection, SaysOnceThatFaultsAreInjectedAndWhichRulesWereNotMet) {
  ::testing::internal::CaptureStderr();
  {
    runtime rt(options_at(virtual_sim, "fail Sim0 launch 100; delay Sim0 launch 1 by 1ms"));
    (void)run_rounds(rt, "Sim0");
    (void)rt.devices();
  }
  const std::string said = ::testing::internal::GetCapturedStderr();
  EXPECT_THAT(said, HasSubstr("faults are injected by 2 rules of runtime_options::faults"));
  EXPECT_EQ(said.find("are injected"), said.rfind("are injected"));
  EXPECT_THAT(said, HasSubstr("\"fail Sim0 launch 100\" was met by no call"));
  EXPECT_THAT(said, Not(HasSubstr("\"delay Sim0 launch 1 by 1ms\" was met")));
}

TEST(FaultInjection, IsInTheSummary) {
  runtime rt(options_at(virtual_sim, "delay Sim0 launch 1..2 by 1ms"));
  (void)run_rounds(rt, "Sim0");
  EXPECT_THAT(summary(rt.report()), HasSubstr("faults injected: 2 delayed"));
}

TEST(FaultInjection, WrapsNoDeviceWithoutAPlan) {
  runtime rt(options_at(virtual_sim, "seed 3"));
  detail::device_set& machine = rt.core()->connection().machine();
  for (std::size_t i = 0; i < rt.devices().size(); ++i) {
    EXPECT_NE(dynamic_cast<host_device*>(&machine.at(device_id{i})), nullptr);
  }
  EXPECT_EQ(rt.core()->connection().faults(), nullptr);
}

TEST(FaultInjection, DelaysByExactlyTheTimeOnAVirtualClock) {
  const auto makespan = [](fault_plan plan) {
    runtime rt(options_at(virtual_sim, std::move(plan)));
    const buffer<float> x{rt, 1000};
    rt.submit({.on = rt.device("Sim0")}, ops::fill, 1.0F, writes(x));
    rt.submit({.on = rt.device("Sim0")}, scale, 2.0F, updates(x));
    EXPECT_THAT(x.to_vector(), Each(2.0F));
    return rt.now();
  };
  const time_stamp plain = makespan({});
  EXPECT_EQ(makespan("delay Sim0 launch 2 by 7ms"), plain + milliseconds(7));
  EXPECT_EQ(makespan("delay Sim0 launch 1..2 by 7ms; delay Sim0 copy-out 1 by 2ms"),
            plain + milliseconds(16));
}

TEST(FaultInjection, LosesADeviceAtATime) {
  runtime_options options = options_at(virtual_sim, "lose Sim1 after 3ms");
  options.resilience = resilience_kind::survive;
  runtime rt(options);
  const buffer<float> x{rt, 1000, 1.0F};
  const device_handle on = rt.device("Sim1");
  rt.submit({.on = on}, scale, 2.0F, updates(x)).get();
  EXPECT_TRUE(rt.report().devices[2].alive);
  EXPECT_LT(rt.now(), milliseconds(3));
  while (rt.now() < milliseconds(4)) rt.submit({.on = on}, scale, 1.0F, updates(x)).get();
  EXPECT_FALSE(rt.report().devices[2].alive);
  EXPECT_THAT(x.to_vector(), Each(2.0F));
  EXPECT_EQ(to_string(rt.report().faults), "1 lost");
}

TEST(FaultInjection, LosesADeviceWhileOthersAreConnected) {
  for (const char* when : {"0s", "1us", "100us", "1ms"}) {
    runtime_options options =
        options_at(testing::fault_places[1], std::string("lose Sim1 after ") + when);
    options.resilience = resilience_kind::survive;
    runtime rt(options);
    const buffer<float> x{rt, 1000, 1.0F};
    while (rt.report().devices[2].alive) std::this_thread::sleep_for(milliseconds(1));
    rt.submit(scale, 2.0F, updates(x)).get();
    EXPECT_THAT(x.to_vector(), Each(2.0F));
  }
}

TEST(FaultInjection, GivesTheSameResultsForTheSameSeed) {
  const auto corrupted = [](std::uint64_t seed) {
    runtime rt(options_at(virtual_sim, "corrupt Sim0 launch 30%; seed " + std::to_string(seed)));
    return run_rounds(rt, "Sim0");
  };
  const std::vector<float> once = corrupted(1);
  EXPECT_EQ(corrupted(1), once);
  EXPECT_NE(corrupted(2), once);
}

TEST(FaultInjection, LetsATaskThatHangsRunOutOfTime) {
  runtime rt(options_at(virtual_sim, "hang Sim0 launch 1"));
  const buffer<float> x{rt, 1000};
  const future<void> hangs =
      rt.submit({.on = rt.device("Sim0"), .timeout = milliseconds(5)}, ops::fill, 1.0F, writes(x));
  EXPECT_EQ(hangs.error().code(), failure_code::timed_out);
}

}  // namespace
}  // namespace hocket
