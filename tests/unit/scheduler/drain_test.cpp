// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

// Devices are taken out of use and back into it: on simulated devices and the virtual clock.

#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "resilient_runtimes.hpp"

namespace hocket {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;
using ::testing::AllOf;
using ::testing::Each;
using ::testing::HasSubstr;

class draining : public resilience {
 protected:
  explicit draining(const runtime_options& options = without_survive()) : resilience(options) {}

  [[nodiscard]] static runtime_options without_survive() {
    runtime_options made = surviving();
    made.resilience = resilience_kind::none;
    return made;
  }
  [[nodiscard]] const device_report& report_of(const char* name) {
    report_ = rt.report();
    return report_.devices[rt.device(name).id.value];
  }
  [[nodiscard]] device_state state_of(const char* name) { return report_of(name).state; }

 private:
  runtime_report report_;
};

TEST_F(draining, moves_content_to_the_host) {
  const buffer<float> x{rt, tile_size, 0.0F}, y{rt, tile_size, 0.0F};
  rt.submit(on("Sim0"), add_one, updates(x));
  rt.submit(on("Sim0"), add_one, updates(y.rows(0, 50)));
  rt.wait();
  EXPECT_GT(report_of("Sim0").used_bytes, 0U);
  rt.drain(rt.device("Sim0")).get();
  EXPECT_EQ(state_of("Sim0"), device_state::drained);
  EXPECT_EQ(report_of("Sim0").used_bytes, 0U);
  EXPECT_THAT(x.to_vector(), Each(1.0F));
  EXPECT_EQ(y.to_vector()[49], 1.0F);
  EXPECT_EQ(y.to_vector()[50], 0.0F);
}

TEST_F(draining, lets_tasks_end_that_were_issued_and_places_the_others_elsewhere) {
  const buffer<float> x{rt, tile_size, 0.0F};
  rt.submit(on("Sim0"), add_one, updates(x)).get();
  const std::uint64_t before = report_of("Sim0").kernels;
  std::vector<buffer<float>> tiles;
  for (int i = 0; i < 40; ++i) {
    tiles.emplace_back(rt, std::array{tile_size}, 0.0F);
    rt.submit(add_one, updates(tiles.back()));
  }
  testing::pass(rt, microseconds(300));
  const future<void> drained = rt.drain(rt.device("Sim0"));
  EXPECT_FALSE(drained.done());
  EXPECT_EQ(state_of("Sim0"), device_state::draining);
  drained.get();
  const std::uint64_t ran = report_of("Sim0").kernels;
  EXPECT_GT(ran, before);
  rt.wait();
  for (int i = 0; i < 20; ++i) rt.submit(add_one, updates(tiles[0]));
  rt.wait();
  EXPECT_EQ(report_of("Sim0").kernels, ran) << "it is not used";
  EXPECT_THAT(tiles[0].to_vector(), Each(21.0F));
  for (std::size_t i = 1; i < tiles.size(); ++i) EXPECT_THAT(tiles[i].to_vector(), Each(1.0F));
  rt.resume(rt.device("Sim0"));
  EXPECT_EQ(state_of("Sim0"), device_state::in_use);
  for (const buffer<float>& each : tiles) rt.submit(add_one, updates(each));
  rt.wait();
  EXPECT_GT(report_of("Sim0").kernels, ran);
}

TEST_F(draining, keeps_tasks_that_only_that_device_can_run_until_it_is_resumed) {
  const buffer<float> x{rt, tile_size, 0.0F};
  rt.drain(rt.device("Sim0")).get();
  ::testing::internal::CaptureStderr();
  const future<void> named =
      rt.submit({.on = rt.device("Sim0"), .label = "there"}, add_one, updates(x));
  const future<void> behind = rt.submit(add_one, updates(x));
  testing::pass(rt, milliseconds(50));
  EXPECT_THAT(::testing::internal::GetCapturedStderr(),
              AllOf(HasSubstr("Task \"there\" waits for Sim0"), HasSubstr("drained")));
  EXPECT_FALSE(named.done());
  EXPECT_FALSE(behind.done());
  const pending_report pending = rt.pending();
  ASSERT_EQ(pending.tasks.size(), 2U);
  EXPECT_THAT(pending.tasks[0].waits_for, Each(HasSubstr("out of use")));
  rt.resume(rt.device("Sim0"));
  behind.get();
  EXPECT_THAT(x.to_vector(), Each(2.0F));
}

TEST_F(draining, ends_tasks_that_are_cancelled_while_they_wait_for_a_device) {
  const buffer<float> x{rt, tile_size, 0.0F};
  rt.drain(rt.device("Sim0")).get();
  const future<void> named = rt.submit(on("Sim0"), add_one, updates(x));
  testing::pass(rt, milliseconds(1));
  named.cancel();
  EXPECT_EQ(named.error().code(), failure_code::cancelled);
  rt.submit(ops::fill, 3.0F, writes(x)).get();
  EXPECT_THAT(x.to_vector(), Each(3.0F));
  rt.resume(rt.device("Sim0"));
  EXPECT_THAT(x.to_vector(), Each(3.0F));
}

TEST(drained_device, keeps_no_runtime_from_its_end) {
  std::vector<float> mine(10, 1.0F);
  bool is_back = false;
  future<void> pinned, behind;
  {
    runtime rt{{.backends = {{"sim", "1"}}}};
    const buffer<float> x{rt, user_memory(mine).given_back([&] { is_back = true; }), "x"};
    rt.drain(rt.device("Sim0")).get();
    pinned = rt.submit({.on = rt.device("Sim0"), .label = "pinned"}, ops::fill, 3.0F, writes(x));
    behind = rt.submit({.on = rt.device("Sim0"), .label = "behind"}, ops::copy, reads(x),
                       writes(buffer<float>{rt, 10, "y"}));
  }
  EXPECT_TRUE(is_back);
  EXPECT_EQ(pinned.error().message(),
            "Task \"pinned\" has no device to run on: Sim0 was drained, and its runtime ends.");
  EXPECT_EQ(behind.error().code(), failure_code::dependency_failed);
}

TEST_F(draining, twice_ends_at_one_time) {
  const buffer<float> x{rt, tile_size, 0.0F};
  rt.submit(on("Sim0"), add_one, updates(x));
  const future<void> first = rt.drain(rt.device("Sim0")), second = rt.drain(rt.device("Sim0"));
  first.get();
  EXPECT_TRUE(second.done());
  rt.drain(rt.device("Sim0")).get();
  rt.resume(rt.device("Sim0"));
  EXPECT_THAT(x.to_vector(), Each(1.0F));
}

TEST_F(draining, is_cancelled_by_resuming_before_the_device_is_empty) {
  const buffer<float> x{rt, tile_size, 0.0F};
  rt.submit(on("Sim0"), add_one, updates(x));
  const future<void> drained = rt.drain(rt.device("Sim0"));
  rt.resume(rt.device("Sim0"));
  EXPECT_EQ(drained.error().code(), failure_code::cancelled);
  EXPECT_THAT(drained.error().message(), HasSubstr("Sim0 was resumed before it was drained"));
  rt.submit(on("Sim0"), add_one, updates(x)).get();
  EXPECT_THAT(x.to_vector(), Each(2.0F));
}

TEST_F(draining, fails_if_the_device_is_lost_meanwhile) {
  const buffer<float> x{rt, tile_size, 0.0F}, y{rt, tile_size, 0.0F};
  for (int i = 0; i < 5; ++i) rt.submit(on("Sim0"), add_one, updates(x));
  testing::pass(rt, microseconds(100));
  const future<void> drained = rt.drain(rt.device("Sim0"));
  const future<void> waits = rt.submit(on("Sim0"), add_one, updates(y));
  lose("Sim0");
  EXPECT_EQ(drained.error().code(), failure_code::device_lost);
  EXPECT_EQ(waits.error().code(), failure_code::no_device);
  EXPECT_EQ(rt.drain(rt.device("Sim0")).error().code(), failure_code::device_lost);
  EXPECT_EQ(testing::thrown_by<error>([&] { rt.resume(rt.device("Sim0")); }).code(),
            failure_code::device_lost);
  EXPECT_EQ(state_of("Sim0"), device_state::lost);
}

TEST_F(draining, is_refused_for_the_host_and_for_devices_of_others) {
  EXPECT_THAT(testing::thrown_by<usage_error>([&] { (void)rt.drain(rt.device("NUMA0")); }).what(),
              HasSubstr("\"NUMA0\" is that of the host"));
  EXPECT_THROW((void)rt.drain({device_id{9}}), usage_error);
  runtime other(without_survive());
  EXPECT_THROW((void)rt.drain(other.device("Sim0")), usage_error);
  EXPECT_THROW(rt.resume(other.device("Sim0")), usage_error);
}

TEST_F(draining, of_a_device_in_use_changes_nothing_when_it_is_resumed_twice) {
  rt.resume(rt.device("Sim0"));
  rt.drain(rt.device("Sim0")).get();
  rt.resume(rt.device("Sim0"));
  rt.resume(rt.device("Sim0"));
  EXPECT_EQ(state_of("Sim0"), device_state::in_use);
}

/// A loss and a drain at the same time.
class draining_with_survive : public draining, public ::testing::WithParamInterface<int> {
 protected:
  draining_with_survive() : draining(surviving()) {}
};

TEST_P(draining_with_survive, changes_no_result_whichever_device_is_lost) {
  const buffer<float> x{rt, tile_size, 0.0F}, y{rt, tile_size, 0.0F};
  for (int i = 0; i < 20; ++i) {
    rt.submit(add_one, updates(x));
    rt.submit(add_other, reads(x), updates(y));
    if (i == GetParam()) testing::pass(rt, microseconds(700));
    if (i == GetParam()) (void)rt.drain(rt.device("Sim0")).error();
    if (i == GetParam() + 1) lose("Sim1");
    if (i == GetParam() + 4) rt.resume(rt.device("Sim0"));
  }
  rt.wait();
  EXPECT_THAT(x.to_vector(), Each(20.0F));
  EXPECT_THAT(y.to_vector(), Each(210.0F));
  EXPECT_EQ(rt.report().given_up, 0U);
}

INSTANTIATE_TEST_SUITE_P(, draining_with_survive, ::testing::Range(0, 16));

}  // namespace
}  // namespace hocket
