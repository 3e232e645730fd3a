// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>
#include <vector>

#include <hocket/streams/end_watch.hpp>

namespace hocket {
namespace {

/// Things that end when the test says so.
class queue {
 public:
  void end(int count = 1) {
    const std::lock_guard lock(guard_);
    may_end_ += count;
    changed_.notify_all();
  }
  void await(int count) {
    std::unique_lock lock(guard_);
    changed_.wait(lock, [&] { return static_cast<int>(ended_by_.size()) >= count; });
  }
  /// The threads that learned of the ends.
  std::vector<std::thread::id> ended_by() {
    const std::lock_guard lock(guard_);
    return ended_by_;
  }
  std::size_t next() {
    EXPECT_FALSE(is_asked_.exchange(true)) << "two threads wait for the same end";
    std::unique_lock lock(guard_);
    changed_.wait(lock, [&] { return may_end_ > static_cast<int>(ended_by_.size()); });
    ended_by_.push_back(std::this_thread::get_id());
    changed_.notify_all();
    is_asked_ = false;
    return 1;
  }

 private:
  std::mutex guard_;
  std::condition_variable changed_;
  int may_end_ = 0;
  std::atomic<bool> is_asked_ = false;
  std::vector<std::thread::id> ended_by_;

 public:
  end_watch watch{"test", [this] { return next(); }};  // ends before what it uses
};

TEST(end_watch, learns_of_ends_in_a_thread_of_its_own) {
  queue q;
  for (int i = 0; i < 3; ++i) q.watch.added(1);
  q.end(3);
  q.await(3);
  for (const std::thread::id by : q.ended_by()) EXPECT_NE(by, std::this_thread::get_id());
}

TEST(end_watch, a_thread_that_polls_learns_of_ends_itself_or_returns) {
  queue q;
  for (int i = 1; i <= 200; ++i) {
    q.end();
    q.watch.added(1);
    q.watch.poll([] { return false; });
    q.await(i);
  }
  EXPECT_EQ(q.ended_by().size(), 200U);
}

TEST(end_watch, what_a_thread_leaves_behind_is_polled_by_the_watcher) {
  queue q;
  q.end(4);
  for (int i = 0; i < 4; ++i) q.watch.added(1);
  std::atomic<int> asked = 0;
  q.watch.poll([&] { return ++asked == 2; });
  q.await(4);
}

TEST(end_watch, nothing_is_left_for_ever_to_threads_that_do_not_come) {
  queue q;
  for (int i = 1; i <= 20; ++i) {
    q.end();
    q.watch.added(1);
    q.watch.poll([] { return false; });
    q.await(i);
  }
  for (int i = 21; i <= 40; ++i) {
    q.end();
    q.watch.added(1);
    q.await(i);
    EXPECT_NE(q.ended_by().back(), std::this_thread::get_id());
  }
}

TEST(end_watch, leaves_nothing_to_threads_once_one_stops_polling) {
  queue q;
  int ends = 0;
  for (int round = 0; round < 5; ++round) {
    // So long that its own thread, called by the first, has found nothing and sleeps again.
    const auto until = std::chrono::steady_clock::now() + std::chrono::milliseconds(20);
    while (std::chrono::steady_clock::now() < until) {
      q.end();
      q.watch.added(1);
      q.watch.poll([] { return false; });
      q.await(++ends);
    }
    // By now it leaves ends to threads that attend.
    q.end();
    q.watch.added(1);
    q.watch.stop_polling();
    q.await(++ends);
  }
}

TEST(end_watch, one_thread_at_a_time_waits_for_an_end) {
  queue q;
  q.watch.added(1);
  std::vector<std::jthread> threads;
  for (int i = 0; i < 3; ++i) {
    threads.emplace_back([&] { q.watch.poll([] { return false; }); });
  }
  std::this_thread::sleep_for(std::chrono::milliseconds(5));
  q.end();
  q.await(1);
}

TEST(end_watch, many_threads_poll_while_others_add_and_stop_polling) {
  constexpr int each = 2'000;
  queue q;
  std::vector<std::thread> threads;
  for (int t = 0; t < 3; ++t) {
    threads.emplace_back([&q, t] {
      for (int i = 0; i < each; ++i) {
        q.end();
        q.watch.added(1);
        if (t == 0) q.watch.stop_polling();
        if (t == 1) q.watch.poll([] { return false; });
        if (t == 2 && i % 2 == 0) q.watch.poll([] { return true; });
      }
    });
  }
  for (std::thread& t : threads) t.join();
  q.await(3 * each);
  EXPECT_EQ(q.ended_by().size(), 3U * each);
}

}  // namespace
}  // namespace hocket
