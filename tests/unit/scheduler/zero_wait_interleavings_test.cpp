// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <gtest/gtest.h>

#include <array>
#include <memory>
#include <optional>

#include <hocket/scheduler/detail/task_count.hpp>

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

/// Tasks of a runtime: workers count their ends, and look whether a thread waits when they have run
/// out of items; other threads end tasks as well. The thread that waits destroys what the others
/// look at, but not before the workers have gone, as a runtime does.
template <bool Looks>
struct ended_tasks {
  using waits =
      detail::zero_wait<std::shared_ptr<searched_gate>, searched_atomics, interleavings::mutex>;

  explicit ended_tasks(int tasks) {
    counts.emplace();
    counts->add_up({&records[0], &records[1]});
    ends.emplace();
    for (int i = 0; i < tasks; ++i) counts->start(nullptr);
  }

  void work(std::size_t number, int tasks) {
    basic_worker_record<searched_atomics>* const worker = &records[number];
    for (int i = 0; i < tasks; ++i) {
      counts->start(worker);
      for (int each = 0; each < 2; ++each) {
        results.fetch_add(1);
        search::here().require(counts->try_end(worker), "a worker has only to count");
      }
    }
    if (Looks && counts->is_awaited()) ends->look(none_left(), [] {});
    workers.fetch_sub(1);
  }
  void end_outside() {
    results.fetch_add(1);
    if (counts->try_end(nullptr)) return;
    ends->look(none_left(), [this] { counts->end_awaited(); });
  }
  void wait_and_destroy() {
    counts->begin_wait();
    while (!ends->holds(none_left())) {
      const auto gate = std::make_shared<searched_gate>();
      ends->await(gate, none_left());
      gate->wait();
    }
    counts->end_wait();
    search::here().require(results.load() == total, "a task has not ended");
    if (workers.load() == 0) {
      ends.reset();
      counts.reset();
    }
    went_on = went_on + 1;
  }
  [[nodiscard]] auto none_left() {
    return [this] { return counts->unfinished() == 0; };
  }

  int total = 0;
  std::array<basic_worker_record<searched_atomics>, 2> records;
  searched_atomics::atomic<int> results{0};
  std::optional<detail::basic_task_count<searched_atomics>> counts;
  std::optional<waits> ends;
  searched_atomics::atomic<int> workers{0};
  plain<int> went_on = 0;
};

template <bool Looks = true>
scenario ending(std::size_t workers, int outside) {
  auto c = std::make_shared<ended_tasks<Looks>>(static_cast<int>(workers) + outside);
  c->workers.store(static_cast<int>(workers));
  c->total = 2 * static_cast<int>(workers) + outside;
  scenario result;
  for (std::size_t w = 0; w < workers; ++w) {
    result.threads.emplace_back([c, w] { c->work(w, 1); });
  }
  for (int i = 0; i < outside; ++i) result.threads.emplace_back([c] { c->end_outside(); });
  result.threads.emplace_back([c] { c->wait_and_destroy(); });
  result.check = [c] { search::here().require(c->went_on == 1, "the waiter still waits"); };
  return result;
}

TEST(zero_wait_interleavings, workers_that_only_count_wake_the_waiter) {
  expect_none("one worker", 5, [] { return ending(1, 0); });
  expect_none("two workers", 3, [] { return ending(2, 0); });
  expect_none("a worker and a thread outside", 3, [] { return ending(1, 1); });
  expect_none("two threads outside", 4, [] { return ending(0, 2); });
}

TEST(zero_wait_interleavings, the_search_finds_a_worker_that_does_not_look) {
  EXPECT_NE(search(4, 1).explore([] { return ending<false>(1, 0); }).failure, "");
}

}  // namespace
}  // namespace hocket
