// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

// Functions and kernels that wait for what they submit themselves, however few lanes there are.

#include <gmock/gmock.h>
#include <sys/types.h>
#include <unistd.h>

#include <atomic>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <hocket/hocket.hpp>

#include "runtimes.hpp"

namespace hocket {
namespace {

using ::testing::Each;
using ::testing::HasSubstr;

struct setting {
  const char* name;
  const char* cpu;
  clock_kind clock = clock_kind::real;
  const char* machine = "numa:1 core:2 pu:1";
  data_path data_tasks = data_path::placed;
};

void PrintTo(const setting& s, std::ostream* out) { *out << s.name; }

runtime_options options_for(const setting& s) {
  runtime_options made;
  made.backends = {{"cpu", s.cpu}};
  made.data_tasks = s.data_tasks;
  made.clock = s.clock;
  made.topology = testing::machine(s.machine);
  made.devices = made.topology->nodes().size() == 1 ? "NUMA0" : "NUMA0,NUMA1";
  return made;
}

class nested_wait : public ::testing::TestWithParam<setting> {
 protected:
  const kernel<inout_buffer<int>> add_one_{"add_one",
                                           host_body{[](buffer_view<int> x) { x[0] += 1; }}};
  runtime rt_{options_for(GetParam())};
};

INSTANTIATE_TEST_SUITE_P(
    , nested_wait,
    ::testing::Values(setting{"one_lane", "lanes=1"}, setting{"two_lanes", "lanes=2"},
                      setting{"one_worker", "", clock_kind::real, "numa:1 core:1 pu:1"},
                      setting{"two_nodes", "lanes=1", clock_kind::real, "numa:2 core:1 pu:1"},
                      setting{"virtual_clock", "lanes=1", clock_kind::simulated},
                      setting{"in_place", "", clock_kind::real, "numa:1 core:2 pu:1",
                              data_path::in_place}),
    [](const auto& param) { return std::string(param.param.name); });

// What it submits must not stand behind it in its lane, nor behind what follows it in another.
TEST_P(nested_wait, for_many_small_tasks) {
  const buffer<int> outer(rt_, 1, 0);
  std::vector<buffer<int>> inner;
  for (int i = 0; i < 8; ++i) inner.emplace_back(rt_, 1, 0);
  constexpr int times = 20;
  for (int i = 0; i < times; ++i) {
    const future<void> waits = rt_.submit(
        [&](buffer_view<int> x) {
          std::vector<future<void>> all;
          for (const auto& each : inner) all.push_back(rt_.submit(add_one_, updates(each)));
          for (const auto& each : all) each.get();
          x[0] *= 2;
        },
        updates(outer));
    rt_.submit(add_one_, updates(outer)).get();
    waits.get();
  }
  EXPECT_EQ(outer.read()[0], (1 << times) - 1);
  for (const auto& each : inner) EXPECT_EQ(each.read()[0], times);
}

/// The number of leaves below, each level waiting for the next.
void count_leaves(runtime& rt, int depth, buffer_view<int> result) {
  if (depth == 0) {
    result[0] = 1;
    return;
  }
  const buffer<int> left(rt, 1), right(rt, 1);
  const auto below = [&rt, depth](buffer_view<int> x) { count_leaves(rt, depth - 1, x); };
  const future<void> one = rt.submit(below, writes(left));
  const future<void> other = rt.submit(below, writes(right));
  one.get();
  other.get();
  result[0] = left.read()[0] + right.read()[0];
}

TEST_P(nested_wait, as_deep_as_a_program_recurs) {
  constexpr int depth = 8;
  const buffer<int> leaves(rt_, 1);
  rt_.submit([&](buffer_view<int> x) { count_leaves(rt_, depth, x); }, writes(leaves));
  EXPECT_EQ(leaves.read()[0], 1 << depth);
}

TEST_P(nested_wait, by_more_functions_than_there_are_lanes) {
  constexpr int functions = 40;
  const buffer<int> counted(rt_, 1, 0);
  std::vector<buffer<int>> own;
  for (int i = 0; i < functions; ++i) own.emplace_back(rt_, 1, 0);
  const auto waits = [&](buffer_view<int> x) {
    for (int i = 0; i < 3; ++i) rt_.submit(add_one_, updates(counted)).get();
    x[0] = 1;
  };
  for (const auto& each : own) rt_.submit(waits, updates(each));
  for (const auto& each : own) EXPECT_EQ(each.read()[0], 1);
  EXPECT_EQ(counted.read()[0], 3 * functions);
}

TEST_P(nested_wait, for_a_wide_kernel) {
  const auto all = kernel<inout_buffer<int>>{
      "all", host_body{[](buffer_view<int> x) {
        for (std::size_t i = 0; i < x.size(); ++i) x[i] += 1;
      }}}.wide();
  const buffer<int> many(rt_, 1000, 1);
  std::vector<future<void>> waiting;
  for (int i = 0; i < 6; ++i) {
    const buffer<int> own(rt_, 1, 0);
    waiting.push_back(
        rt_.submit([&](buffer_view<int>) { rt_.submit(all, updates(many)).get(); }, updates(own)));
  }
  for (const auto& each : waiting) each.get();
  EXPECT_THAT(many.to_vector(), Each(7));
}

TEST_P(nested_wait, by_a_wide_kernel) {
  const buffer<int> counted(rt_, 1, 0);
  const auto waits = kernel<inout_buffer<int>>{
      "waits", host_body{[&](buffer_view<int> x) {
        rt_.submit(add_one_, updates(counted)).get();
        x[0] += 1;
      }}}.wide();
  std::vector<buffer<int>> own;
  for (int i = 0; i < 6; ++i) {
    own.emplace_back(rt_, 1, 0);
    rt_.submit(waits, updates(own.back()));
    rt_.submit(waits, updates(own.back()));
  }
  for (const auto& each : own) EXPECT_EQ(each.read()[0], 2);
  EXPECT_EQ(counted.read()[0], 12);
}

TEST_P(nested_wait, for_what_fails_or_is_cancelled) {
  const kernel<inout_buffer<int>> fails{
      "fails", host_body{[](buffer_view<int>) { throw std::runtime_error("on purpose"); }}};
  const buffer<int> outer(rt_, 1, 0), inner(rt_, 1, 0), other(rt_, 1, 0);
  const auto waits = [&](buffer_view<int> x) {
    EXPECT_THAT(rt_.submit(fails, updates(inner)).error().message(), HasSubstr("on purpose"));
    future<void> unwanted = rt_.submit(add_one_, updates(inner));
    unwanted.cancel();
    unwanted.wait();
    rt_.submit(add_one_, updates(other)).get();
    x[0] = 5;
  };
  rt_.submit(waits, updates(outer)).get();
  EXPECT_EQ(outer.read()[0], 5);
  EXPECT_EQ(other.read()[0], 1);
  const auto lets_through = [&](buffer_view<int>) { rt_.submit(fails, updates(other)).get(); };
  EXPECT_THAT(rt_.submit(lets_through, updates(outer)).error().message(), HasSubstr("on purpose"));
}

TEST_P(nested_wait, for_a_view_a_graph_and_a_scope) {
  const buffer<int> outer(rt_, 1, 0), inner(rt_, 1, 0);
  const auto waits = [&](buffer_view<int> x) {
    rt_.submit(add_one_, updates(inner));
    graph twice = rt_.record([&](submitter& r) {
      r.submit(add_one_, updates(inner));
      r.submit(add_one_, updates(inner));
    });
    rt_.run(twice).get();
    task_scope scope(rt_);
    scope.submit(add_one_, updates(inner));
    scope.wait();
    x[0] = inner.read()[0];
  };
  rt_.submit(waits, updates(outer));
  EXPECT_EQ(outer.read()[0], 4);
}

// Of two functions on one worker only one holds the view, and it goes on.
TEST_P(nested_wait, while_another_function_holds_a_view) {
  // There who waits first goes on last.
  if (GetParam().clock == clock_kind::simulated) return;
  const buffer<int> seen(rt_, 1, 0), one(rt_, 1, 0), other(rt_, 1, 0);
  std::atomic<bool> holds = false, asked = false;
  const future<void> holder = rt_.submit(
      [&](buffer_view<int>) {
        const auto held = seen.read();
        holds = true;
        while (!asked) testing::pass(rt_, std::chrono::milliseconds(1));
      },
      updates(one));
  const future<void> asker = rt_.submit(
      [&](buffer_view<int>) {
        while (!holds) testing::pass(rt_, std::chrono::milliseconds(1));
        const future<void> changes = rt_.submit(add_one_, updates(seen));
        // Soon after this it waits.
        rt_.async([&] { asked = true; });
        changes.get();
      },
      updates(other));
  holder.get();
  asker.get();
  EXPECT_EQ(seen.read()[0], 1);
}

// What keeps the memory is a function that waits, and it ends.
TEST(NestedWait, WithTheMemoryThatAnotherTaskNeeds) {
  for (const clock_kind clock : {clock_kind::real, clock_kind::simulated}) {
    runtime rt(options_for({"little_memory", "lanes=1,memory=8K", clock}));
    std::optional<buffer<int>> keeps{std::in_place, rt, 1500};
    const buffer<int> inner(rt, 1000);
    const auto waits = [&](buffer_view<int>) { testing::pass(rt, std::chrono::milliseconds(30)); };
    rt.submit(waits, writes(*keeps));
    keeps.reset();
    rt.submit(ops::fill, 3, writes(inner)).get();
    EXPECT_EQ(inner.read()[999], 3);
  }
}

// Nobody could end it but who waits for it, and gives up here; then nothing can.
TEST(NestedWait, ForATaskThatLacksTheMemoryOfWhoWaitsIsWarnedOf) {
  for (const clock_kind clock : {clock_kind::real, clock_kind::simulated}) {
    runtime rt(options_for({"little_memory", "lanes=1,memory=8K", clock}));
    const buffer<int> outer(rt, 1500), inner(rt, 1000);
    future<void> lacks;
    const auto waits = [&](buffer_view<int>) {
      lacks = rt.submit(ops::fill, 3, writes(inner));
      EXPECT_FALSE(lacks.wait_for(std::chrono::milliseconds(1200)));
    };
    ::testing::internal::CaptureStderr();
    rt.submit(waits, writes(outer)).get();
    EXPECT_THAT(::testing::internal::GetCapturedStderr(),
                HasSubstr("lacks 1808 bytes in NUMA0, where 6000 of 8192 are in use"));
    EXPECT_EQ(lacks.error().code(), failure_code::out_of_memory);
  }
}

TEST(NestedWait, OnlyWhatNothingCanGiveMemoryToFailsForWantOfIt) {
  for (const clock_kind clock : {clock_kind::real, clock_kind::simulated}) {
    runtime rt(options_for({"little_memory", "lanes=1,memory=8K", clock}));
    const buffer<int> keeps(rt, 1500), inner(rt, 1000);
    rt.submit(ops::fill, 1, writes(keeps)).get();
    task_options soon;
    soon.timeout = std::chrono::hours(1);
    const failure why = rt.submit(soon, ops::fill, 3, writes(inner)).error();
    EXPECT_EQ(why.code(), failure_code::out_of_memory) << why.message();
  }
}

TEST(NestedWait, IsNotTimeThatTheLaneIsBusy) {
  runtime rt(options_for({"virtual_clock", "lanes=1", clock_kind::simulated}));
  const buffer<int> outer(rt, 1), inner(rt, 1);
  const kernel<out_buffer<int>> slow =
      kernel<out_buffer<int>>{"slow", host_body{[](buffer_view<int>) {}}}.cost(
          [](const launch_shape&) { return launch_work{.flops = 20e9}; });
  rt.submit([&](buffer_view<int>) { rt.submit(slow, writes(inner)).get(); }, writes(outer)).get();
  const device_report there = rt.report().devices.front();
  EXPECT_EQ(there.kernels, 2U);
  EXPECT_GE(there.busy, std::chrono::seconds(1));
  EXPECT_LT(there.busy, std::chrono::milliseconds(1100));
}

runtime_options cores(int count) {
  runtime_options made;
  made.topology = testing::machine(("numa:1 core:" + std::to_string(count) + " pu:1").c_str());
  made.devices = "NUMA0";
  return made;
}

void wait_for(const std::atomic<bool>& set) {
  while (!set) std::this_thread::yield();
}

// A worker of one runtime runs a task of another runtime while it waits for that, and the task is
// resumed on another thread. What the task belongs to must go with it.
TEST(NestedWait, AHelpedTaskThatMovedStillBelongsToItsRuntime) {
  std::atomic<bool> over{false};
  std::atomic<bool> there_is_busy{false};
  std::atomic<bool> second_is_busy{false};
  std::atomic<bool> first_is_busy{false};
  std::atomic<bool> suspends{false};
  runtime here{cores(2)};
  runtime there{cores(1)};

  // The only worker there is taken: who waits for a task there has to run it.
  const future<void> keeps_busy = there.async([&] {
    there_is_busy = true;
    wait_for(over);
  });
  wait_for(there_is_busy);
  // Holds the second worker here until the first one is taken again.
  const future<void> opens = here.async([&] {
    second_is_busy = true;
    wait_for(suspends);
    here.async([&] {
      first_is_busy = true;
      wait_for(over);
    });
    wait_for(first_is_busy);
  });
  wait_for(second_is_busy);

  pid_t before = 0;
  pid_t after = 0;
  std::string refusal;
  const auto helped = [&] {
    before = ::gettid();
    suspends = true;
    opens.get();
    after = ::gettid();
    try {
      there.wait();
    } catch (const usage_error& wrong) {
      refusal = wrong.what();
    }
  };
  here.async([&] {
    there.async(helped).get();
    over = true;
  });
  // Not get(): this thread might run the task itself.
  wait_for(over);
  EXPECT_NE(before, after);
  EXPECT_THAT(refusal, HasSubstr("A task waits for all tasks of its runtime"));
}

}  // namespace
}  // namespace hocket
