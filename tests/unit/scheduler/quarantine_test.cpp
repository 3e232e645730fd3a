// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

// Devices whose commands fail one after another are taken out of use for a while: on simulated
// devices and the virtual clock.

#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "resilient_runtimes.hpp"

namespace hocket {
namespace {

using std::chrono::milliseconds;
using ::testing::AllOf;
using ::testing::Each;
using ::testing::HasSubstr;

runtime_options with_quarantine(nanoseconds time) {
  runtime_options made = surviving();
  made.quarantine = time;
  return made;
}

class quarantine : public resilience {
 protected:
  static constexpr std::size_t sim0 = 1;

  explicit quarantine(const runtime_options& options = surviving()) : resilience(options) {
    for (int i = 0; i < 20; ++i) tiles_.push_back(zeros());
  }

  /// Adds one to each tile, by two kernels.
  void add_to_all() {
    for (std::size_t i = 0; i < tiles_.size(); ++i) {
      if (i % 2 == 0) {
        rt.submit(add_one, updates(tiles_[i]));
      } else {
        rt.submit(add_other, reads(ones_), updates(tiles_[i]));
      }
    }
    rt.wait();
    ++added_;
  }
  /// So many launches fail, and the first of them take the device out of use.
  void begin(std::uint64_t failures) {
    fail_next("Sim0", failures);
    ::testing::internal::CaptureStderr();
    for (int i = 0; i < 10 && state() == device_state::in_use; ++i) add_to_all();
    said_ = ::testing::internal::GetCapturedStderr();
  }
  void expect_results() {
    for (const buffer<float>& each : tiles_) EXPECT_THAT(each.to_vector(), Each(added_));
  }
  [[nodiscard]] device_state state() { return rt.report().devices[sim0].state; }

  std::string said_;

