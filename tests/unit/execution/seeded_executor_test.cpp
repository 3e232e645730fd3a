// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include <hocket/core/error.hpp>
#include <hocket/execution/seeded_executor.hpp>

namespace hocket {
namespace {

using std::chrono::milliseconds;
using gate = std::shared_ptr<executor::gate>;

std::vector<int> order_of(seeded_executor_options options) {
  seeded_executor ex(std::move(options));
  std::vector<int> order;
  for (int i = 0; i < 8; ++i) {
    ex.post(0, 0, [&, i] {
      order.push_back(i);
      if (i < 4) ex.post(0, 0, [&order, i] { order.push_back(10 + i); });
    });
  }
  ex.run_until_idle();
  return order;
}

TEST(seeded_stream, gives_the_numbers_of_its_definition) {
  std::uint64_t state = 1234567;
  EXPECT_EQ(splitmix64(state), 6457827717110365317U);
  EXPECT_EQ(splitmix64(state), 3203168211198807973U);
}

TEST(seeded_stream, keeps_streams_of_one_seed_apart) {
  seeded_stream one(5, 1);
  seeded_stream again(5, 1);
  seeded_stream other(5, 2);
  const std::uint64_t drawn = one.next();
  EXPECT_EQ(drawn, again.next());
  EXPECT_NE(drawn, other.next());
}

TEST(seeded_stream, draws_within_its_bound) {
  seeded_stream s(1);
  std::vector<int> seen(5, 0);
  for (int i = 0; i < 5000; ++i) ++seen[s.below(5)];
  for (const int n : seen) EXPECT_NEAR(n, 1000, 200);
  for (int i = 0; i < 1000; ++i) {
    const double u = s.uniform();
    EXPECT_TRUE(u >= 0 && u < 1);
  }
}

TEST(seeded_executor, gives_the_same_order_for_the_same_seed) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    EXPECT_EQ(order_of({.seed = seed}), order_of({.seed = seed}));
    const seeded_executor_options late{
        .seed = seed, .delay_probability = 0.5, .longest_delay = milliseconds(3)};
    EXPECT_EQ(order_of(late), order_of(late));
  }
}

TEST(seeded_executor, gives_other_orders_for_other_seeds) {
  std::set<std::vector<int>> orders;
  for (std::uint64_t seed = 0; seed < 50; ++seed) orders.insert(order_of({.seed = seed}));
  EXPECT_GE(orders.size(), 49U);
}

TEST(seeded_executor, lets_time_pass_by_events_alone) {
  seeded_executor ex;
  std::vector<time_stamp> times;
  ex.post_at(milliseconds(30), [&] { times.push_back(ex.now()); });
  ex.post_at(milliseconds(10), [&] {
    times.push_back(ex.now());
    ex.post(0, 0, [&] { times.push_back(ex.now()); });
  });
  EXPECT_EQ(ex.now(), time_stamp{});
  EXPECT_EQ(ex.run_until_idle(), 3U);
  EXPECT_EQ(times, (std::vector<time_stamp>{milliseconds(10), milliseconds(10), milliseconds(30)}));
  EXPECT_TRUE(ex.is_virtual());
}

TEST(seeded_executor, delays_nothing_beyond_the_last_time) {
  seeded_executor ex({.delay_probability = 1, .longest_delay = nanoseconds::max()});
  time_stamp last{};
  const std::function<void(int)> next = [&](int left) {
    EXPECT_GE(ex.now(), last);
    last = ex.now();
    if (left > 0) ex.post(0, 0, [&next, left] { next(left - 1); });
  };
  next(20);
  EXPECT_EQ(ex.run_until_idle(), 20U);
}

