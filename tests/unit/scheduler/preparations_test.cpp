// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

// Kernels that a device compiles while others run their tasks.

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "placement/engine.hpp"

namespace hocket::placement {
namespace {

constexpr stream_id host_lane{0}, gpu_lane{1};
constexpr device_id cores{0}, gpu{1};

/// The cores of the host, which compile nothing, and a device that is much quicker.
machine cores_and_gpu() {
  machine made;
  made.memories = {{"host memory", 1 << 20}, {"GPU", 1 << 20}};
  made.streams = {{cores, 0}, {gpu, 1}};
  for (std::size_t i = 0; i < 2; ++i) {
    machine::device_node node;
    node.name = i == 0 ? "NUMA0" : "GPU0";
    node.memory = memory_id{i};
    node.owns_memory = i == 1;
    node.compute = {stream_id{i}};
    node.formats = {i == 0 ? kernel_format::host : kernel_format::opencl_c};
    node.runs_host_tasks = i == 0;
    node.flops_per_second = i == 0 ? 1e9 : 1e12;
    node.depth = 2;
    made.devices.push_back(node);
  }
  made.links.resize(4);
  return made;
}

class preparations : public testing::TestWithParam<const char*> {
 protected:
  preparations() {
    kernel_definition kernel;
    kernel.name = "k";
    kernel.host = [](const host_launch&) {};
    kernel_source text;
    text.format = kernel_format::opencl_c;
    kernel.sources.push_back(text);
    kernel_ = std::make_shared<const kernel_definition>(std::move(kernel));
  }

  void submit(double flops = 1e6, device_id on = {}) {
    task_ref made(new placed_task);
    made->id = task_id{next_++};
    made->on = on;
    made->launch = new counted_launch;
    made->launch->kernel = kernel_;
    made->launch->cost.flops = flops;
    step(submitted{std::move(made), {}});
  }
  /// The oldest command of the stream has ended.
  void end(stream_id stream, const failure& why = {},
           nanoseconds took = std::chrono::milliseconds(1)) {
    const time_stamp begin = now_;
    now_ += took;
    step(command_ended{stream, ++ended_[stream.value], {why, begin, now_}});
  }
  void end_all_of_host() {
    while (ended_[host_lane.value] < planned_[host_lane.value]) end(host_lane);
  }
  void step(event&& what) {
    action_list done;
    engine_.step(now_, std::move(what), done);
    for (const action& a : done) {
      if (const auto* launch = std::get_if<issue_launch>(&a)) {
        planned_[launch->number.stream.value] = launch->number.value;
        (launch->task->is_preparation ? prepared_ : launched_).push_back(launch->number.stream);
      }
      if (const auto* said = std::get_if<warn>(&a)) said_.push_back(said->text);
      if (const auto* ended = std::get_if<complete>(&a)) results_.push_back(ended->why);
    }
  }
  [[nodiscard]] std::size_t launched_on(stream_id stream) const {
    return static_cast<std::size_t>(std::ranges::count(launched_, stream));
  }

  std::vector<stream_id> prepared_, launched_;  ///< the streams of commands
  std::vector<std::string> said_;
  std::vector<failure> results_;
  const failure refused_{failure_code::compile_failed, "GPU0 cannot compile it."};

