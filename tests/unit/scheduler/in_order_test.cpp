// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include <hocket/scheduler/runtime.hpp>

namespace hocket {

namespace {

using testing::ElementsAre;
using testing::HasSubstr;

/// Two simulated devices. On the second a task of high priority waits for the slow first one, while
/// others could start at once.
class InOrder : public testing::Test {
 protected:
  InOrder() {
    for (const char* label : {"late", "early", "free"})
      rt_.submit(ops::fill, 0.0f, writes(x(label)));
    rt_.wait();
  }

  static runtime_options machine() {
    runtime_options options;
    options.clock = clock_kind::simulated;
    options.backends = {{"sim", "1,flops=1M;1,flops=1G"}};
    options.trace_capacity = 256;
    return options;
  }

  buffer<float>& x(const std::string& label) {
    return label == "late" ? late_ : label == "early" ? early_ : free_;
  }

  future<void> add_one(const std::string& label, const task_options& how) {
    task_options named = how;
    named.label = label;
    return rt_.submit(named, ops::axpy, 1.0f, reads(one_), updates(x(label)));
  }

  /// In the order in which they started on the second device.
  std::vector<std::string> started() {
    rt_.wait();
    std::vector<std::string> labels;
    const trace_snapshot trace = rt_.trace();
    for (std::size_t i = 0; i < trace.records.size(); ++i) {
      const trace_record& r = trace.records[i];
      const bool wanted =
          r.kind == trace_kind::kernel && trace.device_names[r.device.value] == "Sim1";
      if (wanted && trace.record_names[i] != "fill") labels.push_back(trace.record_names[i]);
    }
    return labels;
  }

  /// What "late" has to wait for.
  future<void> delay() {
    return rt_.submit({.on = rt_.device("Sim0"), .label = "slow"}, ops::axpy, 1.0f, reads(one_),
                      updates(late_));
  }

