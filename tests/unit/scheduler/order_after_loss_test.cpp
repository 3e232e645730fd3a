// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

// Tasks that start in order survive the loss of their device: on simulated devices and the virtual
// clock.

#include <array>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "resilient_runtimes.hpp"

namespace hocket {
namespace {

using std::chrono::microseconds;
using ::testing::Each;
using ::testing::UnorderedElementsAre;

/// A pipeline of two stages over four micro-batches under the 1F1B schedule: each device starts its
/// tasks in an order of its own, which no data ask for.
class pipelines : public resilience {
 protected:
  static constexpr int batches = 4;

  pipelines() {
    for (int i = 0; i < batches; ++i) {
      forward.emplace_back(rt, tile_size, static_cast<float>(i));
      middle.emplace_back(rt, tile_size, 0.0F);
    }
  }

  [[nodiscard]] task_options in_turn(const char* device, int turn) {
    task_options made = on(device);
    made.in_order = true;
    made.priority = -(turns_before + turn);
    return made;
  }
  void submit_step(const char* first, const char* second) {
    constexpr std::array<int, batches> forward_turns{0, 1, 3, 5}, backward_turns{2, 4, 6, 7};
    for (int i = 0; i < batches; ++i) {
      const auto b = static_cast<std::size_t>(i);
      rt.submit(in_turn(first, forward_turns[b]), add_one, updates(forward[b]));
      rt.submit(in_turn(second, 2 * i), add_other, reads(forward[b]), updates(middle[b]));
      rt.submit(in_turn(second, 2 * i + 1), add_one, updates(middle[b]));
      rt.submit(in_turn(first, backward_turns[b]), add_other, reads(middle[b]), updates(sum));
    }
    turns_before += 2 * batches;
  }
  /// After so many steps: middle[i] has grown by i + s + 1 in step s, from 0, and the sum by all.
  void expect_steps(int steps) {
    float expected = 0;
    for (int i = 0; i < batches; ++i) {
      float at_middle = 0;
      for (int s = 1; s <= steps; ++s) {
        at_middle += static_cast<float>(i + s) + 1;
        expected += at_middle;
      }
      EXPECT_THAT(middle[static_cast<std::size_t>(i)].to_vector(), Each(at_middle));
    }
    EXPECT_THAT(sum.to_vector(), Each(expected));
  }

  int turns_before = 0;
  std::vector<buffer<float>> forward, middle;
  buffer<float> sum{rt, tile_size, 0.0F};
};

class pipelines_at : public pipelines, public ::testing::WithParamInterface<int> {};

TEST_P(pipelines_at, go_on_elsewhere_when_a_device_is_lost) {
  submit_step("Sim0", "Sim1");
  submit_step("Sim0", "Sim1");
  testing::pass(rt, microseconds(GetParam() * 300));
  lose("Sim1");
  submit_step("Sim0", "Sim1");
  rt.wait();
  expect_steps(3);
  EXPECT_EQ(rt.report().given_up, 0U);
}

TEST_P(pipelines_at, go_on_when_one_device_is_lost_after_the_other) {
  submit_step("Sim0", "Sim1");
  testing::pass(rt, microseconds(GetParam() * 300));
  lose("Sim0");
  submit_step("Sim0", "Sim1");
  testing::pass(rt, microseconds(400));
  lose("Sim2");
  rt.wait();
  submit_step("Sim2", "Sim0");
  rt.wait();
  expect_steps(3);
  EXPECT_EQ(rt.report().given_up, 0U);
}

TEST_P(pipelines_at, try_failed_launches_again) {
  simulated("Sim0").fail_launch(static_cast<std::uint64_t>(GetParam()) + 1,
                                {failure_code::task_failed, "The driver refuses."});
  submit_step("Sim0", "Sim1");
  submit_step("Sim0", "Sim1");
  rt.wait();
  expect_steps(2);
}

TEST_P(pipelines_at, wait_on_the_host_for_input_that_is_made_again) {
  submit_step("NUMA0", "Sim1");
  submit_step("NUMA0", "Sim1");
  testing::pass(rt, microseconds(GetParam() * 300));
  lose("Sim1");
  rt.wait();
  expect_steps(2);
}

TEST_P(pipelines_at, call_functions_again_that_lack_their_input) {
  std::vector<int> order;
  for (int i = 0; i < batches; ++i) {
    const auto b = static_cast<std::size_t>(i);
    rt.submit(on("Sim1"), add_one, updates(forward[b]));
    rt.submit(
        in_turn("NUMA0", batches - i),
        [&order, i](buffer_view<const float> from, buffer_view<float> to) {
          order.push_back(i);
          to[0] += from[0];
        },
        reads(forward[b]), updates(middle[b]));
  }
  testing::pass(rt, microseconds(GetParam() * 100));
  lose("Sim1");
  rt.wait();
  EXPECT_THAT(order, UnorderedElementsAre(0, 1, 2, 3));
  for (int i = 0; i < batches; ++i) {
    EXPECT_FLOAT_EQ(middle[static_cast<std::size_t>(i)].to_vector().front(),
                    static_cast<float>(i + 1));
  }
}

INSTANTIATE_TEST_SUITE_P(moments, pipelines_at, ::testing::Range(0, 24));

TEST_F(pipelines, of_recorded_graphs_go_on_elsewhere) {
  const auto options = [&](const char* device, int turn) { return in_turn(device, turn); };
  const graph step = rt.record([&](submitter& to) {
    for (int i = 0; i < batches; ++i) {
      const auto b = static_cast<std::size_t>(i);
      to.submit(options("Sim0", i), add_one, updates(forward[b]));
      to.submit(options("Sim1", i), add_other, reads(forward[b]), updates(middle[b]));
      to.submit(options("Sim0", batches + i), add_other, reads(middle[b]), updates(sum));
    }
  });
  // The turns of two runs at a time would not agree with their data.
  for (int i = 0; i < 6; ++i) {
    const future<void> run = rt.run(step);
    testing::pass(rt, microseconds(1000));
    if (i == 3) lose("Sim1");
    run.wait();
  }
  float expected = 0;
  for (int i = 0; i < batches; ++i) {
    float at_middle = 0;
    for (int s = 1; s <= 6; ++s) expected += at_middle += static_cast<float>(i + s);
  }
  EXPECT_THAT(sum.to_vector(), Each(expected));
}

}  // namespace
}  // namespace hocket
