// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "graphs/host_run.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <hocket/execution/seed.hpp>

#include "executors.hpp"

namespace hocket {
namespace {

using namespace hocket::testing;
using detail::host_plan;
using detail::host_run;

/// A plan in the making, and where its functions say what they see.
class plan_maker {
 public:
  template <class F>
  std::uint32_t add(std::string label, std::vector<std::uint32_t> after, F&& function) {
    return plan_->add(functions_->add(std::forward<F>(function)), after, std::move(label));
  }

  std::shared_ptr<host_plan> finish() {
    plan_->seal();
    return plan_;
  }

 private:
  boost::intrusive_ptr<detail::recorded_functions> functions_{new detail::recorded_functions};
  std::shared_ptr<host_plan> plan_ = std::make_shared<host_plan>(functions_);
};

/// A random graph whose functions check that those before them have run in the same run, and no
/// more than once.
class checked_graph {
 public:
  explicit checked_graph(std::uint64_t seed) : runs_(1 + seeded_stream(seed, 1).below(300)) {
    seeded_stream random(seed);
    plan_maker maker;
    for (std::uint32_t i = 0; i < runs_.size(); ++i) {
      std::set<std::uint32_t> before;
      for (std::uint64_t wanted = i == 0 ? 0 : random.below(4); wanted > 0; --wanted) {
        before.insert(static_cast<std::uint32_t>(random.below(i)));
      }
      const std::vector<std::uint32_t> after(before.begin(), before.end());
      (void)maker.add(std::to_string(i), after, [this, i, after] {
        // Not atomic: the graph orders what touches it.
        const int now = ++runs_[i];
        for (const std::uint32_t b : after) wrong_ = wrong_ || runs_[b] != now;
      });
    }
    plan_ = maker.finish();
  }

  [[nodiscard]] const std::shared_ptr<host_plan>& plan() const noexcept { return plan_; }

  void expect_ran(int times) const {
    EXPECT_FALSE(wrong_) << "a function ran before one that it comes after";
    for (const int runs : runs_) EXPECT_EQ(runs, times);
  }

 private:
  std::vector<int> runs_;
  std::atomic<bool> wrong_{false};
  std::shared_ptr<host_plan> plan_;
};

class host_runs : public on_every_executor {
 protected:
  future<void> start(const std::shared_ptr<host_plan>& plan) {
    return future<void>(host_run::start(rt, plan));
  }
};
HOCKET_ON_EVERY_EXECUTOR(host_runs);

TEST_P(host_runs, call_every_function_once_and_in_order) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const checked_graph graph(seed);
    for (int run = 1; run <= 10; ++run) {
      start(graph.plan()).get();
      graph.expect_ran(run);
    }
  }
}

TEST_P(host_runs, end_without_anybody_helping) {
  const checked_graph graph(7);
  const future<void> run = start(graph.plan());
  rt.wait_until_idle();
  EXPECT_TRUE(run.done());
  graph.expect_ran(1);
}

TEST_P(host_runs, of_one_plan_go_on_at_the_same_time) {
  std::atomic<int> calls{0};
  plan_maker maker;
  for (std::uint32_t i = 0; i < 200; ++i) {
    (void)maker.add("f", i < 3 ? std::vector<std::uint32_t>{} : std::vector{i - 3, i - 1},
                    [&] { ++calls; });
  }
  const auto plan = maker.finish();
  std::vector<std::thread> threads;
  const bool one_thread = where->is_virtual();
  for (int t = 0; t < (one_thread ? 1 : 3); ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 20; ++i) {
        const future<void> first = start(plan);
        const future<void> second = start(plan);
        second.get();
        first.get();
      }
    });
  }
  for (std::thread& t : threads) t.join();
  EXPECT_EQ(calls, static_cast<int>(threads.size()) * 20 * 2 * 200);
}

TEST_P(host_runs, without_functions_are_done) {
  start(plan_maker().finish()).get();
  rt.wait_until_idle();
}

TEST_P(host_runs, fail_as_the_first_function_that_throws) {
  std::atomic<int> calls{0};
  bool throws = true;
  plan_maker maker;
  const auto first = maker.add("first", {}, [&] { ++calls; });
  const auto bad = maker.add("bad", {first}, [&] {
    if (throws) throw std::runtime_error("no luck");
  });
  const auto worse = maker.add("worse", {first}, [&] {
    if (throws) throw std::logic_error("none at all");
  });
  const auto after_bad = maker.add("after bad", {bad}, [&] { ++calls; });
  const auto after_both = maker.add("after both", {after_bad, worse}, [&] { ++calls; });
  (void)maker.add("last", {after_both}, [&] { ++calls; });
  (void)maker.add("beside", {first}, [&] { ++calls; });
  const auto plan = maker.finish();

  const future<void> failed = start(plan);
  EXPECT_THROW(failed.get(), std::runtime_error);
  EXPECT_EQ(failed.error().message(), "Task \"bad\" failed: no luck.");
  EXPECT_EQ(calls, 2) << "what does not come after them runs";

  throws = false;
  start(plan).get();
  EXPECT_EQ(calls, 7);
  EXPECT_TRUE(rt.unseen_failures().empty());
}

