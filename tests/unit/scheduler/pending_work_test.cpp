// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
//
// What pending and ended tasks keep, and what may be pending together.

#include <malloc.h>

#include <atomic>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include <hocket/core/sanitizers.hpp>

#include "runtimes.hpp"

namespace hocket {
namespace {

using namespace hocket::testing;
using namespace std::chrono_literals;

/// Both ways that tasks with data may go.
class on_both_paths : public ::testing::TestWithParam<data_path> {
 protected:
  [[nodiscard]] static runtime_options options() {
    runtime_options made;
    made.devices = "NUMA0";
    made.topology = machine("numa:1 core:2 pu:1");
    made.data_tasks = GetParam();
    return made;
  }
};

std::string name_of(const ::testing::TestParamInfo<data_path>& info) {
  return info.param == data_path::placed ? "placed" : "in_place";
}

/// Bytes that the process has from the allocator; 0 under sanitizers, which have their own.
std::size_t allocated_bytes() {
  const struct mallinfo2 now = mallinfo2();
  return now.uordblks + now.hblkhd;
}

/// Whether the process has fewer bytes than `limit` soon: workers may still hold the last
/// references to tasks that have ended, as long as they get no processor.
::testing::AssertionResult soon_allocates_less_than(std::size_t limit) {
  const auto latest = std::chrono::steady_clock::now() + 20s;
  std::size_t now = allocated_bytes();
  for (; now >= limit; now = allocated_bytes()) {
    if (std::chrono::steady_clock::now() > latest) {
      return ::testing::AssertionFailure() << now << " bytes, the limit is " << limit;
    }
    std::this_thread::sleep_for(1ms);
  }
  return ::testing::AssertionSuccess();
}

class ended_tasks : public on_both_paths {};
INSTANTIATE_TEST_SUITE_P(, ended_tasks, ::testing::Values(data_path::placed, data_path::in_place),
                         name_of);

TEST_P(ended_tasks, leave_no_timer_behind) {
  runtime rt{options()};
  buffer<float> x{rt, 16, 0.0f, "x"};
  const auto submit_many = [&] {
    for (int i = 0; i < 5000; ++i) {
      rt.submit({.timeout = 1h}, ops::fill, 1.0f, writes(x));
      if (i % 500 == 499) rt.wait();
    }
  };
  submit_many();
  const std::size_t before = allocated_bytes();
  submit_many();
  // A timer and its task are some 700 bytes; what other threads keep for later is not the point.
  EXPECT_TRUE(soon_allocates_less_than(before + 1'000'000)) << "200 bytes for each of the 5000";
}

/// Tasks with a stopped token end within submit(), before their timer is set.
TEST_P(ended_tasks, leave_no_timer_behind_that_was_set_after_their_end) {
  runtime rt{options()};
  buffer<float> x{rt, 16, 0.0f, "x"};
  std::stop_source stopped;
  stopped.request_stop();
  const auto submit_many = [&] {
    for (int i = 0; i < 5000; ++i) {
      future<void> ended =
          rt.submit({.timeout = 1h, .stop = stopped.get_token()}, ops::fill, 1.0f, writes(x));
      EXPECT_EQ(ended.error().code(), failure_code::cancelled);
    }
  };
  submit_many();
  const std::size_t before = allocated_bytes();
  submit_many();
  EXPECT_TRUE(soon_allocates_less_than(before + 1'000'000)) << "200 bytes for each of the 5000";
}

TEST_P(ended_tasks, do_not_keep_buffers_that_their_kernels_hold) {
  runtime rt{options()};
  constexpr std::size_t bytes = 1 << 20;
  for (int i = 0; i < 8; ++i) {
    buffer<std::uint8_t> x{rt, bytes, std::uint8_t{0}, "x"};
    const kernel<inout_buffer<std::uint8_t>> holds{"holds",
                                                   host_body{[x](buffer_view<std::uint8_t> v) {
                                                     v[0] = static_cast<std::uint8_t>(x.size());
                                                   }}};
    future<void> ended = rt.submit(holds, updates(x));
    EXPECT_NO_THROW(ended.get());
    EXPECT_EQ(ended.label(), "holds");
    rt.wait();
  }
  EXPECT_LE(rt.report().devices.front().peak_bytes, 3 * bytes);
}

TEST_P(ended_tasks, that_failed_do_not_keep_them_either) {
  runtime rt{options()};
  constexpr std::size_t bytes = 1 << 20;
  for (int i = 0; i < 8; ++i) {
    buffer<std::uint8_t> x{rt, bytes, std::uint8_t{0}, "x"};
    const kernel<inout_buffer<std::uint8_t>> holds{
        "holds", host_body{[x](buffer_view<std::uint8_t>) { throw std::runtime_error("no"); }}};
    const future<void> ended = rt.submit(holds, updates(x));
    EXPECT_THROW(ended.get(), std::runtime_error);
    rt.wait();
  }
  EXPECT_LE(rt.report().devices.front().peak_bytes, 3 * bytes);
}

TEST_P(ended_tasks, of_loops_leave_nothing_behind) {
  runtime rt{options()};
  const buffer<float> x{rt, 64, 0.0f, "x"};
  const auto run = [&](int loops) {
    for (int i = 0; i < loops; ++i) {
      int rounds = 0;
      rt.run_while([&] { return rounds++ < 1; },
                   [&](submitter& s) {
                     for (std::size_t row = 0; row < 64; ++row) {
                       s.submit(ops::fill, 1.0f, writes(x.rows(row, row + 1)));
                     }
                   })
          .get();
    }
    rt.wait();
    return allocated_bytes();
  };
  const std::size_t before = run(20);
  EXPECT_LE(run(40), before + 200'000) << "40 loops of 64 tasks";
}

class pending_tasks : public on_both_paths {};
INSTANTIATE_TEST_SUITE_P(, pending_tasks, ::testing::Values(data_path::placed, data_path::in_place),
                         name_of);

/// What so many pending runs of one condition keep.
std::size_t bytes_of_conditions(const runtime_options& options, int count) {
  runtime rt{options};
  buffer<float> x{rt, 8, 1.0f, "x"}, y{rt, 8, 0.0f, "y"}, rest{rt, 1, 1.0f, "rest"};
  const auto asks = when([](buffer_view<const float> r) { return r[0] > 0; }, reads(rest));
  const graph conditional = rt.record([&](submitter& s) {
    s.run_if(asks, [&](submitter& q) { q.submit(ops::axpy, 1.0f, reads(x), updates(y)); });
  });
  rt.wait();
  std::size_t kept = 0;
  {
    const auto held = y.update();
    const std::size_t before = allocated_bytes();
    for (int i = 0; i < count; ++i) rt.run(conditional);
    kept = allocated_bytes() - before;
  }
  EXPECT_EQ(y.to_vector().front(), static_cast<float>(count));
  return kept;
}

TEST_P(pending_tasks, of_conditions_keep_memory_in_proportion) {
  (void)bytes_of_conditions(options(), 100);
  const std::size_t few = bytes_of_conditions(options(), 500);
  const std::size_t many = bytes_of_conditions(options(), 2000);
  EXPECT_LE(many, 8 * few) << "of 500: " << few << " bytes";
}

TEST_P(pending_tasks, that_reduce_need_no_more_places_than_there_are) {
  for (const std::size_t most : {1U, 2U, 4U}) {
    for (const int threads : {1, 4}) {
      runtime_options limited = options();
      limited.max_pending = most;
      runtime rt{limited};
      buffer<float> sum{rt, 8, 0.0f, "sum"}, x{rt, 8, 1.0f, "x"};
      const auto work = [&] {
        for (int i = 0; i < 50; ++i) {
          rt.submit(
              [](buffer_view<float> s, buffer_view<const float> v) {
                for (std::size_t k = 0; k < s.size(); ++k) s[k] += v[k];
              },
              reduces(sum, plus{}), reads(x));
        }
      };
      std::vector<std::thread> others;
      for (int t = 1; t < threads; ++t) others.emplace_back(work);
      work();
      for (std::thread& each : others) each.join();
      EXPECT_EQ(sum.to_vector().front(), 50.0f * static_cast<float>(threads));
    }
  }
}

TEST_P(pending_tasks, that_reduce_are_refused_as_a_whole_or_not_at_all) {
  runtime_options limited = options();
  limited.max_pending = 1;
  limited.overload = overload_kind::refuse;
  runtime rt{limited};
  buffer<float> sum{rt, 8, "sum"};
  rt.submit(ops::fill, 0.0f, writes(sum)).wait();
  rt.wait();
  int accepted = 0;
  for (int i = 0; i < 200; ++i) {
    try {
      rt.submit([](buffer_view<float> s) { s[0] += 1; }, reduces(sum, plus{}));
      ++accepted;
    } catch (const error& refused) {
      EXPECT_EQ(refused.code(), failure_code::overloaded);
      rt.wait();
    }
  }
  rt.wait();
  EXPECT_GT(accepted, 0);
  EXPECT_EQ(sum.to_vector().front(), static_cast<float>(accepted));
}

TEST_P(pending_tasks, that_take_nothing_of_a_budget_are_granted_at_once) {
  runtime rt{options()};
  buffer<float> x{rt, 8, "x"}, y{rt, 8, "y"};
  budget none{rt, 0};
  rt.submit({.takes = none.share(0)}, ops::fill, 1.0f, writes(x)).get();
  budget used{rt, 100};
  const future<void> takes = rt.submit({.takes = used.share(100)}, ops::fill, 1.0f, writes(y));
  takes.get();
  rt.submit({.takes = used.share(0)}, ops::fill, 2.0f, writes(y)).get();
  EXPECT_EQ(y.to_vector().front(), 2.0f);
  rt.submit({.returns = {takes}}, ops::fill, 3.0f, writes(y)).get();
}

TEST_P(pending_tasks, that_return_bytes_may_end_before_those_that_take_them) {
  runtime rt{options()};
  buffer<float> x{rt, 8, "x"}, y{rt, 8, "y"}, held{rt, 8, 0.0f, "held"};
  budget all{rt, 100};
  future<void> takes, next;
  {
    const auto blocks = held.update();
    const future<void> slow = rt.submit(ops::fill, 1.0f, writes(held));
    takes = rt.submit({.after = {slow}, .takes = all.share(100)}, ops::fill, 2.0f, writes(x));
    rt.submit({.returns = {takes}}, ops::fill, 3.0f, writes(y)).get();
    next = rt.submit({.takes = all.share(60)}, ops::fill, 4.0f, writes(y));
  }
  EXPECT_FALSE(takes.error());
  EXPECT_FALSE(next.error());
  EXPECT_EQ(y.to_vector().front(), 4.0f);
}

/// A budget keeps bytes for a task that is not ready only until the task is cancelled.
TEST_P(pending_tasks, that_are_cancelled_leave_their_bytes_to_those_behind) {
  runtime rt{options()};
  buffer<float> held{rt, 8, 0.0f, "held"}, kept{rt, 8, 0.0f, "kept"}, y{rt, 8, 0.0f, "y"};
  budget all{rt, 10};
  const auto blocks = held.update();
  const future<void> first = rt.submit(ops::fill, 1.0f, writes(held));
  future<void> unwanted =
      rt.submit({.after = {first}, .takes = all.share(10)}, ops::fill, 2.0f, writes(kept));
  const future<void> behind = rt.submit({.takes = all.share(10)}, ops::fill, 3.0f, writes(y));
  EXPECT_FALSE(behind.wait_for(5ms));
  unwanted.cancel();
  behind.get();
  EXPECT_EQ(y.to_vector().front(), 3.0f);
}

TEST_P(pending_tasks, of_higher_priority_have_bytes_first) {
  runtime rt{options()};
  buffer<float> x{rt, 8, 0.0f, "x"}, y{rt, 8, 0.0f, "y"}, z{rt, 8, 0.0f, "z"};
  budget all{rt, 10};
  const future<void> holder = rt.submit({.takes = all.share(10)}, ops::fill, 1.0f, writes(x));
  holder.get();
  std::string order;
  const auto submit = [&](const buffer<float>& own, std::int64_t priority, const char* name) {
    const future<void> takes = rt.submit(
        {.priority = priority, .takes = all.share(10)},
        [&order, name](buffer_view<float>) { order += name; }, updates(own));
    rt.submit(
        {.priority = priority, .after = {takes}, .returns = {takes}},
        [](buffer_view<const float>) {}, reads(own));
  };
  submit(y, 0, "low ");
  submit(z, 1, "high ");
  rt.submit({.returns = {holder}}, ops::fill, 2.0f, writes(x));
  rt.wait();
  EXPECT_EQ(order, "high low ");
}

TEST_P(pending_tasks, behind_a_loop_wait_for_their_bytes) {
  runtime rt{options()};
  const buffer<float> x{rt, 8, 0.0f, "x"}, y{rt, 8, 0.0f, "y"};
  budget all{rt, 10};
  const future<void> holder = rt.submit({.takes = all.share(10)}, ops::fill, 1.0f, writes(y));
  holder.get();
  int rounds = 0;
  rt.run_while(
      [&] { return rounds++ < 2; },
      [&](submitter& s) { s.submit([](buffer_view<float> v) { v[0] += 1.0f; }, updates(x)); });
  float seen = 0.0f;
  const future<void> behind = rt.submit(
      {.takes = all.share(10)}, [&](buffer_view<const float> v) { seen = v[0]; }, reads(x));
  EXPECT_FALSE(behind.wait_for(20ms)) << "the bytes are taken";
  rt.submit({.returns = {holder}}, ops::fill, 2.0f, writes(y));
  behind.get();
  EXPECT_EQ(seen, 2.0f);
}

TEST_P(pending_tasks, behind_a_loop_fail_only_for_what_failed_before_it) {
  runtime rt{options()};
  const buffer<float> x{rt, 8, 1.0f, "x"};
  const auto bad = x.rows(0, 4), good = x.rows(4, 8);
  rt.submit(
      {.label = "bad"}, [](buffer_view<float>) { throw std::runtime_error("on purpose"); },
      updates(bad));
  int rounds = 0;
  rt.run_while([&] { return rounds++ < 1; },
               [&](submitter& s) { s.submit(ops::fill, 2.0f, writes(good)); });
  const future<void> fails = rt.submit(
      {.label = "reader"}, [](buffer_view<const float>) {}, reads(bad));
  float seen = 0.0f;
  rt.submit([&](buffer_view<const float> v) { seen = v[0]; }, reads(good)).get();
  EXPECT_EQ(seen, 2.0f);
  fails.wait();
  EXPECT_NE(fails.error().message().find("\"bad\""), std::string::npos) << fails.error().message();
  rt.submit(ops::fill, 3.0f, writes(x));
  EXPECT_EQ(x.to_vector(), std::vector<float>(8, 3.0f)) << "what is written anew is good";
}

TEST_P(pending_tasks, that_will_fail_do_not_wait_for_bytes) {
  runtime rt{options()};
  const buffer<float> x{rt, 8, "x"}, y{rt, 8, 0.0f, "y"};
  rt.submit(ops::fill, 1.0f, writes(x.rows(0, 4))).get();
  budget all{rt, 10};
  const future<void> holder = rt.submit({.takes = all.share(10)}, ops::fill, 1.0f, writes(y));
  holder.get();
  const future<void> bad = rt.async([] { throw std::runtime_error("on purpose"); });
  bad.wait();
  // Some of the buffer is not written: that must not hide that the task comes after a failure.
  const future<void> behind = rt.submit(
      {.after = {bad}, .takes = all.share(10)}, [](buffer_view<const float>) {},
      reads(x.rows(0, 4)));
  EXPECT_EQ(behind.error().code(), failure_code::dependency_failed);
}

TEST_P(pending_tasks, that_write_what_they_read_fail_with_it_in_any_order_of_arguments) {
  std::atomic<bool> may_fail = false;
  runtime rt{options()};
  const kernel<out_buffer<int>, in_buffer<int>> next{
      "next",
      host_body{[](buffer_view<int> to, buffer_view<const int> from) { to[0] = from[0] + 1; }}};
  const buffer<int> x{rt, 1, 1, "x"};
  const future<void> bad = rt.submit(
      {.label = "bad"},
      [&](buffer_view<int>) {
        while (!may_fail) std::this_thread::sleep_for(100us);
        throw std::runtime_error("on purpose");
      },
      updates(x));
  const future<void> behind = rt.submit(next.in_place(), writes(x), reads(x));
  may_fail = true;
  EXPECT_EQ(behind.error().code(), failure_code::dependency_failed);
  EXPECT_THROW((void)x.to_vector(), error);
  EXPECT_EQ(bad.error().code(), failure_code::task_failed);
}

TEST_P(pending_tasks, that_read_what_nothing_writes_fail) {
  runtime rt{options()};
  buffer<float> half{rt, 8, "half"};
  rt.submit(ops::fill, 1.0f, writes(half.rows(0, 4)));
  EXPECT_EQ(rt.submit(ops::sum, reads(half.rows(0, 4))).get(), 4.0f);
  const failure why = rt.submit({.label = "reads"}, ops::sum, reads(half.rows(2, 6))).error();
  EXPECT_NE(why.message().find("\"half\", which no earlier task writes"), std::string::npos)
      << why.message();
}

/// Tasks with in_order start in order, and may run side by side.
TEST_P(pending_tasks, in_order_do_not_wait_for_the_ends_of_those_before) {
  std::atomic<bool> second_runs = false;
  runtime rt{options()};
  buffer<float> x{rt, 8, 0.0f, "x"}, y{rt, 8, 0.0f, "y"};
  const device_handle on = rt.device("NUMA0");
  const future<void> first = rt.submit(
      {.on = on, .in_order = true},
      [&](buffer_view<float>) {
        while (!second_runs) std::this_thread::sleep_for(100us);
      },
      updates(x));
  rt.submit(
      {.on = on, .in_order = true}, [&](buffer_view<float>) { second_runs = true; }, updates(y));
  while (!first.wait_for(50ms)) continue;
  EXPECT_NO_THROW(first.get());
}

/// A task that runs, and that several ask to end at once.
TEST_P(pending_tasks, are_ended_once_by_whoever_asks_first) {
  runtime rt{options()};
  buffer<float> x{rt, 8, 0.0f, "x"};
  for (int i = 0; i < 20; ++i) {
    std::atomic<bool> runs = false, may_end = false;
    std::stop_source source;
    std::optional<task_scope> scope{rt};
    future<void> task = scope->submit(
        {.timeout = 1h, .stop = source.get_token()},
        [&](buffer_view<float>) {
          runs = true;
          while (!may_end) std::this_thread::sleep_for(100us);
        },
        updates(x));
    while (!runs) std::this_thread::sleep_for(100us);
    std::thread other([&] { source.request_stop(); });
    task.cancel();
    scope->cancel();
    other.join();
    EXPECT_EQ(task.error().code(), failure_code::cancelled);
    may_end = true;
    scope->wait();
    scope.reset();
    rt.submit(ops::fill, 4.0f, writes(x)).get();
  }
  EXPECT_EQ(x.to_vector().front(), 4.0f);
}

TEST_P(pending_tasks, of_the_lowest_priority_run_last) {
  runtime_options modelled = options();
  modelled.clock = clock_kind::simulated;
  modelled.backends = {{"cpu", "lanes=1"}};
  modelled.topology = machine("numa:1 core:1 pu:1");
  runtime rt{modelled};
  buffer<float> held{rt, 8, 0.0f, "held"};
  std::vector<buffer<float>> used;
  for (const char* label : {"a", "b", "c"}) used.emplace_back(rt, 8, 0.0f, label);
  rt.wait();
  const device_handle on = rt.device("NUMA0");
  std::string order;
  {
    const auto blocks = held.update();
    const future<void> first = rt.submit(
        {.on = on}, [](buffer_view<float>) {}, updates(held));
    const auto submit = [&](std::size_t at, std::int64_t priority, const char* name) {
      rt.submit(
          {.on = on, .priority = priority, .in_order = true, .after = {first}},
          [&order, name](buffer_view<float>) { order += name; }, updates(used[at]));
    };
    submit(0, std::numeric_limits<std::int64_t>::min(), "lowest ");
    submit(1, 0, "zero ");
    submit(2, std::numeric_limits<std::int64_t>::max(), "highest ");
  }
  rt.wait();
  EXPECT_EQ(order, "highest zero lowest ");
}

TEST_P(pending_tasks, of_extreme_priorities_in_runs_of_extreme_priorities_end) {
  runtime rt{options()};
  buffer<float> x{rt, 8, 0.0f, "x"};
  constexpr std::int64_t lowest = std::numeric_limits<std::int64_t>::min();
  constexpr std::int64_t highest = std::numeric_limits<std::int64_t>::max();
  float expected = 0;
  for (const std::int64_t inner : {lowest, highest}) {
    const graph g = rt.record([&](submitter& s) {
      s.submit(
          {.priority = inner}, [](buffer_view<float> v) { v[0] += 1; }, updates(x));
      s.async({.priority = inner}, [] {});
    });
    for (const std::int64_t outer : {lowest, highest}) {
      rt.run({.priority = outer}, g).get();
      expected += 1;
    }
  }
  EXPECT_EQ(x.to_vector().front(), expected);
}

/// Two threads submit tasks of equal priority that all use one buffer: the order in which a budget
/// or a device serves them has to be that of the buffer.
TEST_P(pending_tasks, of_several_threads_are_served_in_the_order_of_their_data) {
  for (const bool by_budget : {true, false}) {
    runtime rt{options()};
    buffer<float> x{rt, 8, 0.0f, "x"};
    const device_handle on = rt.device("NUMA0");
    budget one{rt, 1};
    constexpr int each_submits = 300;
    const auto work = [&] {
      buffer<float> own{rt, 8, 0.0f, "own"};
      for (int i = 0; i < each_submits; ++i) {
        task_options how{.on = on, .in_order = !by_budget};
        if (by_budget) how.takes = one.share(1);
        const future<void> takes = rt.submit(
            how, [](buffer_view<float> v) { v[0] += 1; }, updates(x));
        if (!by_budget) continue;
        rt.submit(
            {.after = {takes}, .returns = {takes}}, [](buffer_view<const float>) {}, reads(own));
      }
    };
    std::vector<std::thread> others;
    for (int t = 0; t < 3; ++t) others.emplace_back(work);
    work();
    for (std::thread& each : others) each.join();
    rt.wait();
    EXPECT_EQ(x.to_vector().front(), 4.0f * each_submits);
  }
}

int recursive(runtime& rt, int depth) {
  return depth == 0 ? 0 : 1 + rt.async([&rt, depth] { return recursive(rt, depth - 1); }).get();
}

/// The stack of a sanitizer's frames is several times as large, and the memory of as many stacks.
#if defined(HOCKET_ADDRESS_SANITIZER) || defined(HOCKET_THREAD_SANITIZER)
constexpr int deep = 2000;
constexpr int fibonacci_of = 14;
#else
constexpr int deep = 50'000;
constexpr int fibonacci_of = 22;
#endif

TEST(nested_tasks, may_wait_to_any_depth) {
  runtime rt{{.devices = "NUMA0"}};
  EXPECT_EQ(rt.async([&] { return recursive(rt, deep); }).get(), deep);
  EXPECT_EQ(recursive(rt, deep), deep) << "from a thread that is no worker";
}

long fibonacci(runtime& rt, int n) {
  if (n < 2) return n;
  long a = 0, b = 0;
  task_scope both{rt};
  both.async([&] { a = fibonacci(rt, n - 1); });
  both.async([&] { b = fibonacci(rt, n - 2); });
  both.wait();
  return a + b;
}

TEST(nested_scopes, need_no_stack_for_each) {
  runtime rt{{.devices = "NUMA0"}};
  long expected = 0, next = 1;
  for (int i = 0; i < fibonacci_of; ++i) next += std::exchange(expected, next);
  EXPECT_EQ(rt.async([&] { return fibonacci(rt, fibonacci_of); }).get(), expected);
  EXPECT_EQ(fibonacci(rt, fibonacci_of), expected) << "from a thread that is no worker";
}

}  // namespace
}  // namespace hocket