TEST(seeded_executor, runs_events_while_it_waits) {
  seeded_executor ex;
  bool was_inside = false;
  EXPECT_TRUE(ex.wait([&](const gate& g) {
    ex.post_at(milliseconds(5), [&, g] {
      was_inside = ex.inside();
      g->open();
    });
    ex.post_at(milliseconds(9), [] {});
  }));
  EXPECT_TRUE(was_inside);
  EXPECT_FALSE(ex.inside());
  EXPECT_EQ(ex.now(), milliseconds(5));
  EXPECT_EQ(ex.pending(), 1U);
}

TEST(seeded_executor, returns_at_once_from_an_open_gate) {
  seeded_executor ex;
  EXPECT_TRUE(ex.wait([](const gate& g) { g->open(); }));
}

TEST(seeded_executor, ends_a_wait_at_its_limit) {
  seeded_executor ex;
  gate kept;
  ex.post_at(milliseconds(20), [&] { kept->open(); });
  EXPECT_FALSE(ex.wait([&](gate g) { kept = std::move(g); }, milliseconds(10)));
  EXPECT_EQ(ex.now(), milliseconds(10));
  ex.run_until_idle();
  EXPECT_FALSE(ex.wait([](const gate&) {}, milliseconds(50)));
  EXPECT_EQ(ex.now(), milliseconds(50));
}

TEST(seeded_executor, waits_inside_of_waits) {
  seeded_executor ex;
  std::vector<int> order;
  ex.wait([&](const gate& outer) {
    ex.post(0, 0, [&, outer] {
      ex.wait([&](const gate& inner) { ex.post(0, 0, [inner] { inner->open(); }); });
      order.push_back(1);
      outer->open();
    });
  });
  order.push_back(2);
  EXPECT_EQ(order, (std::vector<int>{1, 2}));
}

std::string refusal(const std::function<void()>& f) {
  try {
    f();
  } catch (const usage_error& e) {
    return e.what();
  }
  return "nothing was thrown";
}

TEST(seeded_executor, says_that_a_wait_would_last_for_ever) {
  seeded_executor ex;
  ex.post(0, 0, [] {});
  EXPECT_NE(refusal([&] { ex.wait([](const gate&) {}); }).find("Nothing is left to run"),
            std::string::npos);
}

TEST(seeded_executor, says_that_waits_end_from_the_inside_out) {
  seeded_executor ex;
  gate outer;
  gate inner;
  const std::string said = refusal([&] {
    ex.wait([&](gate g) {
      outer = std::move(g);
      ex.post(0, 0, [&] {
        outer->open();
        ex.wait([&](gate h) { inner = std::move(h); });
      });
    });
    inner->open();
  });
  EXPECT_NE(said.find("from the inside out"), std::string::npos) << said;
  EXPECT_FALSE(ex.inside());
}

TEST(seeded_executor, refuses_other_threads) {
  seeded_executor ex;
  std::thread([&] {
    EXPECT_THROW(ex.post(0, 0, [] {}), usage_error);
    EXPECT_THROW(ex.step(), usage_error);
    EXPECT_THROW(ex.wait([](const gate&) {}), usage_error);
  }).join();
}

TEST(seeded_executor, gives_the_same_ranges_in_order_and_in_parallel) {
  for (const bool parallel : {false, true}) {
    seeded_executor ex({.parallel_ranges = parallel});
    std::vector<std::size_t> begin_of(23, 99);
    ex.for_ranges(0, 23, 5, [&](std::size_t begin, std::size_t end) {
      EXPECT_EQ(end, std::min<std::size_t>(begin + 5, 23));
      for (std::size_t i = begin; i < end; ++i) begin_of[i] = begin;
    });
    for (std::size_t i = 0; i < begin_of.size(); ++i) EXPECT_EQ(begin_of[i], i / 5 * 5);
    ex.for_ranges(0, 0, 5, [](std::size_t, std::size_t) { ADD_FAILURE(); });
  }
}

TEST(seeded_executor, needs_an_arena) {
  EXPECT_THROW(seeded_executor({.workers = {}}), usage_error);
  EXPECT_EQ(seeded_executor({.workers = {2, 8}}).workers(1), 8U);
}

}  // namespace
}  // namespace hocket
