// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <algorithm>
#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include "item_context.hpp"
#include "runtimes.hpp"

namespace hocket {
namespace {

using namespace hocket::testing;
using ::testing::Each;

/// The node whose worker calls; none outside of the workers.
std::size_t node_here() {
  const item_context* const item = current_item();
  return item == nullptr ? ~std::size_t{0} : item->arena;
}

class numa : public ::testing::TestWithParam<int> {
 protected:
  [[nodiscard]] static std::size_t nodes() { return static_cast<std::size_t>(GetParam()); }
  [[nodiscard]] static runtime_options options() {
    runtime_options made;
    made.topology = machine(("numa:" + std::to_string(GetParam()) + " core:1 pu:1").c_str());
    made.backends = {{"cpu", ""}};
    return made;
  }
  [[nodiscard]] task_options on(std::size_t node) {
    return {.on = rt.device("NUMA" + std::to_string(node))};
  }

  /// Keeps the worker of a node, until the test says so.
  future<void> hold(std::size_t node) {
    std::atomic<bool> begun = false;
    const future<void> held = rt.async(on(node), [this, &begun] {
      begun = true;
      begun.notify_one();
      released.wait(false);
    });
    begun.wait(false);
    return held;
  }
  void release() {
    released = true;
    released.notify_all();
  }

  std::atomic<bool> released = false;
  runtime rt{options()};
};
INSTANTIATE_TEST_SUITE_P(, numa, ::testing::Values(2, 4),
                         [](const auto& of) { return std::to_string(of.param) + "_nodes"; });

TEST_P(numa, functions_run_on_the_node_that_they_name) {
  for (int round = 0; round < 20; ++round) {
    for (std::size_t node = 0; node < nodes(); ++node) {
      // Who waits may not run it, though it would run another.
      EXPECT_EQ(rt.async(on(node), node_here).get(), node);
    }
  }
}

TEST_P(numa, functions_that_name_none_are_spread) {
  std::vector<std::atomic<int>> ran(nodes());
  for (int i = 0; i < 400; ++i) rt.async([&] { ++ran[node_here()]; });
  rt.wait();
  for (const auto& each : ran) EXPECT_EQ(each, 400 / GetParam());
}

TEST_P(numa, continuations_run_where_their_task_has) {
  for (std::size_t node = 0; node < nodes(); ++node) {
    std::vector<std::size_t> where(200, nodes());
    future<void> last = rt.async(on(node), [] {});
    for (std::size_t& each : where) last = last.then([&each] { each = node_here(); });
    rt.wait();
    EXPECT_THAT(where, Each(node));
    std::size_t later = nodes();
    last.then([&] { later = node_here(); });
    rt.wait();
    EXPECT_EQ(later, node) << "the task has ended long ago";
  }
}

TEST_P(numa, what_follows_one_task_among_many_stays_with_it) {
  std::vector<std::size_t> first(100, nodes());
  std::vector<std::size_t> second(100, nodes());
  for (std::size_t i = 0; i < first.size(); ++i) {
    rt.async([&first, i] { first[i] = node_here(); }).then([&second, i] {
      second[i] = node_here();
    });
  }
  rt.wait();
  EXPECT_EQ(first, second);
}

TEST_P(numa, continuations_run_where_the_data_are) {
  buffer<float> x{rt, 1000, 0.0f, "x"};
  for (std::size_t node = 0; node < nodes(); ++node) {
    const future<void> fills = rt.submit(on(node), ops::fill, 1.0f, writes(x));
    std::size_t where = nodes();
    fills.then([&] { where = node_here(); });
    rt.wait();
    EXPECT_EQ(where, node);
  }
}

future<std::size_t> goes_on_after(future<std::size_t> task) {
  (void)co_await task;
  co_return node_here();
}

TEST_P(numa, coroutines_go_on_where_the_task_has_run) {
  for (std::size_t node = 0; node < nodes(); ++node) {
    released = false;
    const future<std::size_t> task = rt.async(on(node), [this] {
      released.wait(false);
      return node_here();
    });
    const future<std::size_t> after = goes_on_after(task);
    release();
    rt.wait();
    EXPECT_EQ(after.get(), node);
  }
}

TEST_P(numa, urgent_work_of_one_node_does_not_wait_for_another) {
  const future<void> held = hold(0);
  std::vector<future<void>> backlog;
  for (int i = 0; i < 1000; ++i) {
    task_options options = on(0);
    options.priority = 1;
    backlog.push_back(rt.async(options, [] {}));
  }
  for (std::size_t node = 1; node < nodes(); ++node) rt.async(on(node), [] {}).get();
  EXPECT_FALSE(backlog.front().done());
  release();
  held.get();
}

TEST_P(numa, the_most_urgent_work_of_each_node_is_next) {
  std::vector<future<void>> held;
  for (std::size_t node = 0; node < nodes(); ++node) held.push_back(hold(node));
  std::vector<std::vector<int>> order(nodes());  // each written by the only worker of its node
  for (int i = 0; i < 300; ++i) {
    for (std::size_t node = 0; node < nodes(); ++node) {
      task_options options = on(node);
      options.priority = i % 3 - 1;
      rt.async(options, [&order, node, priority = options.priority] {
        order[node].push_back(static_cast<int>(priority));
      });
    }
  }
  release();
  rt.wait();
  for (const std::vector<int>& each : order) {
    EXPECT_EQ(each.size(), 300U);
    EXPECT_TRUE(std::is_sorted(each.rbegin(), each.rend()));
  }
}

}  // namespace
}  // namespace hocket
