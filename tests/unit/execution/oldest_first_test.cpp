// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "oldest_first.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <optional>

#include <hocket/execution/tbb_executor.hpp>

#include "executor_fixture.hpp"

namespace hocket {
namespace {

using std::chrono::microseconds;
using testing::gate;
using testing::one_worker;
using testing::run_inside;

/// The numbers of the oldest and of the next item.
struct deque {
  [[nodiscard]] std::int64_t top() const noexcept { return oldest; }
  [[nodiscard]] std::int64_t bottom() const noexcept { return next; }

  std::int64_t oldest = 0;
  std::int64_t next = 0;
};

class OldestFirst : public ::testing::Test {
 protected:
  /// A lap begins so much later than the last one. Returns how many oldest items are due in it.
  std::size_t due_in_lap_after(oldest_first::clock::duration time, bool others_wait = false) {
    now_ += time;
    first_.begin_lap(now_, items_, others_wait);
    std::size_t due = 0;
    for (; first_.is_due(); ++due) (void)first_.count();
    return due;
  }

  static constexpr auto little = oldest_first::long_wait / 8;
  oldest_first first_;
  deque items_;
  oldest_first::clock::time_point now_ = oldest_first::clock::now();
};

TEST_F(OldestFirst, one_in_a_lap_where_none_waits_for_long) {
  for (int lap = 0; lap < 32; ++lap) {
    items_.next += 5;
    items_.oldest += 5;
    EXPECT_EQ(due_in_lap_after(little), 1U);
  }
}

TEST_F(OldestFirst, half_of_a_lap_while_one_waits_that_has_waited_for_long) {
  items_.next = 3;
  EXPECT_EQ(due_in_lap_after(little), 1U);
  items_.next = 300;
  EXPECT_EQ(due_in_lap_after(oldest_first::long_wait), 16U) << "the first three wait still";
  items_.oldest = 2;
  EXPECT_EQ(due_in_lap_after(little), 16U);
  items_.oldest = 3;
  EXPECT_EQ(due_in_lap_after(little), 1U) << "the others are new";
  EXPECT_EQ(due_in_lap_after(oldest_first::long_wait), 16U);
}

TEST_F(OldestFirst, a_number_that_is_used_anew_is_a_new_item) {
  items_.next = 3;
  EXPECT_EQ(due_in_lap_after(little), 1U);
  items_.next = 0;
  EXPECT_EQ(due_in_lap_after(little), 1U);
  items_.next = 3;
  EXPECT_EQ(due_in_lap_after(oldest_first::long_wait - little), 1U);
}

TEST_F(OldestFirst, counts_what_waits_elsewhere) {
  EXPECT_EQ(due_in_lap_after(little, true), 1U);
  EXPECT_EQ(due_in_lap_after(oldest_first::long_wait, true), 16U);
  EXPECT_EQ(due_in_lap_after(little, false), 1U);
}

TEST_F(OldestFirst, begins_anew_when_nothing_waits) {
  EXPECT_EQ(due_in_lap_after(little, true), 1U);
  first_.drop();
  EXPECT_FALSE(first_.is_due());
  EXPECT_EQ(due_in_lap_after(oldest_first::long_wait, true), 1U);
}

TEST_F(OldestFirst, is_overdue_when_a_lap_of_resumed_ones_went_before) {
  first_.begin_lap(now_, items_, false);
  for (std::size_t i = 0; i < oldest_first::items_in_a_lap; ++i) {
    EXPECT_FALSE(first_.is_overdue());
    first_.begin_lap(now_, items_, false);
    first_.pass_over();
  }
  EXPECT_TRUE(first_.is_overdue());
  (void)first_.count();
  EXPECT_FALSE(first_.is_overdue());
}

/// A worker that posts two items in each, so that ever more wait.
class flood {
 public:
  explicit flood(executor& ex) : ex_(ex) {}

  void post() {
    ex_.post(0, 0, [this] {
      ++ran;
      const auto end = std::chrono::steady_clock::now() + microseconds(20);
      while (std::chrono::steady_clock::now() < end) continue;
      if (is_over) return;
      post();
      post();
    });
  }

  int ran = 0;
  bool is_over = false;

 private:
  executor& ex_;
};

TEST(oldest_items, come_soon_though_ever_more_newer_ones_wait) {
  std::optional<flood> newer;  // outlives the executor, which runs what is left of it
  tbb_executor ex(one_worker());
  newer.emplace(ex);
  constexpr int older = 1000;
  int ran = 0;
  run_inside(ex, [&] {
    ex.wait([&](const gate& g) {
      for (int i = 0; i < older; ++i) ex.post(0, 0, [] {});
      ex.post(0, 0, [&, g] {
        ran = newer->ran;
        newer->is_over = true;
        g->open();
      });
      newer->post();
    });
  });
  // One in 96 before, so that 96 000 ran.
  EXPECT_LT(ran, 20 * older);
}

TEST(oldest_items, come_though_resumed_ones_always_wait) {
  std::atomic<bool> is_over = false;
  tbb_executor ex(one_worker());
  run_inside(ex, [&] {
    ex.post(0, 0, [&] { is_over = true; });
    // Each of two items goes on at once, and lets the other one go on.
    gate turn_of_other;
    const auto take_turns = [&] {
      while (!is_over) {
        ex.wait([&](const gate& g) {
          if (turn_of_other != nullptr) turn_of_other->open();
          turn_of_other = g;
        });
      }
      if (turn_of_other != nullptr) turn_of_other->open();
      turn_of_other = nullptr;
    };
    ex.wait([&](const gate& g) {
      ex.post(0, 0, [&, g] {
        take_turns();
        g->open();
      });
      ex.post(0, 1, take_turns);
      ex.post(0, 1, take_turns);
    });
  });
  EXPECT_TRUE(is_over);
}

}  // namespace
}  // namespace hocket