 private:
  buffer<float> ones_{rt, tile_size, 1.0F};
  std::vector<buffer<float>> tiles_;
  float added_ = 0;
};

TEST_F(quarantine, takes_a_device_out_of_use_on_which_nothing_succeeds) {
  begin(1000);
  EXPECT_EQ(state(), device_state::quarantined);
  EXPECT_THAT(said_, AllOf(HasSubstr("Sim0 is not used for a while"), HasSubstr("refuses")));
  const std::uint64_t before = kernels_on(sim0);
  add_to_all();
  EXPECT_EQ(kernels_on(sim0), before);
  expect_results();
  EXPECT_EQ(rt.report().quarantines, 1U);
  EXPECT_THAT(summary(rt.report()),
              AllOf(HasSubstr("(quarantined)"), HasSubstr("devices quarantined: 1")));
}

TEST_F(quarantine, ends_when_a_task_succeeds_after_the_time) {
  begin(1000);
  for (std::uint64_t i = 1; i <= 1000; ++i) {
    simulated("Sim0").fail_launch(i, {});
  }
  testing::pass(rt, milliseconds(50));
  add_to_all();
  EXPECT_EQ(state(), device_state::quarantined);
  testing::pass(rt, milliseconds(100));
  const std::uint64_t before = kernels_on(sim0);
  add_to_all();
  EXPECT_EQ(state(), device_state::in_use);
  EXPECT_GT(kernels_on(sim0), before + 1) << "others follow the first";
  expect_results();
  EXPECT_EQ(rt.report().readmissions, 1U);
}

TEST_F(quarantine, lasts_twice_as_long_after_each_failure_and_ends_with_the_device) {
  begin(1000);
  const std::uint64_t first = kernels_on(sim0);
  std::uint64_t seen = first;
  std::vector<nanoseconds> at;
  const time_stamp begun = rt.now();
  ::testing::internal::CaptureStderr();
  while (state() == device_state::quarantined && at.size() < 20) {
    testing::pass(rt, milliseconds(10));
    add_to_all();
    if (kernels_on(sim0) > seen) at.push_back(rt.now() - begun);
    seen = kernels_on(sim0);
  }
  EXPECT_THAT(::testing::internal::GetCapturedStderr(), HasSubstr("fail one after another"));
  EXPECT_EQ(state(), device_state::lost);
  EXPECT_EQ(seen, first + 5);
  ASSERT_EQ(at.size(), 5U);
  for (std::size_t i = 1; i < at.size(); ++i) {
    const nanoseconds rest = milliseconds(100) * (std::int64_t{1} << i);
    EXPECT_GE(at[i] - at[i - 1], rest - milliseconds(30));
    EXPECT_LE(at[i] - at[i - 1], rest + milliseconds(60));
  }
  expect_results();
}

TEST_F(quarantine, is_ended_by_a_task_that_names_the_device) {
  begin(1000);
  for (std::uint64_t i = 1; i <= 1000; ++i) simulated("Sim0").fail_launch(i, {});
  const buffer<float> x = zeros();
  const time_stamp before = rt.now();
  rt.submit(on("Sim0"), add_one, updates(x)).get();
  EXPECT_GT(rt.now() - before, milliseconds(50));
  EXPECT_LT(rt.now() - before, milliseconds(110));
  EXPECT_EQ(state(), device_state::in_use);
  EXPECT_THAT(x.to_vector(), Each(1.0F));
}

TEST_F(quarantine, is_ended_by_the_second_task_that_waits_if_the_first_one_throws) {
  begin(1000);
  for (std::uint64_t i = 1; i <= 1000; ++i) simulated("Sim0").fail_launch(i, {});
  const kernel<inout_buffer<float>> fails{
      "fails", host_body{[](buffer_view<float>) { throw std::runtime_error("planned"); }}};
  const buffer<float> x = zeros(), y = zeros();
  const future<void> first = rt.submit(on("Sim0"), fails, updates(x));
  rt.submit(on("Sim0"), add_one, updates(y)).get();
  EXPECT_THAT(first.error().message(), HasSubstr("planned"));
  EXPECT_EQ(state(), device_state::in_use);
}

TEST_F(quarantine, is_ended_by_resuming_the_device) {
  begin(1000);
  for (std::uint64_t i = 1; i <= 1000; ++i) simulated("Sim0").fail_launch(i, {});
  rt.resume(rt.device("Sim0"));
  EXPECT_EQ(state(), device_state::in_use);
  add_to_all();
  expect_results();
}

TEST_F(quarantine, does_not_keep_a_device_from_being_drained) {
  begin(1000);
  rt.drain(rt.device("Sim0")).get();
  testing::pass(rt, milliseconds(200));
  add_to_all();
  EXPECT_EQ(state(), device_state::drained);
  expect_results();
}

class no_quarantine : public quarantine {
 protected:
  no_quarantine() : quarantine(with_quarantine({})) {}
};

TEST_F(no_quarantine, loses_a_device_on_which_nothing_succeeds) {
  begin(1000);
  EXPECT_THAT(said_, HasSubstr("fail one after another"));
  EXPECT_EQ(state(), device_state::lost);
  expect_results();
}

TEST(quarantine_of_copies, loses_a_device_whose_content_cannot_be_fetched) {
  runtime_options options = surviving();
  options.faults = std::string("fail Sim0 launch 2..; fail Sim0 copy-out 1..");
  runtime rt(options);
  const buffer<float> x{rt, tile_size};
  rt.submit([](buffer_view<float> to) { std::ranges::fill(to, 1.0F); }, writes(x));
  rt.submit(add_one, updates(x)).get();
  std::vector<buffer<float>> tiles;
  for (int i = 0; i < 20; ++i) {
    tiles.emplace_back(rt, tile_size);
    rt.submit([](buffer_view<float> to) { std::ranges::fill(to, 1.0F); }, writes(tiles.back()))
        .get();
  }
  for (std::size_t i = 1; i < 20; ++i) {
    rt.submit(add_one, updates(tiles[i]));
    rt.submit(add_other, reads(tiles[0]), updates(tiles[i]));
  }
  rt.wait();
  EXPECT_EQ(rt.report().devices[1].state, device_state::quarantined);
  EXPECT_THAT(x.to_vector(), Each(2.0F));
  EXPECT_EQ(rt.report().devices[1].state, device_state::lost);
  for (std::size_t i = 1; i < 20; ++i) EXPECT_THAT(tiles[i].to_vector(), Each(3.0F));
}

TEST(quarantine_option, is_checked) {
  EXPECT_THROW(runtime(with_quarantine(milliseconds(-1))), usage_error);
}

}  // namespace
}  // namespace hocket
