// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

// How many commands the placement engine gives to a lane before it has heard of the end of the
// first.

#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <utility>

#include "placement/engine.hpp"

namespace hocket::placement {
namespace {

using namespace std::chrono_literals;

constexpr stream_id lane{0};

/// A device of one lane on the host's memory, that takes two commands of which it knows nothing.
machine one_lane() {
  machine made;
  made.memories = {{"host memory", 1 << 30}};
  made.streams = {{device_id{0}, 0}};
  machine::device_node node;
  node.name = "NUMA0";
  node.memory = host_memory;
  node.compute = {lane};
  node.formats = {kernel_format::host};
  node.runs_host_tasks = true;
  node.depth = 2;
  node.ahead = 50us;
  made.devices = {node};
  made.links.resize(1);
  return made;
}

kernel_definition in_cpp_alone(const std::string& name) {
  kernel_definition made;
  made.name = name;
  made.host = [](const host_launch&) {};
  return made;
}

/// A kernel that other devices have a text for.
kernel_ref named(const std::string& name) {
  kernel_definition made = in_cpp_alone(name);
  made.sources.emplace_back();
  return std::make_shared<const kernel_definition>(std::move(made));
}

class lane_depth : public testing::Test {
 protected:
  void submit(const kernel_ref& kernel, int times = 1) {
    for (; times > 0; --times) step(submitted{launch_of(kernel), {}});
  }
  void submit_function() {
    const auto kernel = std::make_shared<const kernel_definition>(in_cpp_alone("function"));
    task_ref made = launch_of(kernel);
    made->host_only = true;
    step(submitted{std::move(made), {}});
  }
  /// The oldest command leaves its lane.
  void leave() { step(command_left{lane, ++ended_, now_}); }
  void end_apart(std::uint64_t value) { step(command_ended_apart{lane, value, {{}, now_, now_}}); }
  void lose() { step(device_gone{device_id{0}, {failure_code::device_lost, "It is lost."}}); }
  [[nodiscard]] std::size_t unfinished() const { return engine_.state().tasks.size(); }
  /// The oldest command ends that was issued.
  void end_one(nanoseconds took) {
    now_ += took;
    step(command_ended{lane, ++ended_, {{}, now_ - took, now_}});
  }
  void step(event&& what) {
    action_list done;
    engine_.step(now_, std::move(what), done);
    for (const action& a : done) issued_ += std::holds_alternative<issue_launch>(a) ? 1U : 0U;
  }
  [[nodiscard]] std::uint64_t in_flight() const { return issued_ - ended_; }

 private:
  task_ref launch_of(const kernel_ref& kernel) {
    task_ref made(new placed_task);
    made->id = task_id{next_++};
    made->launch = new counted_launch;
    made->launch->kernel = kernel;
    return made;
  }

  engine engine_{one_lane(), {}, make_chooser("", "test")};
  time_stamp now_{0};
  std::uint64_t next_ = 0, issued_ = 0, ended_ = 0;
};

TEST_F(lane_depth, is_that_of_the_device_as_long_as_nothing_was_measured) {
  submit(named("new"), 5);
  EXPECT_EQ(in_flight(), 2U);
}

TEST_F(lane_depth, is_a_time_for_kernels_that_were_measured) {
  const kernel_ref known = named("known");
  submit(known);
  end_one(1us);
  submit(known, 100);
  EXPECT_EQ(in_flight(), 50U);
  for (int i = 0; i < 24; ++i) end_one(1us);
  EXPECT_EQ(in_flight(), 26U) << "it is filled again when half is done";
  end_one(1us);
  EXPECT_EQ(in_flight(), 50U);
}

TEST_F(lane_depth, grows_with_what_is_heard_while_tasks_wait) {
  submit(named("new"), 20);
  end_one(1us);
  EXPECT_EQ(in_flight(), 2U) << "the second was issued before anything was known";
  end_one(1us);
  EXPECT_EQ(in_flight(), 18U);
}

TEST_F(lane_depth, is_bounded_however_short_they_are) {
  const kernel_ref known = named("known");
  submit(known);
  end_one(1ns);
  submit(known, 1000);
  EXPECT_EQ(in_flight(), 64U);
}

TEST_F(lane_depth, is_one_for_functions) {
  submit_function();
  end_one(1us);
  submit_function();
  submit_function();
  submit(named("behind it"));
  EXPECT_EQ(in_flight(), 1U);
}

TEST_F(lane_depth, is_not_for_who_has_left) {
  submit_function();
  leave();
  submit_function();
  submit(named("behind it"));
  EXPECT_EQ(in_flight(), 1U);
  leave();
  EXPECT_EQ(in_flight(), 1U);
  end_one(1us);
  EXPECT_EQ(unfinished(), 2U);
  end_apart(2);
  end_apart(1);
  EXPECT_EQ(unfinished(), 0U);
}

TEST_F(lane_depth, forgets_who_left_with_their_device) {
  submit_function();
  leave();
  submit_function();
  lose();
  EXPECT_EQ(unfinished(), 0U);
  end_apart(1);
  leave();
  EXPECT_EQ(unfinished(), 0U);
}

TEST_F(lane_depth, is_that_of_the_device_behind_what_may_last) {
  const kernel_ref known = named("known");
  submit(known);
  end_one(1us);
  submit(named("new"));
  submit(known, 5);
  EXPECT_EQ(in_flight(), 2U);
  end_one(1us);
  EXPECT_EQ(in_flight(), 5U);
}

}  // namespace
}  // namespace hocket::placement
