// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <functional>
#include <latch>
#include <memory>
#include <stdexcept>
#include <thread>
#include <vector>

#include <hocket/execution/tbb_executor.hpp>

#include "executor_fixture.hpp"

namespace hocket {
namespace {

using std::chrono::milliseconds;
using testing::gate;
using testing::one_worker;
using testing::run_inside;
using testing::this_machine;

TEST(tbb_executor, describes_its_arenas) {
  tbb_executor ex(this_machine());
  ASSERT_EQ(ex.arenas(), ex.topology().nodes().size());
  for (std::size_t i = 0; i < ex.arenas(); ++i) {
    EXPECT_EQ(ex.workers(i), ex.topology().nodes()[i].cores);
  }
  EXPECT_FALSE(ex.is_virtual());
  const time_stamp before = ex.now();
  EXPECT_GE(ex.now(), before);
}

TEST(tbb_executor, counts_ticks_that_are_times) {
  tbb_executor ex(this_machine());
  const time_stamp before = ex.now();
  const std::int64_t first = ex.ticks();
  std::int64_t second = first;
  while (ex.now() < before + milliseconds(5)) second = ex.ticks();
  const time_stamp after = ex.now();
  EXPECT_GT(second, first);
  const tick_scale scale = ex.scale_of_ticks();
  // The two clocks cannot be read at one moment.
  constexpr milliseconds apart{1};
  EXPECT_GE(scale.time_of(first), before - apart);
  EXPECT_GT(scale.time_of(second), scale.time_of(first));
  EXPECT_LE(scale.time_of(second), after + apart);
}

TEST(tbb_executor, runs_items_of_every_arena_and_priority_inside) {
  tbb_executor ex(this_machine());
  EXPECT_FALSE(ex.inside());
  for (std::size_t arena = 0; arena < ex.arenas(); ++arena) {
    for (const int priority : {-3, 0, 7}) {
      bool was_inside = false;
      ex.wait([&](const gate& g) {
        ex.post(arena, priority, [&, g] {
          was_inside = ex.inside();
          g->open();
        });
      });
      EXPECT_TRUE(was_inside);
    }
  }
  EXPECT_FALSE(ex.inside());
}

TEST(tbb_executor, fills_an_arena_without_help) {
  tbb_executor ex(this_machine());
  for (std::size_t arena = 0; arena < ex.arenas(); ++arena) {
    // Each item blocks its worker until all of them are there.
    const auto count = static_cast<std::ptrdiff_t>(ex.workers(arena));
    std::latch all(count);
    std::atomic<std::ptrdiff_t> left = count;
    ex.wait([&](const gate& g) {
      for (std::ptrdiff_t i = 0; i < count; ++i) {
        ex.post(arena, 0, [&, g] {
          all.arrive_and_wait();
          if (left.fetch_sub(1) == 1) g->open();
        });
      }
    });
  }
}

TEST(tbb_executor, runs_what_many_threads_post) {
  constexpr int threads = 4;
  constexpr int each = 2000;
  std::atomic<int> ran = 0;
  {
    tbb_executor ex(this_machine());
    std::vector<std::jthread> posting;
    for (int t = 0; t < threads; ++t) {
      posting.emplace_back([&, t] {
        for (int i = 0; i < each; ++i) {
          const auto arena = static_cast<std::size_t>(t) % ex.arenas();
          ex.post(arena, i % 3 - 1, [&] { ran.fetch_add(1, std::memory_order_relaxed); });
        }
      });
    }
    posting.clear();
  }
  EXPECT_EQ(ran, threads * each) << "the end of an executor waits for its items";
}

TEST(tbb_executor, keeps_what_many_threads_post_while_no_worker_is_free) {
  constexpr int threads = 4;
  constexpr int each = 3000;
  std::vector<std::atomic<int>> runs(threads * each);
  {
    std::latch all_posted(1);
    tbb_executor ex(one_worker());
    ex.post(0, 1, [&] { all_posted.wait(); });
    std::vector<std::jthread> posting;
    for (int t = 0; t < threads; ++t) {
      posting.emplace_back([&, t] {
        for (int i = t; i < threads * each; i += threads) {
          ex.post(0, i % 5 == 0 ? 1 : 0, [&runs, i] { ++runs[static_cast<std::size_t>(i)]; });
        }
      });
    }
    posting.clear();
    all_posted.count_down();
  }
  EXPECT_TRUE(std::ranges::all_of(runs, [](const auto& count) { return count == 1; }));
}

TEST(tbb_executor, two_executors_do_not_know_each_other) {
  tbb_executor one(this_machine());
  auto two = std::make_unique<tbb_executor>(one_worker());
  run_inside(one, [&] {
    EXPECT_FALSE(two->inside());
    // Waiting for another executor's work parks this worker.
    bool ran = false;
    run_inside(*two, [&] { ran = two->inside() && !one.inside(); });
    EXPECT_TRUE(ran);
  });
  two.reset();
  run_inside(one, [] {});
}

void busy_worker_then(int busy_priority) {
  std::atomic<bool> release = false;
  std::atomic<int> lows = 0;
  std::atomic<int> lows_before_high = -1;
  tbb_executor ex(one_worker());
  constexpr int count = 20;
  ex.post(0, busy_priority, [&] { release.wait(false); });
  for (int i = 0; i < count; ++i) ex.post(0, -1, [&] { ++lows; });
  ex.wait([&](const gate& g) {
    ex.post(0, 1, [&, g] {
      lows_before_high = lows.load();
      g->open();
    });
    release = true;
    release.notify_one();
  });
  EXPECT_EQ(lows_before_high, 0);
}

TEST(tbb_executor, high_priority_overtakes_low) { busy_worker_then(-1); }
TEST(tbb_executor, high_priority_overtakes_low_behind_normal) { busy_worker_then(0); }

TEST(tbb_executor, timed_items_run_inside_and_not_too_early) {
  std::atomic<int> left = 3;
  tbb_executor ex(this_machine());
  ex.wait([&](const gate& g) {
    for (const auto after : {milliseconds(9), milliseconds(0), milliseconds(4)}) {
      const time_stamp due = ex.now() + after;
      ex.post_at(due, [&, due, g] {
        EXPECT_GE(ex.now(), due);
        EXPECT_TRUE(ex.inside());
        if (left.fetch_sub(1) == 1) g->open();
      });
    }
  });
}

TEST(tbb_executor, drops_timed_items_that_are_not_due_at_its_end) {
  tbb_executor ex(this_machine());
  ex.post_at(time_stamp::max(), [] { ADD_FAILURE(); });
  ex.post_at(ex.now() + std::chrono::hours(1), [] { ADD_FAILURE(); });
}

/// Which range each index was in; ranges must cover all of them once.
std::vector<std::size_t> ranges_of(executor& ex, std::size_t arena, std::size_t count,
                                   std::size_t grain) {
  std::vector<std::size_t> begin_of(count, count);
  std::atomic<std::size_t> covered = 0;
  ex.for_ranges(arena, count, grain, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) begin_of[i] = begin;
    covered += end - begin;
  });
  EXPECT_EQ(covered, count);
  return begin_of;
}