  runtime rt_{machine()};
  buffer<float> one_{rt_, 1024, 1.0f};
  buffer<float> late_{rt_, 1024}, early_{rt_, 1024}, free_{rt_, 1024};
  device_handle fast_ = rt_.device("Sim1");
};

TEST_F(InOrder, WithoutItWhatIsReadyStarts) {
  const auto slow = delay();
  add_one("late", {.on = fast_, .priority = 2});
  add_one("early", {.on = fast_, .priority = 1});
  EXPECT_THAT(started(), ElementsAre("early", "late"));
}

TEST_F(InOrder, WithItPriorityDecidesAndOthersGoOn) {
  const auto slow = delay();
  add_one("late", {.on = fast_, .priority = 2, .in_order = true});
  add_one("early", {.on = fast_, .priority = 1, .in_order = true});
  add_one("free", {.on = fast_, .priority = 0});
  EXPECT_THAT(started(), ElementsAre("free", "late", "early"));
}

TEST_F(InOrder, AmongEqualPrioritiesAgeDecides) {
  const auto slow = delay();
  add_one("late", {.on = fast_, .in_order = true});
  add_one("early", {.on = fast_, .in_order = true});
  EXPECT_THAT(started(), ElementsAre("late", "early"));
}

TEST_F(InOrder, WhatIsCancelledGivesUpItsTurn) {
  const auto slow = delay();
  const auto late = add_one("late", {.on = fast_, .priority = 2, .in_order = true});
  const auto early = add_one("early", {.on = fast_, .priority = 1, .in_order = true});
  late.cancel();
  early.wait();
  EXPECT_THAT(started(), ElementsAre("early"));
  EXPECT_EQ(late.error().code(), failure_code::cancelled);
}

// The line fills the fast device, on which the task that it waits for would end earliest.
TEST(tasks_in_order, leave_room_for_a_task_that_the_first_one_comes_after) {
  const auto add = kernel<in_buffer<float>, inout_buffer<float>>{
      "add", host_body{[](buffer_view<const float>, buffer_view<float> x) {
        x[0] += 1;
      }}}.cost([](const launch_shape&) {
    return launch_work{33e3, 0};
  });
  const auto raise =
      kernel<inout_buffer<float>>{"raise", host_body{[](buffer_view<float> x) { x[0] += 1; }}}.cost(
          [](const launch_shape&) {
            return launch_work{11e3, 0};
          });
  runtime rt{{.devices = "Sim0,Sim1",
              .backends = {{"sim", "1,flops=20G;1,flops=40G"}},
              .clock = clock_kind::simulated}};
  std::vector<buffer<float>> data;
  for (int i = 0; i < 8; ++i) data.emplace_back(rt, 4, 0.0f);
  rt.wait();
  const task_options line{.on = rt.device("Sim1"), .in_order = true};
  const graph all = rt.record([&](submitter& s) {
    s.submit(add, reads(data[2]), updates(data[4]));
    s.submit(line, add, reads(data[6]), updates(data[4]));
    s.submit(line, raise, updates(data[0]));
    s.submit(line, raise, updates(data[3]));
  });
  for (int i = 0; i < 3; ++i) rt.run(all).get();
  EXPECT_EQ(data[4].to_vector().front(), 6.0f);
  EXPECT_EQ(data[3].to_vector().front(), 3.0f);
}

TEST_F(InOrder, ATaskThatWaitsForALaterOneFails) {
  const auto behind = rt_.submit(
      {.on = fast_, .priority = 1, .in_order = true, .label = "behind", .after = {delay()}},
      ops::copy, reads(one_), writes(early_));
  const auto between = rt_.submit({.on = rt_.device("Sim0"), .label = "between"}, ops::axpy, 1.0f,
                                  reads(early_), updates(free_));
  const auto never = rt_.submit({.on = fast_, .priority = 2, .in_order = true, .label = "never"},
                                ops::axpy, 1.0f, reads(free_), updates(late_));
  EXPECT_EQ(never.error().message(),
            "Task \"never\" never starts: it waits for task \"between\", which waits for task "
            "\"behind\", which starts on Sim1 only after task \"never\". The order of tasks with "
            "in_order contradicts what they wait for.");
  EXPECT_FALSE(between.error());
}

TEST_F(InOrder, ATaskThatWaitsForALaterOneOfAChoiceFails) {
  const auto always = when([](buffer_view<const float>) { return true; }, reads(free_));
  const future<void> choice = rt_.run_if(always, [&](submitter& s) {
    s.submit({.on = fast_, .in_order = true, .label = "inner"}, ops::fill, 1.0f, writes(early_));
  });
  const future<void> behind = rt_.submit({.on = fast_, .in_order = true, .label = "behind"},
                                         ops::axpy, 1.0f, reads(early_), updates(late_));
  EXPECT_THAT(behind.error().message(), HasSubstr("starts on Sim1 only after task \"behind\""));
  EXPECT_FALSE(choice.error());
}

TEST_F(InOrder, WhatIsCancelledIsNoCircle) {
  future<void> next;
  {
    const auto open = late_.write();
    const future<void> gone = rt_.submit({.on = fast_, .in_order = true, .label = "gone"},
                                         ops::axpy, 1.0f, reads(late_), updates(early_));
    next = rt_.submit({.on = fast_, .in_order = true, .label = "next"}, ops::fill, 2.0f,
                      writes(early_));
    gone.cancel();
  }
  EXPECT_FALSE(next.error());
  EXPECT_EQ(early_.to_vector().front(), 2.0f);
}

TEST_F(InOrder, AGraphMayRunAgainBeforeItHasEndedOnlyInAnOrderThatItsDataAllow) {
  const graph step = rt_.record([&](submitter& s) {
    s.submit({.on = fast_, .priority = 2, .in_order = true, .label = "forward"}, ops::copy,
             reads(free_), writes(early_));
    s.submit({.on = fast_, .priority = 1, .in_order = true, .label = "backward"}, ops::axpy, 1.0f,
             reads(early_), updates(free_));
  });
  const auto slow = delay();
  rt_.run(step).get();
  add_one("free", {.on = rt_.device("Sim0"), .after = {delay()}});
  const future<void> once = rt_.run(step), again = rt_.run(step);
  EXPECT_THAT(again.error().message(), HasSubstr("\"forward\" never starts"));
}

// Where nothing is placed, workers take what is ready from one another.
TEST(tasks_in_order, start_in_order_on_the_host_alone) {
  runtime rt{{.devices = "NUMA0"}};
  const task_options line{.on = rt.device("NUMA0"), .in_order = true};
  std::vector<buffer<int>> data;
  for (int i = 0; i < 10; ++i) data.emplace_back(rt, 1, 0);
  std::vector<int> started;
  std::mutex guard;
  const auto add = [&](int i, const task_options& how) {
    return rt.submit(
        how,
        [&, i](buffer_view<int>) {
          {
            const std::lock_guard lock(guard);
            started.push_back(i);
          }
          std::this_thread::sleep_for(std::chrono::milliseconds(1));
        },
        updates(data[static_cast<std::size_t>(i)]));
  };
  for (int round = 0; round < 10; ++round) {
    started.clear();
    std::atomic<bool> opened{false};
    task_options first = line;
    first.after = {rt.async([&] {
      while (!opened) std::this_thread::yield();
    })};
    add(0, first);
    std::optional<future<void>> gone;
    for (int i = 1; i < 10; ++i) {
      const future<void> added = add(i, line);
      if (i == 5) gone = added;
    }
    gone->cancel();
    opened = true;
    rt.wait();
    ASSERT_EQ(started.size(), 9U);
    for (int at = 0; at < 9; ++at) {
      const int expected = at < 5 ? at : at + 1, found = started[static_cast<std::size_t>(at)];
      // The next one may be a moment faster than one that has just begun.
      EXPECT_LE(std::abs(found - expected), at == 4 || at == 5 ? 2 : 1) << "place " << at;
    }
  }
}

/// Tasks in order on the host alone. A view of x is open at first, and keeps back what reads x.
class InOrderInPlace : public testing::Test {
 protected:
  InOrderInPlace() {
    rt_.wait();
    open_.emplace(x_.update());
  }
  task_options in_line(const std::string& label, std::int64_t priority) {
    return {.on = rt_.device("NUMA0"), .priority = priority, .in_order = true, .label = label};
  }
  static std::string contradiction(const std::string& first, const std::string& behind) {
    return "Task \"" + first + "\" never starts: it waits for task \"" + behind +
           "\", which starts on NUMA0 only after task \"" + first +
           "\". The order of tasks with in_order contradicts what they wait for.";
  }