TEST_P(host_runs, are_reported_if_nobody_looks_at_their_failure) {
  plan_maker maker;
  (void)maker.add("bad", {}, [] { throw std::runtime_error("no luck"); });
  (void)start(maker.finish());
  rt.wait_until_idle();
  EXPECT_EQ(rt.unseen_failures(), std::vector<std::string>{"Task \"bad\" failed: no luck."});
}

TEST_P(host_runs, can_be_cancelled_in_the_middle) {
  future<void> run;
  std::atomic<int> calls{0};
  std::atomic<bool> known{false};
  bool cancels = true;
  plan_maker maker;
  const auto first = maker.add("first", {}, [&] {
    while (cancels && !known) std::this_thread::yield();
    if (cancels) run.cancel();
  });
  for (int i = 0; i < 10; ++i) (void)maker.add("rest", {first}, [&] { ++calls; });
  const auto plan = maker.finish();
  run = start(plan);
  known = true;
  run.wait();
  EXPECT_EQ(run.error().code(), failure_code::cancelled);
  EXPECT_EQ(run.error().message(), "Task \"graph\" was cancelled before it ended.");
  EXPECT_EQ(calls, 0);

  cancels = false;
  start(plan).get();
  EXPECT_EQ(calls, 10);
}

TEST_P(host_runs, end_early_when_their_runtime_stops) {
  std::atomic<int> calls{0};
  plan_maker maker;
  const auto first = maker.add("first", {}, [&](const std::stop_token& stop) {
    rt.stop();
    EXPECT_TRUE(stop.stop_requested());
  });
  (void)maker.add("second", {first}, [&] { ++calls; });
  const future<void> run = start(maker.finish());
  run.wait();
  EXPECT_EQ(run.error().message(), "Task \"graph\" did not end, because its runtime was stopped.");
  EXPECT_EQ(calls, 0);
}

TEST_P(host_runs, of_one_function_end_without_it_when_their_runtime_stops_before) {
  std::atomic<int> calls{0};
  plan_maker maker;
  (void)maker.add("only", {}, [&] { ++calls; });
  const future<void> run = start(maker.finish());
  rt.stop();
  run.wait();
  // A thread of its own may have called it before the stop.
  const bool was_called = calls == 1 && !rt.where().is_virtual();
  EXPECT_EQ(calls, was_called ? 1 : 0);
  EXPECT_EQ(run.error().message(),
            was_called ? "" : "Task \"graph\" did not end, because its runtime was stopped.");
}

TEST_P(host_runs, go_on_while_a_function_waits) {
  // The first function waits for what only the others can bring about; all are in stock with it.
  const auto gate = make_hand_task(rt);
  const future<int> opened{detail::task_state_ptr(gate)};
  std::atomic<int> left{20};
  plan_maker maker;
  const auto root = maker.add("root", {}, [] {});
  const auto waits = maker.add("waits", {root}, [&] { EXPECT_EQ(opened.get(), 5); });
  for (int i = 0; i < 20; ++i) {
    (void)maker.add("opens", {root}, [&] {
      if (--left == 0) gate->end_with(5);
    });
  }
  (void)maker.add("after", {waits}, [] {});
  start(maker.finish()).get();
}

TEST_P(host_runs, go_on_while_a_hundred_functions_wait) {
  const auto gate = make_hand_task(rt);
  const future<int> opened{detail::task_state_ptr(gate)};
  plan_maker maker;
  const auto root = maker.add("root", {}, [] {});
  std::atomic<int> waiting{0};
  for (int i = 0; i < 100; ++i) {
    (void)maker.add("waits", {root}, [&] {
      if (++waiting == 100) {
        gate->end_with(5);
      } else {
        EXPECT_EQ(opened.get(), 5);
      }
    });
  }
  start(maker.finish()).get();
}

TEST_P(host_runs, wait_for_runs_of_other_plans_within_a_function) {
  const checked_graph inner(3);
  plan_maker maker;
  const auto runs_inner = maker.add("outer", {}, [&] { start(inner.plan()).get(); });
  (void)maker.add("again", {runs_inner}, [&] { start(inner.plan()).get(); });
  start(maker.finish()).get();
  inner.expect_ran(2);
}

TEST_P(host_runs, let_others_take_what_a_long_function_has_in_stock) {
  if (GetParam() != executor_kind::two_workers) return;
  // If the two could not run at the same time, this would never end.
  std::atomic<int> at_once{0};
  plan_maker maker;
  const auto root = maker.add("root", {}, [] {});
  for (int i = 0; i < 2; ++i) {
    (void)maker.add("long", {root}, [&] {
      ++at_once;
      while (at_once < 2) std::this_thread::yield();
    });
  }
  start(maker.finish()).get();
}

}  // namespace
}  // namespace hocket
