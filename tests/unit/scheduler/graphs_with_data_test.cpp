// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

// Compiled graphs with data, on the path in place and on the placed one.

#include <gmock/gmock.h>

#include <atomic>
#include <chrono>
#include <latch>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include <hocket/hocket.hpp>

#include "graphs/graph_content.hpp"
#include "host_graphs.hpp"

namespace hocket {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

bool is_compiled(const graph& g) {
  return g.content()->compiled() != nullptr || g.content()->placed() != nullptr;
}

class GraphsWithData : public host_graphs, public ::testing::WithParamInterface<data_path> {
 protected:
  GraphsWithData() : host_graphs(GetParam()) {}
};

TEST_P(GraphsWithData, RunsOverlapWhereTheirDataAllowIt) {
  const buffer<int> x = cell(0), y = cell(0);
  std::latch released(1);
  bool holds = true;
  const graph g = rt.record([&](submitter& s) {
    s.submit(
        [&](buffer_view<int> v) {
          if (std::exchange(holds, false)) released.wait();
          ++v(0);
        },
        updates(x));
    s.submit(one_more, updates(y));
  });
  ASSERT_TRUE(is_compiled(g));
  const future<void> first = rt.run(g);
  const future<void> second = rt.run(g);
  // What follows y waits for neither of the tasks of x.
  if (rt.devices().front().lanes > 1) {
    EXPECT_THAT(y.to_vector(), ElementsAre(2));
  }
  EXPECT_FALSE(first.done());
  EXPECT_FALSE(second.done());
  released.count_down();
  second.get();
  EXPECT_THAT(x.to_vector(), ElementsAre(2));
}

TEST_P(GraphsWithData, ARunComesAfterWhatUsesItsDataBefore) {
  const buffer<int> x = cell(0);
  std::latch begun(1), released(1);
  std::atomic<bool> has_ended{false}, was_early{false};
  const graph g = rt.record([&](submitter& s) {
    s.submit([&](buffer_view<int>) { was_early = !has_ended; }, updates(x));
    s.submit(one_more, updates(x));
  });
  ASSERT_TRUE(is_compiled(g));
  rt.submit(
      [&](buffer_view<int>) {
        begun.count_down();
        released.wait();
      },
      updates(x));
  begun.wait();
  rt.submit([&](buffer_view<int>) { has_ended = true; }, updates(x));
  const future<void> run = rt.run(g);
  std::this_thread::sleep_for(std::chrono::milliseconds(2));
  released.count_down();
  run.get();
  EXPECT_FALSE(was_early);
}

TEST_P(GraphsWithData, ReadersInTwoRunsHaveNoOrder) {
  if (rt.devices().front().lanes < 2) GTEST_SKIP() << "one core runs one task at a time";
  const buffer<int> x = cell(0);
  std::latch both(2);
  const graph g = rt.record([&](submitter& s) {
    s.submit([&](buffer_view<const int>) { both.arrive_and_wait(); }, reads(x));
  });
  ASSERT_TRUE(is_compiled(g));
  const future<void> one = rt.run(g), other = rt.run(g);
  while (!one.done() || !other.done()) std::this_thread::yield();
}

TEST_P(GraphsWithData, AFailureStaysWithItsOwnData) {
  const buffer<int> x = cell(1), y = cell(1), z = cell(1);
  const graph g = rt.record([&](submitter& s) {
    s.submit({.label = "breaks"}, fail_always, updates(x));
    s.submit({.label = "reads it"}, take_over, reads(x), writes(y));
    s.submit(one_more, updates(z));
  });
  ASSERT_TRUE(is_compiled(g));
  const future<void> run = rt.run(g);
  EXPECT_THAT(run.error().message(), AllOf(HasSubstr("\"breaks\""), HasSubstr("no luck")));
  EXPECT_THAT(z.to_vector(), ElementsAre(2));
  EXPECT_THROW((void)x.to_vector(), std::exception);
  try {
    (void)y.to_vector();
    FAIL() << "does not throw";
  } catch (const error& lost) {
    EXPECT_THAT(lost.what(), AllOf(HasSubstr("\"reads it\" did not run"), HasSubstr("no luck")));
  }
  // What writes all of it heals it, in a run too.
  const graph heals = rt.record([&](submitter& s) {
    s.submit(take_over, reads(z), writes(x));
    s.submit(take_over, reads(x), writes(y));
  });
  ASSERT_TRUE(is_compiled(heals));
  rt.run(heals).get();
  EXPECT_THAT(y.to_vector(), ElementsAre(2));
}

TEST_P(GraphsWithData, AnUnwrittenBufferIsNotRead) {
  const buffer<int> x{rt, 1}, y = cell(0);
  const graph g = rt.record([&](submitter& s) { s.submit(take_over, reads(x), writes(y)); });
  ASSERT_TRUE(is_compiled(g));
  EXPECT_THAT(rt.run(g).error().message(), HasSubstr("which no earlier task writes"));
}

TEST_P(GraphsWithData, ARunThatIsCancelledLeavesNothingToRead) {
  const buffer<int> x = cell(1);
  std::latch begun(1), released(1);
  const graph g = rt.record([&](submitter& s) {
    s.submit(
        [&](buffer_view<int>) {
          begun.count_down();
          released.wait();
        },
        updates(x));
    s.submit({.label = "second"}, one_more, updates(x));
  });
  ASSERT_TRUE(is_compiled(g));
  const future<void> run = rt.run(g);
  begun.wait();
  run.cancel();
  released.count_down();
  EXPECT_EQ(run.error().code(), failure_code::cancelled);
  EXPECT_THAT(rt.submit(one_more, updates(x)).error().message(), HasSubstr("cancelled"));
}

TEST_P(GraphsWithData, ARunThatIsCancelledWhileItWaitsEndsAtOnce) {
  const buffer<int> x = cell(1), y = cell(1);
  std::latch released(1);
  const future<void> held = rt.submit([&](buffer_view<int>) { released.wait(); }, updates(x));
  const graph g = rt.record([&](submitter& s) {
    s.submit(one_more, updates(x));
    s.submit(add_to, reads(x), updates(y));
  });
  ASSERT_TRUE(is_compiled(g));
  const future<void> run = rt.run(g);
  run.cancel();
  EXPECT_EQ(run.error().code(), failure_code::cancelled);
  const future<void> after = rt.submit(one_more, updates(y));
  EXPECT_FALSE(after.done()) << "it comes after the task that the run was to wait for";
  released.count_down();
  EXPECT_THAT(after.error().message(), HasSubstr("cancelled"));
  EXPECT_THROW((void)x.to_vector(), std::exception);
}

TEST_P(GraphsWithData, ARunThatIsCancelledWhileATaskOfItWaitsKeepsTheRuntime) {
  if (rt.devices().front().lanes < 2) GTEST_SKIP() << "nothing runs beside a task that waits";
  const buffer<int> x = cell(1), y = cell(1);
  std::latch begun(1), released(1);
  const future<void> held = rt.submit([&](buffer_view<int>) { released.wait(); }, updates(x));
  const future<void> later = rt.async({.after = {held}}, [] {});
  std::atomic<bool> has_ended = false;
  const graph g = rt.record([&](submitter& s) {
    s.submit(one_more, updates(x));
    s.submit(
        [&](buffer_view<int>) {
          begun.count_down();
          later.wait();  // its worker does other work meanwhile
          has_ended = true;
        },
        updates(y));
  });
  ASSERT_TRUE(is_compiled(g));
  const future<void> run = rt.run(g);
  begun.wait();
  std::this_thread::sleep_for(std::chrono::milliseconds(2));
  run.cancel();
  // A launch cannot be recalled, and the runtime waits for its body instead of the run.
  EXPECT_EQ(run.done(), GetParam() == data_path::placed);
  released.count_down();
  EXPECT_EQ(run.error().code(), failure_code::cancelled);
  rt.wait();
  EXPECT_TRUE(has_ended);
}

TEST_P(GraphsWithData, ARunInAScopeEndsAtItsDeadline) {
  const buffer<int> x = cell(0);
  std::latch begun(1), released(1);
  const future<void> held = rt.submit(
      [&](buffer_view<int>) {
        begun.count_down();
        released.wait();
      },
      updates(x));
  begun.wait();  // or the thread that waits for the scope runs it
  const graph g = rt.record([&](submitter& s) { s.submit(one_more, updates(x)); });
  ASSERT_TRUE(is_compiled(g));
  future<void> run;
  {
    task_scope scope(rt, {.timeout = std::chrono::milliseconds(5)});
    run = scope.run(g);
    EXPECT_THROW(scope.wait(), error);
  }
  EXPECT_EQ(run.error().code(), failure_code::timed_out);
  released.count_down();
  EXPECT_THAT(rt.submit(one_more, updates(x)).error().message(),
              HasSubstr("did not end before the deadline"));
}

TEST_P(GraphsWithData, AWaitBehindTheOwnViewIsRefused) {
  const buffer<int> x = cell(0), y = cell(0);
  const graph g = rt.record([&](submitter& s) {
    s.submit(one_more, updates(x));
    s.submit(take_over, reads(x), writes(y));
  });
  ASSERT_TRUE(is_compiled(g));
  const auto view_of_x = x.write();
  const future<void> run = rt.run(g);
  task_scope scope(rt);
  scope.submit(one_more, updates(y));
  EXPECT_THROW(scope.wait(), usage_error);
  EXPECT_THROW(run.wait(), usage_error);
  scope.cancel();
}

TEST_P(GraphsWithData, PartsOfABufferEnterByThemselves) {
  const buffer<int, 2> x{rt, {8, 4}, 0};
  const kernel<inout_buffer<int, 2>> more{"more", host_body{[](buffer_view<int, 2> part) {
                                            for (std::size_t r = 0; r < part.extent(0); ++r)
                                              ++part(r, 0);
                                          }}};
  const graph g = rt.record([&](submitter& s) {
    for (std::size_t row = 0; row < 8; ++row) s.submit(more, updates(x.rows(row, row + 1)));
    s.submit(more, updates(x.rows(2, 6)));
  });
  ASSERT_TRUE(is_compiled(g));
  std::latch released(1);
  const future<void> held =
      rt.submit([&](buffer_view<int, 2>) { released.wait(); }, updates(x.rows(0, 1)));
  const future<void> run = rt.run(g);
  // The rows that nothing holds.
  if (rt.devices().front().lanes > 1) {
    EXPECT_EQ(x.rows(5, 6).read()(0, 0), 2);
    EXPECT_EQ(x.rows(7, 8).read()(0, 0), 1);
  }
  EXPECT_FALSE(run.done());
  released.count_down();
  run.get();
  for (int i = 0; i < 50; ++i) rt.run(g);
  rt.wait();
  const auto all = x.read();
  for (std::size_t r = 0; r < 8; ++r) EXPECT_EQ(all(r, 0), r >= 2 && r < 6 ? 102 : 51) << r;
}

/// Graphs that use the same buffers in opposite directions, beside tasks that use two of them.
void run_against_one_another(runtime& rt, std::size_t buffers, int rounds) {
  std::vector<buffer<int>> all;
  for (std::size_t i = 0; i < buffers; ++i) all.emplace_back(rt, 1, 0);
  const graph up = rt.record([&](submitter& s) {
    s.submit(one_more, updates(all.front()));
    for (std::size_t i = 1; i < buffers; ++i) s.submit(add_to, reads(all[i - 1]), updates(all[i]));
  });
  const graph down = rt.record([&](submitter& s) {
    s.submit(one_more, updates(all.back()));
    for (std::size_t i = buffers - 1; i > 0; --i)
      s.submit(add_to, reads(all[i]), updates(all[i - 1]));
  });
  ASSERT_TRUE(is_compiled(up));
  std::vector<std::jthread> threads;
  for (const graph& g : {up, down, up}) {
    threads.emplace_back([&rt, g, rounds] {
      for (int i = 0; i < rounds; ++i) rt.run(g);
    });
  }
  threads.emplace_back([&] {
    for (int i = 0; i < rounds; ++i) {
      const std::size_t at = static_cast<std::size_t>(i) % (buffers - 1);
      rt.submit(add_to, reads(all[at + 1]), updates(all[at]));
      rt.submit(add_to, reads(all.front()), updates(all.back()));
    }
  });
  threads.clear();
  rt.wait();
}

TEST_P(GraphsWithData, RunsOfManyThreadsNeverWaitInACircle) { run_against_one_another(rt, 4, 200); }

TEST_P(GraphsWithData, RunsOverVeryManyBuffersNeverWaitInACircle) {
  run_against_one_another(rt, 100, 50);
}

TEST_P(GraphsWithData, NoTaskComesBetweenTheTasksOfALargeRun) {
  std::vector<buffer<int>> all;
  for (int i = 0; i < 150; ++i) all.push_back(cell(0));
  // The middle one of three tasks is known to the run alone.
  const graph g = rt.record([&](submitter& s) {
    for (int i = 0; i < 3; ++i) {
      for (const buffer<int>& each : all) s.submit(one_more, updates(each));
    }
  });
  ASSERT_TRUE(is_compiled(g));
  std::atomic<bool> is_over{false};
  std::atomic<int> between{0};
  {
    const std::jthread looks([&] {
      for (std::size_t i = 0; !is_over; i = (i + 7) % all.size()) {
        const auto look = [&](buffer_view<const int> v) {
          if (v(0) % 3 != 0) ++between;
        };
        rt.submit(look, reads(all[i])).wait();
      }
    });
    for (int i = 0; i < 100; ++i) rt.run(g).wait();
    is_over = true;
  }
  EXPECT_EQ(between, 0);
  EXPECT_THAT(all.back().to_vector(), ElementsAre(300));
}

TEST_P(GraphsWithData, GraphsAndRunsOutliveTheirRuntime) {
  std::optional<graph> g;
  future<void> run, cancelled;
  {
    runtime own(options_of(GetParam()));
    const buffer<int> x{own, 1, 0};
    g = own.record([&](submitter& s) {
      for (int i = 0; i < 3; ++i) s.submit(one_more, updates(x));
    });
    ASSERT_TRUE(is_compiled(*g));
    for (int i = 0; i < 5; ++i) run = own.run(*g);
    cancelled = own.run(*g);
    cancelled.cancel();
  }
  EXPECT_TRUE(run.done());
  EXPECT_FALSE(run.error());
  EXPECT_TRUE(cancelled.done());
  run.cancel();
  EXPECT_THROW(rt.run(*g), usage_error);
}

TEST_P(GraphsWithData, KeepsItsDataUntilARunHasEnded) {
  std::latch released(1);
  future<void> run;
  std::atomic<int> last{0};
  {
    const buffer<int> x = cell(3);
    const graph g = rt.record([&](submitter& s) {
      s.submit([&](buffer_view<int>) { released.wait(); }, updates(x));
      s.submit([&](buffer_view<const int> v) { last = v(0); }, reads(x));
    });
    run = rt.run(g);
  }
  released.count_down();
  run.get();
  EXPECT_EQ(last, 3);
}

TEST_P(GraphsWithData, RunsWithinScopesAndLoops) {
  const buffer<int> x = cell(0);
  const graph body = rt.record([&](submitter& s) {
    s.submit(one_more, updates(x));
    s.submit(one_more, updates(x));
  });
  ASSERT_TRUE(is_compiled(body));
  {
    task_scope scope(rt);
    for (int i = 0; i < 10; ++i) scope.run(body);
    scope.wait();
  }
  EXPECT_THAT(x.to_vector(), ElementsAre(20));
  int rounds = 0;
  rt.run_while([&] { return ++rounds <= 10; }, body, 100).get();
  EXPECT_THAT(x.to_vector(), ElementsAre(40));
}

TEST_P(GraphsWithData, AWaitForWhatFollowsTheOwnTaskIsRefused) {
  const buffer<int> x = cell(0);
  future<void> outside;
  std::atomic<bool> is_set = false;
  std::string said;
  const auto wait_for_it = [&](buffer_view<int>) {
    is_set.wait(false);
    try {
      outside.wait();
    } catch (const usage_error& refused) {
      said = refused.what();
    }
  };
  const graph g = rt.record([&](submitter& s) {
    s.submit(one_more, updates(x));
    s.submit({.label = "inner"}, wait_for_it, updates(x));  // no boundary task
    s.submit(one_more, updates(x));
  });
  ASSERT_TRUE(is_compiled(g));
  const future<void> run = rt.run(g);
  outside = rt.submit({.label = "outside"}, one_more, updates(x));
  is_set = true;
  is_set.notify_all();
  outside.get();
  run.get();
  EXPECT_THAT(said, AllOf(HasSubstr("\"outside\""), HasSubstr("waits for it")));
  EXPECT_THAT(x.to_vector(), ElementsAre(3));
}

TEST_P(GraphsWithData, AWaitForWhatFollowsAnotherTaskOfTheRunIsNot) {
  if (rt.devices().front().lanes < 2) GTEST_SKIP() << "nothing runs beside a task that waits";
  const buffer<int> x = cell(0), y = cell(0);
  future<void> outside;
  std::atomic<bool> is_set = false;
  const graph g = rt.record([&](submitter& s) {
    s.submit(one_more, updates(y));
    s.submit(
        [&](buffer_view<int>) {
          is_set.wait(false);
          outside.wait();
        },
        updates(x));
  });
  ASSERT_TRUE(is_compiled(g));
  const future<void> run = rt.run(g);
  outside = rt.submit(one_more, updates(y));
  is_set = true;
  is_set.notify_all();
  EXPECT_NO_THROW(run.get());
  EXPECT_THAT(y.to_vector(), ElementsAre(2));
}

INSTANTIATE_TEST_SUITE_P(, GraphsWithData,
                         ::testing::Values(data_path::in_place, data_path::placed),
                         [](const auto& of) {
                           return of.param == data_path::in_place ? "in_place" : "placed";
                         });

}  // namespace
}  // namespace hocket