  runtime rt_{{.devices = "NUMA0", .data_tasks = data_path::in_place}};
  buffer<int> x_{rt_, 10, 1, "x"}, y_{rt_, 10, 1, "y"}, z_{rt_, 10, 1, "z"}, u_{rt_, 10, 1, "u"};
  std::optional<host_view<int>> open_;
};

TEST_F(InOrderInPlace, ATaskThatWaitsForOneThatBecomesReadyLaterFails) {
  const auto behind = rt_.submit(in_line("behind", 1), ops::copy, reads(x_), writes(y_));
  const auto never = rt_.submit(in_line("never", 2), ops::copy, reads(y_), writes(z_));
  open_.reset();
  never.wait();
  EXPECT_EQ(never.error().message(), contradiction("never", "behind"));
  EXPECT_FALSE(behind.error());
}

TEST_F(InOrderInPlace, ATaskThatWaitsForOneThatIsKeptBackFailsAtOnce) {
  const auto first = rt_.submit(in_line("first", 2), ops::copy, reads(x_), writes(u_));
  const auto behind = rt_.submit(in_line("behind", 1), ops::fill, 2, writes(y_));
  const auto never = rt_.submit(in_line("never", 3), ops::copy, reads(y_), writes(z_));
  EXPECT_EQ(never.error().message(), contradiction("never", "behind"));
  open_.reset();
  EXPECT_FALSE(first.error());
  EXPECT_FALSE(behind.error());
}

TEST_F(InOrderInPlace, ATaskWhoseTurnComesFailsIfItWaitsForALaterOne) {
  const auto first = rt_.submit(in_line("first", 3), ops::copy, reads(x_), writes(u_));
  const auto behind = rt_.submit(in_line("behind", 1), ops::fill, 2, writes(y_));
  const auto between = rt_.submit({.label = "between"}, ops::copy, reads(y_), writes(z_));
  const auto never = rt_.submit(in_line("never", 2), ops::axpy, 1, reads(z_), updates(u_));
  open_.reset();
  EXPECT_EQ(never.error().message(),
            "Task \"never\" never starts: it waits for task \"between\", which waits for task "
            "\"behind\", which starts on NUMA0 only after task \"never\". The order of tasks with "
            "in_order contradicts what they wait for.");
  EXPECT_FALSE(first.error());
  EXPECT_FALSE(behind.error());
  EXPECT_FALSE(between.error());
}

TEST_F(InOrderInPlace, ATaskWithATimeOutEndsByItself) {
  const auto behind = rt_.submit(in_line("behind", 1), ops::copy, reads(x_), writes(y_));
  task_options limited = in_line("limited", 2);
  limited.timeout = std::chrono::milliseconds(20);
  const auto late = rt_.submit(limited, ops::copy, reads(y_), writes(z_));
  open_.reset();
  EXPECT_EQ(late.error().code(), failure_code::timed_out);
  EXPECT_FALSE(behind.error());
}

TEST_F(InOrderInPlace, WhatIsKeptBackOnlyForAWhileRuns) {
  const auto first = rt_.submit(in_line("first", 2), ops::copy, reads(x_), writes(u_));
  std::vector<future<void>> behind;
  for (int i = 0; i < 10; ++i) {
    behind.push_back(rt_.submit(in_line("behind", 1), ops::axpy, 1, reads(y_), updates(z_)));
  }
  open_.reset();
  EXPECT_FALSE(first.error());
  for (const auto& each : behind) EXPECT_FALSE(each.error());
  EXPECT_EQ(z_.to_vector().front(), 11);
}

TEST_F(InOrder, IsForTasksWithAccesses) {
  const task_options line{.on = fast_, .in_order = true, .label = "alone"};
  try {
    (void)rt_.async(line, [] {});
    ADD_FAILURE() << "Nothing was thrown.";
  } catch (const usage_error& wrong) {
    EXPECT_STREQ(wrong.what(),
                 "Task \"alone\" is a function without accesses, and those start in no order.");
  }
}

TEST_F(InOrder, NeedsADevice) {
  try {
    add_one("early", {.in_order = true});
    ADD_FAILURE() << "Nothing was thrown.";
  } catch (const usage_error& wrong) {
    EXPECT_THAT(wrong.what(), HasSubstr("\"early\" is to run in order, but not on which device"));
  }
}

}  // namespace

}  // namespace hocket
