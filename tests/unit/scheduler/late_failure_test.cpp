// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

// Streams report in no common order: the end of a command may be heard before the failure of one
// that it came after on the device.

#include <gtest/gtest.h>

#include <memory>
#include <utility>
#include <vector>

#include "placement/engine.hpp"

namespace hocket::placement {
namespace {

constexpr stream_id first_lane{0}, from_first{1}, second_lane{2}, to_second{3};

/// Two devices with a memory each, whose streams wait for one another on the device. Content goes
/// from the first to the second through the memory of the host.
machine first_and_second() {
  machine made;
  made.memories = {{"host memory", 1 << 20}, {"first", 1 << 20}, {"second", 1 << 20}};
  made.streams = {{device_id{0}, 0}, {device_id{0}, 0}, {device_id{1}, 0}, {device_id{1}, 0}};
  for (std::size_t i = 0; i < 2; ++i) {
    machine::device_node node;
    node.name = "Sim" + std::to_string(i);
    node.memory = memory_id{i + 1};
    node.owns_memory = true;
    node.compute = {i == 0 ? first_lane : second_lane};
    node.formats = {kernel_format::host};
    node.depth = 2;
    made.devices.push_back(node);
  }
  made.links.resize(9);
  made.links[1 * 3 + 0] = machine::link{from_first, 1e9, nanoseconds{0}};
  made.links[0 * 3 + 2] = machine::link{to_second, 1e9, nanoseconds{0}};
  return made;
}

class late_failure : public testing::Test {
 protected:
  late_failure() {
    step(data_added{x_, {16}, element_type::f32, "x"});
    submit(device_id{0}, access_mode::write);
    end(first_lane);
    submit(device_id{1}, access_mode::read);
  }

  void submit(device_id on, access_mode mode) {
    task_ref made(new placed_task);
    made->id = task_id{next_++};
    made->on = on;
    made->launch = new counted_launch;
    kernel_definition kernel;
    kernel.name = "k";
    kernel.host = [](const host_launch&) {};
    made->launch->kernel = std::make_shared<const kernel_definition>(std::move(kernel));
    part_ = part_of_array(element_type::f32, {16}, box::whole({16}));
    made->accesses.push_back({x_, part_.get(), mode, true});
    step(submitted{std::move(made), {}});
  }
  void end(stream_id stream, const failure& why = {}) {
    step(command_ended{stream, ++ended_[stream.value], {why, time_stamp{}, time_stamp{}}});
  }
  void lose(device_id device) {
    step(device_gone{device, {failure_code::device_lost, "It is lost."}});
  }
  void step(event&& what) {
    action_list done;
    engine_.step(time_stamp{}, std::move(what), done);
    for (const action& a : done) {
      copies_ += std::holds_alternative<issue_copy>(a) ? 1U : 0U;
      launches_ += std::holds_alternative<issue_launch>(a) ? 1U : 0U;
      if (const auto* ended = std::get_if<complete>(&a)) results_.push_back(ended->why);
    }
  }
  /// True if the task that reads has ended.
  [[nodiscard]] bool has_ended() const { return results_.size() == 2; }

  const failure broken_{failure_code::task_failed, "The link is broken."};
  std::vector<failure> results_;
  std::size_t copies_ = 0, launches_ = 0;

 private:
  const data_id x_{0};
  engine engine_{first_and_second(), {}, make_chooser("", "test")};
  array_part_ref part_;
  std::uint64_t next_ = 0;
  std::uint64_t ended_[4] = {};
};

TEST_F(late_failure, of_a_copy_makes_what_was_copied_from_there_be_copied_again) {
  EXPECT_EQ(copies_, 2U);
  end(to_second);
  EXPECT_EQ(launches_, 1U) << "nothing is known of the first copy";
  end(from_first, broken_);
  EXPECT_EQ(copies_, 4U);
  end(from_first);
  end(to_second);
  EXPECT_EQ(launches_, 2U);
  end(second_lane);
  ASSERT_TRUE(has_ended());
  EXPECT_FALSE(results_.back());
}

TEST_F(late_failure, is_that_of_the_task_if_the_copies_fail_again) {
  end(to_second);
  end(from_first, broken_);
  end(to_second);
  end(second_lane);
  EXPECT_FALSE(has_ended()) << "nothing is known of the first copy";
  end(from_first, broken_);
  ASSERT_TRUE(has_ended());
  EXPECT_NE(results_.back().message().find("The link is broken."), std::string::npos)
      << results_.back().message();
}

TEST_F(late_failure, does_not_come_and_the_reports_that_were_kept_are_heard) {
  end(to_second);
  end(from_first);
  end(second_lane);
  ASSERT_TRUE(has_ended());
  EXPECT_FALSE(results_.back());
  submit(device_id{1}, access_mode::read);
  EXPECT_EQ(copies_, 2U) << "the content is there";
}

TEST_F(late_failure, is_not_heard_for_reports_of_a_device_that_is_lost) {
  end(to_second);
  lose(device_id{1});
  ASSERT_TRUE(has_ended());
  EXPECT_TRUE(results_.back());
  end(from_first);
}

TEST_F(late_failure, is_the_loss_of_the_device_that_the_copy_was_made_from) {
  end(to_second);
  lose(device_id{0});
  ASSERT_TRUE(has_ended());
  EXPECT_TRUE(results_.back()) << "no copy from there is trusted";
  EXPECT_EQ(launches_, 1U);
}

}  // namespace
}  // namespace hocket::placement