 private:
  engine engine_{cores_and_gpu(), {}, make_chooser(GetParam(), "test")};
  kernel_ref kernel_;
  time_stamp now_{};
  std::uint64_t next_ = 0;
  std::uint64_t ended_[2] = {}, planned_[2] = {};
};

TEST_P(preparations, leave_tasks_to_devices_that_are_ready) {
  for (int i = 0; i < 6; ++i) submit();
  EXPECT_EQ(prepared_, std::vector<stream_id>{gpu_lane});
  EXPECT_EQ(launched_on(gpu_lane), 0U);
  EXPECT_GT(launched_on(host_lane), 0U);
  end_all_of_host();
  EXPECT_EQ(launched_on(host_lane), 6U);
  EXPECT_EQ(results_.size(), 6U);
}

TEST_P(preparations, let_the_device_run_the_kernel_once_they_have_ended) {
  submit();
  end(gpu_lane);
  end_all_of_host();
  for (int i = 0; i < 4; ++i) submit();
  EXPECT_GT(launched_on(gpu_lane), 0U);
  EXPECT_EQ(prepared_.size(), 1U);
}

TEST_P(preparations, give_the_device_what_waits_when_they_end) {
  for (int i = 0; i < 20; ++i) submit();
  EXPECT_EQ(launched_on(gpu_lane), 0U);
  end(gpu_lane);
  end(host_lane);
  if (std::string(GetParam()).empty()) {
    EXPECT_GT(launched_on(gpu_lane), 0U);
  }
  EXPECT_EQ(prepared_.size(), 1U);
}

TEST_P(preparations, are_followed_by_a_trial_where_the_others_have_shown_to_be_quick) {
  submit();
  ASSERT_EQ(prepared_.size(), 1U);
  end(host_lane, {}, std::chrono::nanoseconds(100));  // less than the device is thought to take
  end(gpu_lane);
  for (int i = 0; i < 4; ++i) submit();
  EXPECT_GT(launched_on(gpu_lane), 0U);
}

TEST_P(preparations, are_refused_in_a_sentence_whatever_the_compiler_says) {
  submit();
  end(gpu_lane, {failure_code::compile_failed, "It says: error 7"});
  ASSERT_EQ(said_.size(), 1U);
  EXPECT_EQ(said_[0], "It says: error 7. Other devices run its tasks.");
}

TEST_P(preparations, that_the_compiler_refuses_leave_the_kernel_to_others) {
  submit();
  end(gpu_lane, refused_);
  ASSERT_EQ(said_.size(), 1U);
  EXPECT_NE(said_[0].find("cannot compile it. Other devices run its tasks."), std::string::npos);
  for (int i = 0; i < 4; ++i) submit();
  end_all_of_host();
  EXPECT_EQ(launched_on(gpu_lane), 0U);
  EXPECT_EQ(launched_on(host_lane), 5U);
  EXPECT_EQ(prepared_.size(), 1U);
}

TEST_P(preparations, are_not_made_for_tasks_that_take_long_elsewhere) {
  submit(1e9);  // a second on the host
  EXPECT_EQ(launched_on(gpu_lane), 1U);
  EXPECT_TRUE(prepared_.empty());
}

TEST_P(preparations, keep_the_device_for_larger_tasks) {
  submit();
  ASSERT_EQ(prepared_.size(), 1U);
  submit(1e9);
  EXPECT_EQ(launched_on(gpu_lane), 1U) << "behind the compilation";
  EXPECT_EQ(prepared_.size(), 1U);
}

TEST_P(preparations, are_not_made_for_tasks_that_name_the_device) {
  submit(1e6, gpu);
  EXPECT_EQ(launched_on(gpu_lane), 1U);
  EXPECT_TRUE(prepared_.empty());
}

TEST_P(preparations, go_with_a_device_that_is_lost) {
  submit();
  step(device_gone{gpu, {failure_code::device_lost, "It is lost."}});
  for (int i = 0; i < 3; ++i) submit();
  end_all_of_host();
  EXPECT_EQ(launched_on(host_lane), 4U);
  for (const failure& each : results_) EXPECT_FALSE(each);
}

TEST_P(preparations, wait_for_no_device_that_is_drained) {
  submit();
  end_all_of_host();
  step(drain_asked{cores, {}});
  submit();
  EXPECT_EQ(launched_on(gpu_lane), 1U) << "behind the compilation";
  EXPECT_EQ(prepared_.size(), 1U);
}

INSTANTIATE_TEST_SUITE_P(, preparations, testing::Values(""),
                         [](const auto&) { return "planned"; });

using preparations_by_other_policies = preparations;

TEST_P(preparations_by_other_policies, are_not_made) {
  for (int i = 0; i < 8; ++i) submit();
  EXPECT_TRUE(prepared_.empty());
}

INSTANTIATE_TEST_SUITE_P(, preparations_by_other_policies,
                         testing::Values("earliest-end", "work-stealing", "round-robin"),
                         [](const auto& of) {
                           std::string name = of.param;
                           std::ranges::replace(name, '-', '_');
                           return name;
                         });

}  // namespace
}  // namespace hocket::placement
