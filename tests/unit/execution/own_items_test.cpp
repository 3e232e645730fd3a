// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

// Items that threads take back which have posted them.

#include <array>
#include <atomic>
#include <memory>
#include <thread>

#include <gtest/gtest.h>

#include <hocket/execution/own_items.hpp>
#include <hocket/execution/tbb_executor.hpp>

#include "executor_fixture.hpp"

namespace hocket {
namespace {

using testing::one_worker;
using testing::run_inside;

TEST(own_items, a_worker_takes_back_what_it_has_posted_last) {
  tbb_executor ex(one_worker());
  std::array<int, 3> called{};
  const auto call = [](void* what) { ++*static_cast<int*>(what); };
  const auto accepts = [](void* what, const void* by) { return what == by; };
  EXPECT_FALSE(take_own_item(&called[0])) << "the calling thread is no worker";
  run_inside(ex, [&] {
    for (int& each : called) ex.post_bare(0, 0, {call, &each}, current_worker(ex.pool()));
    EXPECT_FALSE(take_own_item(&called[0])) << "it is not the newest";
    EXPECT_TRUE(take_own_item(&called[2]));
    EXPECT_EQ(take_own_item_if(accepts, &called[0]), nullptr);
    EXPECT_EQ(take_own_item_if(accepts, &called[1]), &called[1]);
    EXPECT_EQ(take_passed_over_item(accepts), nullptr) << "none was passed over";
    ex.post(0, 0, [] {});
    EXPECT_EQ(take_own_item_if(accepts, &called[0]), nullptr) << "the newest is no bare item";
  });
  run_inside(ex, [] {});
  EXPECT_EQ(called, (std::array<int, 3>{1, 0, 0})) << "what is not taken back is called";
}

/// Keeps the only worker of an executor at one item.
class busy_worker {
 public:
  explicit busy_worker(executor& ex) {
    ex.post(0, 0, [of = state_] {
      of->begun = true;
      while (!of->over) std::this_thread::yield();
    });
    while (!state_->begun) std::this_thread::yield();
  }
  busy_worker(const busy_worker&) = delete;
  busy_worker& operator=(const busy_worker&) = delete;
  ~busy_worker() { state_->over = true; }

 private:
  struct state {
    std::atomic<bool> begun{false};
    std::atomic<bool> over{false};
  };
  std::shared_ptr<state> state_ = std::make_shared<state>();
};

TEST(own_items, a_thread_that_is_no_worker_takes_back_what_it_has_posted) {
  std::array<int, 3> called{};
  const auto call = [](void* what) { ++*static_cast<int*>(what); };
  tbb_executor other(one_worker());
  {
    tbb_executor ex(one_worker());
    const busy_worker busy(ex);
    for (int& each : called) ex.post_bare(0, 0, {call, &each}, nullptr);
    EXPECT_FALSE(ex.take_back(0, &called[1])) << "it is not the first";
    EXPECT_FALSE(other.take_back(0, &called[0])) << "it was posted to another";
    EXPECT_TRUE(ex.take_back(0, &called[0]));
    EXPECT_FALSE(ex.take_back(0, &called[0])) << "it is taken";
  }
  EXPECT_EQ(called, (std::array<int, 3>{0, 1, 1})) << "what is not taken back is called";
}

/// Counts how often it was run.
class counted_item final : public executor::intrusive_item {
 public:
  void run() noexcept override { ++runs; }
  std::atomic<int> runs{0};
};

TEST(own_items, an_intrusive_item_runs_as_often_as_it_is_posted_and_is_no_bare_item) {
  counted_item item;
  {
    tbb_executor ex(one_worker());
    for (const int priority : {-1, 0, 1}) ex.post_intrusive(0, priority, item);
    run_inside(ex, [&] {
      const auto accepts = [](void*, const void*) { return true; };
      ex.post_intrusive(0, 0, item);
      EXPECT_EQ(take_own_item_if(accepts, nullptr), nullptr);
    });
  }
  EXPECT_EQ(item.runs, 4);
}

}  // namespace
}  // namespace hocket