std::vector<std::size_t> expected_ranges(std::size_t count, std::size_t grain) {
  std::vector<std::size_t> begin_of(count);
  for (std::size_t i = 0; i < count; ++i) begin_of[i] = i / grain * grain;
  return begin_of;
}

TEST(tbb_executor, ranges_depend_on_count_and_grain_alone) {
  tbb_executor ex(this_machine());
  for (const std::size_t count : {0U, 1U, 7U, 1000U}) {
    for (const std::size_t grain : {1U, 7U, 64U, 5000U}) {
      const auto expected = expected_ranges(count, grain);
      for (std::size_t arena = 0; arena < ex.arenas(); ++arena) {
        EXPECT_EQ(ranges_of(ex, arena, count, grain), expected);
        run_inside(ex, [&] { EXPECT_EQ(ranges_of(ex, arena, count, grain), expected); });
      }
    }
  }
}

TEST(tbb_executor, ranges_may_be_nested) {
  std::atomic<std::size_t> sum = 0;
  tbb_executor ex(this_machine());
  run_inside(ex, [&] {
    ex.for_ranges(0, 10, 1, [&](std::size_t, std::size_t) {
      EXPECT_TRUE(ex.inside());
      ex.for_ranges(0, 100, 10, [&](std::size_t begin, std::size_t end) { sum += end - begin; });
    });
  });
  EXPECT_EQ(sum, 1000U);
}

TEST(tbb_executor, ranges_rethrow_what_a_piece_throws) {
  tbb_executor ex(this_machine());
  const auto throwing = [&] {
    ex.for_ranges(0, 100, 1, [](std::size_t begin, std::size_t) {
      if (begin == 42) throw std::runtime_error("forty-two");
    });
  };
  EXPECT_THROW(throwing(), std::runtime_error);
  run_inside(ex, [&] { EXPECT_THROW(throwing(), std::runtime_error); });
}

TEST(tbb_executor, who_waits_for_ranges_takes_up_no_items) {
  std::atomic<bool> in_ranges = false;
  std::atomic<bool> taken_up = false;
  tbb_executor ex(one_worker());
  run_inside(ex, [&] {
    for (int i = 0; i < 10; ++i) {
      ex.post(0, 0, [&] {
        if (in_ranges) taken_up = true;
      });
    }
    in_ranges = true;
    ex.for_ranges(0, 200, 1, [](std::size_t, std::size_t) {});
    in_ranges = false;
  });
  EXPECT_FALSE(taken_up);
}

}  // namespace
}  // namespace hocket
