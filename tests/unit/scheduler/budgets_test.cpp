// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
//
// Budgets of runtimes that stop, and many of them.

#include <malloc.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <vector>

#include <hocket/core/sanitizers.hpp>

#include "runtimes.hpp"

namespace hocket {
namespace {

using namespace hocket::testing;
using namespace std::chrono_literals;

class budgets : public ::testing::TestWithParam<data_path> {
 protected:
  [[nodiscard]] static runtime_options options() {
    return {
        .devices = "NUMA0", .data_tasks = GetParam(), .topology = machine("numa:1 core:2 pu:1")};
  }
};
INSTANTIATE_TEST_SUITE_P(, budgets, ::testing::Values(data_path::placed, data_path::in_place),
                         [](const auto& of) {
                           return of.param == data_path::placed ? "placed" : "in_place";
                         });

TEST_P(budgets, keep_no_task_of_a_runtime_that_stops) {
  runtime rt{options()};
  const buffer<float> x{rt, 8, "x"}, y{rt, 8, "y"};
  const budget room{rt, 10};
  rt.submit({.takes = room.share(10)}, ops::fill, 1.0f, writes(x)).get();
  const future<void> waits = rt.submit({.takes = room.share(1)}, ops::fill, 1.0f, writes(y));
  const future<void> in_order =
      rt.submit({.on = rt.device("NUMA0"), .in_order = true, .takes = room.share(1)}, ops::fill,
                1.0f, writes(y));
  graph one = rt.record(
      [&](submitter& s) { s.submit({.takes = room.share(1)}, ops::fill, 2.0f, writes(y)); });
  const future<void> run = rt.run(one);
  EXPECT_FALSE(waits.wait_for(5ms));
  rt.stop();
  const future<void> late = rt.submit({.takes = room.share(1)}, ops::fill, 1.0f, writes(y));
  for (future<void> each : {waits, in_order, run, late}) {
    if (!each.wait_for(20s)) {
      ADD_FAILURE() << "a task waits for bytes";
      each.cancel();
    }
    EXPECT_EQ(each.error().code(), failure_code::cancelled);
  }
}

/// The third task is kept back by the second, which is not ready, until the runtime stops.
TEST_P(budgets, of_a_runtime_that_stops_leave_no_task_behind_one_that_is_not_ready) {
  std::atomic<bool> is_open = false;
  runtime rt{options()};
  const buffer<float> x{rt, 8, "x"}, y{rt, 8, "y"};
  const budget room{rt, 10};
  const future<void> gate = rt.async([&] { is_open.wait(false); });
  const future<void> unready =
      rt.submit({.after = {gate}, .takes = room.share(10)}, ops::fill, 1.0f, writes(x));
  const future<void> behind = rt.submit({.takes = room.share(5)}, ops::fill, 1.0f, writes(y));
  EXPECT_FALSE(behind.wait_for(5ms));
  rt.stop();
  EXPECT_TRUE(behind.wait_for(20s));
  is_open = true;
  is_open.notify_all();
  EXPECT_TRUE(unready.wait_for(20s));
  EXPECT_EQ(unready.error().code(), failure_code::cancelled);
  EXPECT_EQ(behind.error().code(), failure_code::cancelled);
}

TEST_P(budgets, that_are_gone_leave_nothing_behind) {
#if defined(HOCKET_ADDRESS_SANITIZER) || defined(HOCKET_THREAD_SANITIZER)
  GTEST_SKIP() << "sanitizers have an allocator of their own";
#endif
  runtime rt{options()};
  const buffer<float> x{rt, 8, "x"};
  rt.submit(ops::fill, 1.0f, writes(x)).get();
  constexpr std::size_t many = 100'000;
  const auto bytes = [] { return mallinfo2().uordblks; };
  const std::size_t before = bytes();
  budget_share last;
  for (std::size_t i = 0; i < many; ++i) last = budget(rt, i + 1).share(i + 1);
  rt.submit({.takes = last}, ops::fill, 2.0f, writes(x)).get();
  EXPECT_LT(bytes(), before + 8 * many);
}

}  // namespace
}  // namespace hocket
