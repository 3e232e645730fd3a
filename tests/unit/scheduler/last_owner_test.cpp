// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
//
// Runtimes whose last owner is something of a task of theirs, which goes in a thread that is none
// of their own: the destructor must not wait for that task.

#include <atomic>
#include <chrono>
#include <functional>
#include <future>
#include <memory>
#include <stop_token>
#include <thread>
#include <utility>

#include "runtimes.hpp"

namespace hocket {
namespace {

using namespace hocket::testing;
using namespace std::chrono_literals;

class last_owner : public ::testing::TestWithParam<data_path> {
 protected:
  [[nodiscard]] static runtime_options options() {
    return {
        .devices = "NUMA0", .data_tasks = GetParam(), .topology = machine("numa:1 core:2 pu:1")};
  }

  void SetUp() override {
    own_ = std::make_shared<runtime>(options());
    gate_ = own_->async([is_open = is_open_] { is_open->wait(false); });
  }
  void TearDown() override {
    open_gate();
    EXPECT_TRUE(gate_.wait_for(20s));
  }
  void open_gate() {
    *is_open_ = true;
    is_open_->notify_all();
  }

  /// Whether the call returns. If not, the thread stays behind.
  [[nodiscard]] static bool returns(std::function<void()> call) {
    std::promise<void> returned;
    std::future<void> at_end = returned.get_future();
    std::thread([call = std::move(call), returned = std::move(returned)]() mutable {
      call();
      returned.set_value();
    }).detach();
    return at_end.wait_for(20s) == std::future_status::ready;
  }

  std::shared_ptr<std::atomic<bool>> is_open_ = std::make_shared<std::atomic<bool>>(false);
  std::shared_ptr<runtime> own_;
  future<void> gate_;  ///< a task that runs until the gate is opened
};
INSTANTIATE_TEST_SUITE_P(, last_owner, ::testing::Values(data_path::placed, data_path::in_place),
                         [](const auto& of) {
                           return of.param == data_path::placed ? "placed" : "in_place";
                         });

TEST_P(last_owner, goes_with_a_function_that_is_cancelled) {
  future<void> task = own_->async(gate_, [own = own_] {});
  own_.reset();
  EXPECT_TRUE(returns([&task] { task.cancel(); }));
  EXPECT_EQ(task.error().code(), failure_code::cancelled);
}

TEST_P(last_owner, goes_with_a_continuation_that_is_cancelled) {
  future<void> task = gate_.then([own = own_] {});
  own_.reset();
  EXPECT_TRUE(returns([&task] { task.cancel(); }));
  EXPECT_EQ(task.error().code(), failure_code::cancelled);
}

TEST_P(last_owner, goes_with_a_function_whose_time_is_over) {
  const future<void> task =
      own_->async({.timeout = 1ms, .after = {gate_}}, [own = std::exchange(own_, nullptr)] {});
  EXPECT_TRUE(task.wait_for(20s));
  open_gate();
  EXPECT_EQ(task.error().code(), failure_code::timed_out);
}

TEST_P(last_owner, goes_with_a_function_with_data_that_is_cancelled) {
  const buffer<int> x{*own_, 1, 0};
  future<void> task = own_->submit(
      {.after = {gate_}}, [own = own_](buffer_view<int>) {}, updates(x));
  own_.reset();
  EXPECT_TRUE(returns([&task] { task.cancel(); }));
  EXPECT_EQ(task.error().code(), failure_code::cancelled);
}

TEST_P(last_owner, goes_with_a_function_with_data_whose_token_is_stopped) {
  std::stop_source stop;
  const buffer<int> x{*own_, 1, 0};
  const future<void> task = own_->submit(
      {.stop = stop.get_token(), .after = {gate_}}, [own = own_](buffer_view<int>) {}, updates(x));
  own_.reset();
  EXPECT_TRUE(returns([&stop] { stop.request_stop(); }));
  EXPECT_TRUE(task.wait_for(20s));
  EXPECT_EQ(task.error().code(), failure_code::cancelled);
}

TEST_P(last_owner, goes_with_a_function_with_data_whose_time_is_over) {
  const buffer<int> x{*own_, 1, 0};
  const future<void> task = own_->submit(
      {.timeout = 5ms, .after = {gate_}}, [own = own_](buffer_view<int>) {}, updates(x));
  own_.reset();
  EXPECT_TRUE(task.wait_for(20s));
  EXPECT_EQ(task.error().code(), failure_code::timed_out);
}

/// The worker of the other runtime tells this one of the end, and lets go of the function.
TEST_P(last_owner, goes_with_a_function_with_data_behind_a_task_of_another_runtime) {
  auto other = std::make_unique<runtime>(options());
  const future<void> before = other->async([is_open = is_open_] { is_open->wait(false); });
  const buffer<int> x{*own_, 1, 0};
  future<void> task = own_->submit(
      {.after = {before}}, [own = own_](buffer_view<int>) {}, updates(x));
  own_.reset();
  EXPECT_TRUE(returns([&task] { task.cancel(); }));
  EXPECT_TRUE(task.done());
  open_gate();
  EXPECT_TRUE(returns([&other] { other.reset(); }));
}

/// Belongs to the first runtime, and ends in a worker of the other one.
future<int> ends_on_other(std::shared_ptr<runtime> first, runtime& other) {
  const future<int> five = first->async([] {
    std::this_thread::sleep_for(1ms);
    return 5;
  });
  int sum = co_await five;
  const future<int> one = other.async([] {
    std::this_thread::sleep_for(1ms);
    return 1;
  });
  sum += co_await one;
  co_return sum;
}

TEST_P(last_owner, goes_with_a_coroutine_on_a_worker_of_another_runtime) {
  runtime other{options()};
  for (int i = 0; i < 20; ++i) {
    auto first = std::make_shared<runtime>(options());
    const future<int> sum = ends_on_other(std::move(first), other);
    ASSERT_TRUE(sum.wait_for(20s));
    EXPECT_EQ(sum.get(), 6);
  }
}

/// The runtime that the coroutine belongs to is a variable of its body.
future<int> has_a_runtime(runtime_options options, runtime& other, nanoseconds time) {
  runtime own{options};
  const auto pause = [time] {
    if (time > 0ns) std::this_thread::sleep_for(time);
  };
  const future<int> five = own.async([pause] {
    pause();
    return 5;
  });
  int sum = co_await five;
  const future<int> one = other.async([pause] {
    pause();
    return 1;
  });
  sum += co_await one;
  co_return sum;
}

TEST_P(last_owner, is_the_body_of_a_coroutine) {
  runtime other{options()};
  for (int i = 0; i < 100; ++i) {
    // Without time the first task often ends while the coroutine is about to wait for it.
    const future<int> sum = has_a_runtime(options(), other, i % 2 == 0 ? 1ms : 0ms);
    ASSERT_TRUE(sum.wait_for(20s));
    EXPECT_EQ(sum.get(), 6);
  }
}

}  // namespace
}  // namespace hocket
