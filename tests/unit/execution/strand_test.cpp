// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <thread>
#include <vector>

#include <hocket/execution/pump.hpp>

#include "strand_handler.hpp"

namespace hocket {
namespace {

TEST(inbox, gives_values_in_the_order_of_their_pushes) {
  inbox<int> values;
  EXPECT_TRUE(values.push(1));
  EXPECT_FALSE(values.push(2));
  EXPECT_FALSE(values.leave());
  EXPECT_EQ(values.pop(), 1);
  EXPECT_FALSE(values.push(3));
  EXPECT_EQ(values.pop(), 2);
  EXPECT_EQ(values.pop(), 3);
  EXPECT_TRUE(values.leave());
  EXPECT_TRUE(values.push(4)) << "nobody attends it any more";
}

TEST(inbox, destroys_what_was_not_taken) {
  auto counted = std::make_shared<int>(0);
  {
    inbox<std::shared_ptr<int>> values;
    (void)values.push(std::shared_ptr<int>(counted));
    (void)values.push(std::shared_ptr<int>(counted));
    (void)values.push(std::shared_ptr<int>(counted));
    (void)values.pop();
    EXPECT_EQ(counted.use_count(), 3);
  }
  EXPECT_EQ(counted.use_count(), 1);
}

TEST(inbox, takes_values_that_can_only_be_moved) {
  inbox<std::unique_ptr<int>> values;
  (void)values.push(std::make_unique<int>(7));
  EXPECT_EQ(*values.pop(), 7);
}

using testing::strand_handler;
using int_handler = strand_handler<int>;
using int_strand = strand<int, int_handler>;

TEST(strand, steps_in_the_thread_that_posts) {
  std::thread::id stepped_by;
  int_handler handler{[&](int&&) { stepped_by = std::this_thread::get_id(); }};
  int_strand s(handler, 10);
  s.post(1);
  EXPECT_EQ(stepped_by, std::this_thread::get_id());
}

TEST(strand, steps_what_a_handler_posts_after_the_handler) {
  std::vector<int> order;
  int_handler handler;
  int_strand s(handler, 10);
  handler.on_step = [&](int&& n) {
    if (n < 3) s.post(n + 1);
    order.push_back(n);
  };
  s.post(1);
  EXPECT_EQ(order, (std::vector<int>{1, 2, 3}));
}

TEST(strand, steps_what_is_there_in_one_run) {
  std::vector<int> order;
  int_handler handler{[&](int&& n) { order.push_back(n); }};
  int_strand s(handler, 10);
  handler.on_end = [&] {
    order.push_back(-handler.runs_ended);
    if (handler.runs_ended > 1) return;
    s.post(2);
    s.post(3);
  };
  s.post(1);
  EXPECT_EQ(order, (std::vector<int>{1, -1, 2, 3, -2}));
  EXPECT_EQ(handler.runs_begun, 2);
}

TEST(strand, hands_over_at_its_bound_and_keeps_its_owner) {
  int stepped = 0;
  int handed_over = 0;
  int_handler handler;
  int_strand s(handler, 4);
  handler.on_step = [&](int&& n) {
    ++stepped;
    if (n > 0) s.post(n - 1);
  };
  handler.later = [&] { ++handed_over; };
  s.post(9);
  EXPECT_EQ(stepped, 4);
  EXPECT_EQ(handed_over, 1);
  s.post(0);
  EXPECT_EQ(stepped, 4) << "the strand belongs to the thread that resumes it";
  EXPECT_FALSE(s.try_own());
  s.resume();
  EXPECT_EQ(stepped, 8);
  s.resume();
  EXPECT_EQ(stepped, 11);
  EXPECT_EQ(handed_over, 2);
  EXPECT_FALSE(s.owned());
}

TEST(strand, does_not_hand_over_when_its_bound_is_just_enough) {
  int handed_over = 0;
  int_handler handler{[](int&&) {}, [&] { ++handed_over; }};
  int_strand s(handler, 1);
  s.post(1);
  EXPECT_EQ(handed_over, 0);
}

TEST(strand, keeps_its_events_for_a_thread_that_owns_it) {
  int stepped = 0;
  int_handler handler{[&](int&&) { ++stepped; }};
  int_strand s(handler, 10);
  EXPECT_TRUE(s.try_own());
  EXPECT_FALSE(s.try_own());
  s.post(1);
  s.post(2);
  EXPECT_EQ(stepped, 0);
  EXPECT_TRUE(s.owned());
  s.resume();
  EXPECT_EQ(stepped, 2);
  EXPECT_FALSE(s.owned());
}

TEST(strand, has_one_owner_at_a_time_over_many_threads) {
  constexpr int threads = 4;
  constexpr int each = 5000;
  std::vector<int> last(threads, 0);  // not atomic: the strand orders the steps
  int stepped = 0;
  std::atomic<bool> owned = false;
  std::atomic<bool> done = false;
  {
    pump later("later");
    using handler_of_pairs = strand_handler<std::pair<int, int>>;
    handler_of_pairs handler{[&](std::pair<int, int>&& e) {
      EXPECT_FALSE(owned.exchange(true));
      EXPECT_EQ(e.second, ++last[static_cast<std::size_t>(e.first)]);
      owned = false;
      if (++stepped != threads * each) return;
      done = true;
      done.notify_one();
    }};
    strand<std::pair<int, int>, handler_of_pairs> s(handler, 16);
    handler.later = [&] { later.post([&] { s.resume(); }); };
    {
      std::vector<std::jthread> posting;
      for (int t = 0; t < threads; ++t) {
        posting.emplace_back([&s, t] {
          for (int i = 1; i <= each; ++i) s.post({t, i});
        });
      }
    }
    done.wait(false);
    while (s.owned()) std::this_thread::yield();
  }
  EXPECT_EQ(stepped, threads * each);
}

}  // namespace
}  // namespace hocket
