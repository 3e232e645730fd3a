// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include <hocket/execution/seed.hpp>
#include <hocket/scheduler/when_all.hpp>

#include "executors.hpp"

namespace hocket {
namespace {

using namespace hocket::testing;

enum class node_kind : std::uint8_t { body, cheap_body, thrower, waiter, device, gatherer };

struct node {
  node_kind kind = node_kind::body;
  bool cancelled = false;  // somebody asked for it, at some time
  std::vector<std::size_t> before;
  std::atomic<int> runs{0};
  boost::intrusive_ptr<hand_task_of<std::uint64_t>> device;
  future<std::uint64_t> task;
};

/// A random graph of tasks of all kinds, run once, with cancellations in between.
class random_graph {
 public:
  random_graph(executor& where, std::uint64_t seed)
      : rt_(where), random_(seed), nodes_(8 + random_.below(40)) {
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      make(i);
      if (random_.chance(0.3)) end_a_device();
      if (random_.chance(0.05)) cancel(random_.below(i + 1));
      if (random_.chance(0.1)) look(random_.below(i + 1));
    }
    while (end_a_device()) {
      if (random_.chance(0.1)) cancel(random_.below(nodes_.size()));
    }
    rt_.wait_until_idle();
  }

  /// Compares with what running the tasks one after the other gives.
  void check() const {
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      ASSERT_TRUE(nodes_[i].task.done()) << "task " << i;
      if (nodes_[i].kind == node_kind::waiter)
        check_waiter(i);
      else
        check_node(i);
    }
  }

 private:
  static std::uint64_t mixed(std::uint64_t x) { return splitmix64(x); }

  std::uint64_t expected(std::size_t i) const {
    std::uint64_t sum = i;
    for (const std::size_t b : nodes_[i].before) sum += nodes_[b].task.get();
    return mixed(sum);
  }

  void make(std::size_t i) {
    node& n = nodes_[i];
    n.kind = static_cast<node_kind>(random_.below(6));
    if (n.kind == node_kind::thrower && random_.chance(0.6)) n.kind = node_kind::body;
    const std::size_t wanted = i == 0 || n.kind == node_kind::device ? 0 : random_.below(5);
    for (std::size_t e = 0; e < wanted; ++e) n.before.push_back(random_.below(i));
    switch (n.kind) {
      case node_kind::device: {
        n.device = new hand_task_of<std::uint64_t>(rt_, "device");
        n.task = future<std::uint64_t>(n.device);
        open_.push_back(i);
        break;
      }
      case node_kind::waiter: {
        n.task = rt_.async([this, i] { return run(i); }, options(i));
        break;
      }
      case node_kind::gatherer: {
        std::vector<future<std::uint64_t>> all;
        for (const std::size_t b : n.before) all.push_back(nodes_[b].task);
        n.task = when_all(all).then([this, i](const auto&) { return run(i); });
        break;
      }
      default: {
        std::vector<detail::task_state_ptr> after;
        for (const std::size_t b : n.before) after.push_back(nodes_[b].task.state());
        n.task = rt_.async([this, i] { return run(i); }, options(i), after);
      }
    }
  }

  detail::host_options options(std::size_t i) {
    detail::host_options o;
    o.label = "t" + std::to_string(i);
    o.priority = static_cast<int>(random_.below(3)) - 1;
    o.cheap = nodes_[i].kind == node_kind::cheap_body;
    return o;
  }

  std::uint64_t run(std::size_t i) {
    ++nodes_[i].runs;
    if (nodes_[i].kind == node_kind::thrower) throw std::runtime_error("thrown");
    return expected(i);
  }

  bool end_a_device() {
    if (open_.empty()) return false;
    const std::size_t at = random_.below(open_.size());
    const std::size_t i = open_[at];
    open_.erase(open_.begin() + static_cast<std::ptrdiff_t>(at));
    if (random_.chance(0.1))
      nodes_[i].device->finish({failure_code::device_lost, "Lost."});
    else
      nodes_[i].device->end_with(mixed(i));
    return true;
  }

  void cancel(std::size_t i) {
    nodes_[i].cancelled = true;
    nodes_[i].task.cancel();
  }

  /// Waits where that ends without a device that this thread has to end.
  void look(std::size_t i) {
    if (open_.empty()) (void)nodes_[i].task.error();
  }

  void check_node(std::size_t i) const {
    const node& n = nodes_[i];
    bool all_good = true;
    for (const std::size_t b : n.before) all_good = all_good && !nodes_[b].task.error();
    const failure why = n.task.error();
    if (!why) {
      ASSERT_TRUE(all_good) << "task " << i << " ran though one before it failed";
      ASSERT_EQ(n.task.get(), n.kind == node_kind::device ? mixed(i) : expected(i));
    } else if (why.code() == failure_code::dependency_failed) {
      ASSERT_FALSE(all_good && !n.cancelled) << "task " << i << ": " << why.message();
    } else if (why.code() == failure_code::cancelled) {
      ASSERT_TRUE(n.cancelled) << "task " << i << ": " << why.message();
    } else {
      ASSERT_TRUE(n.kind == node_kind::thrower || n.kind == node_kind::device);
    }
    const bool has_run = !why || why.code() == failure_code::task_failed;
    ASSERT_EQ(n.runs, has_run && n.kind != node_kind::device ? 1 : 0) << "task " << i;
  }

  /// It waits inside of its body, and fails there.
  void check_waiter(std::size_t i) const {
    const node& n = nodes_[i];
    const failure why = n.task.error();
    if (!why) {
      ASSERT_EQ(n.task.get(), expected(i));
    } else if (why.code() == failure_code::cancelled) {
      ASSERT_TRUE(n.cancelled);
    } else {
      ASSERT_EQ(why.code(), failure_code::task_failed);
    }
    ASSERT_EQ(n.runs, why && why.code() == failure_code::cancelled ? 0 : 1);
  }

  host_fixture rt_;
  seeded_stream random_;
  std::vector<node> nodes_;
  std::vector<std::size_t> open_;  // the device tasks that have not ended
};

TEST(host_tasks, match_a_sequential_run_for_every_seed) {
  for (std::uint64_t seed = 0; seed < 5000; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    seeded_executor where({.seed = seed});
    const random_graph graph(where, seed);
    graph.check();
    if (::testing::Test::HasFatalFailure()) return;
  }
}

TEST(host_tasks, match_a_sequential_run_on_threads) {
  for (const executor_kind kind : {executor_kind::one_worker, executor_kind::two_workers}) {
    const auto where = make_executor(kind);
    for (std::uint64_t seed = 0; seed < 300; ++seed) {
      SCOPED_TRACE("seed " + std::to_string(seed));
      const random_graph graph(*where, seed);
      graph.check();
      if (::testing::Test::HasFatalFailure()) return;
    }
  }
}

}  // namespace
}  // namespace hocket
