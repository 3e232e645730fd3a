// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

// What the search takes the memory model of C++ to be, on the programs that it is told with.

#include <gtest/gtest.h>

#include <array>
#include <memory>
#include <mutex>
#include <string>

#include "interleavings.hpp"

namespace hocket {
namespace {

using interleavings::plain;
using interleavings::scenario;
using interleavings::search;
using enum std::memory_order;

struct two_variables {
  interleavings::atomic<int> x{0}, y{0};
  std::array<int, 4> seen{-1, -1, -1, -1};
};

template <class Forbidden, class... Thread>
std::string failure_of(std::size_t stale_loads, const Forbidden& forbidden,
                       const Thread&... thread) {
  return search{interleavings::unlimited, stale_loads}
      .explore([&] {
        auto v = std::make_shared<two_variables>();
        scenario result;
        (result.threads.emplace_back([v, thread] { thread(*v); }), ...);
        result.check = [v, forbidden] { search::here().require(!forbidden(*v), "forbidden"); };
        return result;
      })
      .failure;
}

std::string store_buffering(std::memory_order stores, std::memory_order loads,
                            std::size_t stale_loads) {
  return failure_of(
      stale_loads, [](const two_variables& v) { return v.seen[0] == 0 && v.seen[1] == 0; },
      [=](two_variables& v) {
        v.x.store(1, stores);
        v.seen[0] = v.y.load(loads);
      },
      [=](two_variables& v) {
        v.y.store(1, stores);
        v.seen[1] = v.x.load(loads);
      });
}

TEST(memory_model, a_load_may_come_before_an_earlier_store) {
  EXPECT_EQ(store_buffering(release, acquire, 1), "forbidden");
  EXPECT_EQ(store_buffering(seq_cst, acquire, 1), "forbidden");
  EXPECT_EQ(store_buffering(release, seq_cst, 1), "forbidden");
  EXPECT_EQ(store_buffering(seq_cst, seq_cst, 2), "");
  // Without old values the search takes all to be sequentially consistent.
  EXPECT_EQ(store_buffering(relaxed, relaxed, 0), "");
}

std::string message_passing(std::memory_order stores, std::memory_order loads) {
  return failure_of(
      2, [](const two_variables& v) { return v.seen[0] == 1 && v.seen[1] == 0; },
      [=](two_variables& v) {
        v.x.store(1, relaxed);
        v.y.store(1, stores);
      },
      [=](two_variables& v) {
        v.seen[0] = v.y.load(loads);
        v.seen[1] = v.x.load(relaxed);
      });
}

TEST(memory_model, an_acquire_sees_what_came_before_the_release) {
  EXPECT_EQ(message_passing(release, acquire), "");
  EXPECT_EQ(message_passing(seq_cst, seq_cst), "");
  EXPECT_EQ(message_passing(relaxed, acquire), "forbidden");
  EXPECT_EQ(message_passing(release, relaxed), "forbidden");
}

std::string independent_reads(std::memory_order all) {
  const auto reads = [all](auto first, auto second, std::size_t at) {
    return [=](two_variables& v) {
      v.seen[at] = (v.*first).load(all);
      v.seen[at + 1] = (v.*second).load(all);
    };
  };
  return failure_of(
      2,
      [](const two_variables& v) {
        return v.seen == std::array<int, 4>{1, 0, 1, 0};
      },
      [=](two_variables& v) { v.x.store(1, all == seq_cst ? seq_cst : release); },
      [=](two_variables& v) { v.y.store(1, all == seq_cst ? seq_cst : release); },
      reads(&two_variables::x, &two_variables::y, 0),
      reads(&two_variables::y, &two_variables::x, 2));
}

TEST(memory_model, two_threads_may_see_two_stores_in_different_orders) {
  EXPECT_EQ(independent_reads(acquire), "forbidden");
  EXPECT_EQ(independent_reads(seq_cst), "");
}

TEST(memory_model, a_thread_sees_no_older_value_than_before) {
  const std::string failure = failure_of(
      2, [](const two_variables& v) { return v.seen[0] > v.seen[1]; },
      [](two_variables& v) {
        v.x.store(1, relaxed);
        v.x.store(2, relaxed);
      },
      [](two_variables& v) {
        v.seen[0] = v.x.load(relaxed);
        v.seen[1] = v.x.load(relaxed);
      });
  EXPECT_EQ(failure, "");
}

TEST(memory_model, a_change_reads_the_last_value) {
  const auto add = [](two_variables& v) { (void)v.x.fetch_add(1, relaxed); };
  EXPECT_EQ(failure_of(
                2, [](const two_variables& v) { return v.x.load() != 3; }, add, add, add),
            "");
}

TEST(memory_model, an_exchange_may_fail_with_an_old_value) {
  const std::string failure = failure_of(
      1, [](const two_variables& v) { return v.seen[0] == 0 && v.seen[1] == 2; },
      [](two_variables& v) {
        v.x.store(1, relaxed);
        v.x.store(2, relaxed);
        v.y.store(1, relaxed);
      },
      [](two_variables& v) {
        v.seen[1] = v.y.load(relaxed) == 1 ? 2 : 0;
        int expected = 1;
        if (!v.x.compare_exchange_strong(expected, 3, relaxed, relaxed)) v.seen[0] = expected;
      });
  EXPECT_EQ(failure, "forbidden");
}

TEST(memory_model, a_mutex_orders_and_is_not_used_when_it_is_gone) {
  struct counted {
    interleavings::mutex guard;
    plain<int> count = 0;
  };
  const auto count = [](counted& c) {
    const std::scoped_lock lock(c.guard);
    c.count = c.count + 1;
    return c.count == 2;
  };
  const auto explore = [&](bool last_one_destroys) {
    return search{}.explore([&] {
      auto* const c = new counted;
      scenario result;
      for (int t = 0; t < 2; ++t) {
        result.threads.emplace_back([=] {
          if (count(*c) && last_one_destroys) delete c;
        });
      }
      result.check = [=] {
        if (!last_one_destroys) delete c;
      };
      return result;
    });
  };
  EXPECT_EQ(explore(true).failure, "");
  EXPECT_EQ(explore(false).failure, "");
}

TEST(memory_model, threads_that_lock_in_two_orders_wait_for_one_another) {
  struct two_locks {
    interleavings::mutex one, other;
  };
  const std::string failure = search{}
                                  .explore([] {
                                    auto l = std::make_shared<two_locks>();
                                    scenario result;
                                    result.threads.emplace_back([l] {
                                      const std::scoped_lock first(l->one);
                                      const std::scoped_lock second(l->other);
                                    });
                                    result.threads.emplace_back([l] {
                                      const std::scoped_lock first(l->other);
                                      const std::scoped_lock second(l->one);
                                    });
                                    result.check = [] {};
                                    return result;
                                  })
                                  .failure;
  EXPECT_EQ(failure, "the threads wait for one another");
}

}  // namespace
}  // namespace hocket
