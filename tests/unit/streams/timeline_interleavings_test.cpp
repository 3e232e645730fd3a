// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <gtest/gtest.h>

#include <memory>
#include <mutex>
#include <string>

#include "../execution/interleavings.hpp"
#include "waiter_count.hpp"

namespace hocket {
namespace {

using interleavings::expect_none;
using interleavings::plain;
using interleavings::scenario;
using interleavings::search;
using interleavings::searched_atomics;

/// A timeline as host_timeline is one: a value that is released and acquired, a count of waiters,
/// and a list of them under a lock.
template <class Atomics>
struct timeline_under_search {
  void reach(int value) {
    effect = value;
    const bool waits = waiters.advance([&] { completed.store(value, std::memory_order_release); });
    if (!waits) return;
    const std::scoped_lock lock(guard);
    if (registered == 0 || registered > value) return;
    waiters.remove(1);
    registered = 0;
    ends_wait();
  }
  void wait_for(int value) {
    {
      const std::scoped_lock lock(guard);
      const bool waits =
          waiters.add_unless([&] { return completed.load(std::memory_order_acquire) >= value; });
      if (waits) {
        registered = value;
        return;
      }
    }
    ends_wait();
  }
  void ends_wait() {
    search::here().require(effect >= 1, "what comes before the value is not seen");
    ended = ended + 1;
  }

  typename Atomics::template atomic<int> completed{0};
  waiter_count<Atomics> waiters;
  interleavings::mutex guard;
  plain<int> registered = 0;
  plain<int> effect = 0;
  plain<int> ended = 0;
};

template <class Atomics>
scenario one_waiter() {
  auto t = std::make_shared<timeline_under_search<Atomics>>();
  scenario result;
  result.threads.emplace_back([t] { t->reach(1); });
  result.threads.emplace_back([t] { t->wait_for(1); });
  result.check = [t] { search::here().require(t->ended == 1, "a waiter was not resumed once"); };
  return result;
}

TEST(timeline_interleavings, every_waiter_is_resumed) {
  expect_none("one waiter", interleavings::unlimited, one_waiter<searched_atomics>);
}

/// The changes of the count are weaker than they promise to be.
template <std::memory_order Kept>
struct weakened {
  template <class T>
  struct atomic : interleavings::atomic<T> {
    using base = interleavings::atomic<T>;
    using base::base;
    T fetch_add(T value, std::memory_order order) {
      return base::fetch_add(value, order == std::memory_order_acq_rel ? Kept : order);
    }
  };
};

TEST(timeline_interleavings, no_order_of_the_count_is_stronger_than_it_must_be) {
  using enum std::memory_order;
  EXPECT_NE((search{interleavings::unlimited, 1}.explore(one_waiter<weakened<acquire>>).failure),
            "");
  EXPECT_NE((search{interleavings::unlimited, 1}.explore(one_waiter<weakened<release>>).failure),
            "");
}

/// As if the thread that advances only looked at the count.
struct without_fence {
  template <class T>
  struct atomic : interleavings::atomic<T> {
    using base = interleavings::atomic<T>;
    using base::base;
    T fetch_add(T value, std::memory_order order) {
      if (value == 0) return base::load(std::memory_order_acquire);
      return base::fetch_add(value, order);
    }
  };
};

TEST(timeline_interleavings, the_search_finds_a_waiter_that_a_load_misses) {
  EXPECT_EQ((search{}.explore(one_waiter<without_fence>).failure), "");
  EXPECT_EQ((search{interleavings::unlimited, 1}.explore(one_waiter<without_fence>).failure),
            "a waiter was not resumed once");
}

}  // namespace
}  // namespace hocket
