// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <gtest/gtest.h>

#include <memory>
#include <optional>

#include "../execution/interleavings.hpp"
#include "tasks/zero_wait.hpp"

namespace hocket {
namespace {

using interleavings::expect_none;
using interleavings::plain;
using interleavings::scenario;
using interleavings::search;
using interleavings::searched_atomics;

/// A gate that a thread of the search waits at.
struct searched_gate {
  void open() {
    opened.store(1);
    is_closed = false;
  }
  void wait() {
    search::here().wait_while(is_closed);
    (void)opened.load();
  }

  interleavings::atomic<int> opened{0};
  bool is_closed = true;
};

/// Tasks that end, each with a result, and a thread that destroys the counter when all have.
struct counted_tasks {
  using waits =
      detail::zero_wait<std::shared_ptr<searched_gate>, searched_atomics, interleavings::mutex>;

  explicit counted_tasks(int tasks) : count(tasks) { ends.emplace(); }

  void end_one() {
    results.fetch_add(1);
    ends->one_less(count);
  }
  void wait_and_destroy(int tasks) {
    const auto none_left = [this] { return count.load() == 0; };
    while (!ends->holds(none_left)) {
      const auto gate = std::make_shared<searched_gate>();
      ends->await(gate, none_left);
      gate->wait();
    }
    search::here().require(results.load() == tasks, "a task has not ended");
    // Who still uses the lock then is found by the lock.
    ends.reset();
    destroyed = destroyed + 1;
  }

  searched_atomics::atomic<std::int64_t> count;
  searched_atomics::atomic<int> results{0};
  std::optional<waits> ends;
  plain<int> destroyed = 0;
};

TEST(zero_wait_interleavings, the_last_task_touches_nothing_that_the_waiter_destroys) {
  for (const int tasks : {1, 2}) {
    expect_none(tasks == 1 ? "one task" : "two tasks", 4, [tasks] {
      auto c = std::make_shared<counted_tasks>(tasks);
      scenario result;
      for (int i = 0; i < tasks; ++i) result.threads.emplace_back([c] { c->end_one(); });
      result.threads.emplace_back([c, tasks] { c->wait_and_destroy(tasks); });
      result.check = [c] { search::here().require(c->destroyed == 1, "the waiter still waits"); };
      return result;
    });
  }
}

}  // namespace
}  // namespace hocket
