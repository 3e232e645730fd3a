// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <thread>
#include <vector>

#include <hocket/execution/pump.hpp>
#include <hocket/execution/strand.hpp>

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
    (void)values.push(counted);
    (void)values.push(counted);
    (void)values.push(counted);
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

TEST(strand, steps_in_the_thread_that_posts) {
  std::thread::id stepped_by;
  strand<int> s([&](int&&) { stepped_by = std::this_thread::get_id(); }, [] {}, 10);
  s.post(1);
  EXPECT_EQ(stepped_by, std::this_thread::get_id());
}

TEST(strand, steps_what_a_handler_posts_after_the_handler) {
  std::vector<int> order;
  strand<int>* self = nullptr;
  strand<int> s(
      [&](int&& n) {
        if (n < 3) self->post(n + 1);
        order.push_back(n);
      },
      [] {}, 10);
  self = &s;
  s.post(1);
  EXPECT_EQ(order, (std::vector<int>{1, 2, 3}));
}

TEST(strand, hands_over_at_its_bound_and_keeps_its_owner) {
  int stepped = 0;
  int handed_over = 0;
  strand<int>* self = nullptr;
  strand<int> s(
      [&](int&& n) {
        ++stepped;
        if (n > 0) self->post(n - 1);
      },
      [&] { ++handed_over; }, 4);
  self = &s;
  s.post(9);
  EXPECT_EQ(stepped, 4);
  EXPECT_EQ(handed_over, 1);
  s.post(0);
  EXPECT_EQ(stepped, 4) << "the strand belongs to whoever resumes it";
  s.resume();
  EXPECT_EQ(stepped, 8);
  s.resume();
  EXPECT_EQ(stepped, 11);
  EXPECT_EQ(handed_over, 2);
  EXPECT_FALSE(s.owned());
}

TEST(strand, does_not_hand_over_when_its_bound_is_just_enough) {
  int handed_over = 0;
  strand<int> s([](int&&) {}, [&] { ++handed_over; }, 1);
  s.post(1);
  EXPECT_EQ(handed_over, 0);
}

TEST(strand, never_steps_in_post_only) {
  int stepped = 0;
  int asked = 0;
  strand<int> s([&](int&&) { ++stepped; }, [&] { ++asked; }, 10);
  s.post_only(1);
  s.post_only(2);
  EXPECT_EQ(stepped, 0);
  EXPECT_EQ(asked, 1);
  EXPECT_TRUE(s.owned());
  s.resume();
  EXPECT_EQ(stepped, 2);
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
    strand<std::pair<int, int>>* self = nullptr;
    strand<std::pair<int, int>> s(
        [&](std::pair<int, int>&& e) {
          EXPECT_FALSE(owned.exchange(true));
          EXPECT_EQ(e.second, ++last[static_cast<std::size_t>(e.first)]);
          owned = false;
          if (++stepped != threads * each) return;
          done = true;
          done.notify_one();
        },
        [&] { later.post([&] { self->resume(); }); }, 16);
    self = &s;
    {
      std::vector<std::jthread> posting;
      for (int t = 0; t < threads; ++t) {
        posting.emplace_back([&s, t] {
          for (int i = 1; i <= each; ++i) {
            if (i % 3 == 0)
              s.post_only({t, i});
            else
              s.post({t, i});
          }
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
