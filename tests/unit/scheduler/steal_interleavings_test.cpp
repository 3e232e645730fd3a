// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <gtest/gtest.h>

#include <array>
#include <memory>

#include <hocket/execution/steal_deque.hpp>

#include "../execution/interleavings.hpp"
#include "graphs/index_range.hpp"
#include "graphs/run_workers.hpp"

namespace hocket {
namespace {

using interleavings::expect_none;
using interleavings::plain;
using interleavings::scenario;
using interleavings::search;
using interleavings::searched_atomics;

/// Numbers that each thread may get; who gets one sees what its owner wrote, and nobody else does.
struct counted {
  void got(std::uint32_t index) {
    search::here().require(content[index] == 7, "what came before the push is not seen");
    content[index] = 8;
    times[index] = times[index] + 1;
  }
  void check(std::uint32_t count) {
    for (std::uint32_t i = 0; i < count; ++i) {
      search::here().require(times[i] == 1, "somebody got a number not once");
    }
  }
  std::array<plain<int>, 4> content;
  std::array<plain<int>, 4> times;
};

template <class Atomics>
struct deque_under_search : counted {
  explicit deque_under_search(std::size_t most) { deque.reserve(most); }

  void push(std::uint32_t index) {
    content[index] = 7;
    deque.push(index);
  }
  bool take() {
    std::uint32_t index = 0;
    const bool any = deque.take(index);
    if (any) got(index);
    return any;
  }
  void steal() {
    std::uint32_t index = 0;
    if (deque.steal(index)) got(index);
  }

  steal_deque<word_cell<std::uint32_t, Atomics>> deque;
};

template <class Atomics>
scenario deque_scenario(int thieves) {
  auto d = std::make_shared<deque_under_search<Atomics>>(4);
  scenario result;
  result.threads.emplace_back([d] {
    d->push(0);
    d->push(1);
    (void)d->take();
    d->push(2);
    (void)d->take();
    (void)d->take();
  });
  for (int t = 0; t < thieves; ++t) {
    result.threads.emplace_back([d, thieves] {
      d->steal();
      if (thieves == 1) d->steal();
    });
  }
  result.check = [d] {
    for (int i = 0; i < 3; ++i) (void)d->take();
    d->check(3);
  };
  return result;
}

TEST(steal_interleavings, every_number_of_a_deque_is_got_once) {
  expect_none("deque, one thief", 4, [] { return deque_scenario<searched_atomics>(1); });
  expect_none("deque, two thieves", 3, [] { return deque_scenario<searched_atomics>(2); });
}

TEST(steal_interleavings, a_cell_is_used_again_when_its_number_was_stolen) {
  expect_none("deque of one", interleavings::unlimited, [] {
    auto d = std::make_shared<deque_under_search<searched_atomics>>(1);
    scenario result;
    result.threads.emplace_back([d] {
      d->push(0);
      if (d->take()) return;
      d->push(1);
      (void)d->take();
    });
    result.threads.emplace_back([d] { d->steal(); });
    result.check = [d] {
      (void)d->take();
      search::here().require(d->times[0] == 1, "the first number was not got once");
      search::here().require(d->times[1] == (d->content[1] == 8 ? 1 : 0), "the second neither");
    };
    return result;
  });
}

/// The owner finds no room, and makes some, while another thread steals.
template <class Atomics>
scenario growing_deque() {
  auto d = std::make_shared<deque_under_search<Atomics>>(1);
  scenario result;
  result.threads.emplace_back([d] {
    for (std::uint32_t i = 0; i < 3; ++i) {
      search::here().require(d->deque.make_room(4), "there is no room");
      d->push(i);
    }
    (void)d->take();
  });
  result.threads.emplace_back([d] {
    d->steal();
    d->steal();
  });
  result.check = [d] {
    while (d->take()) continue;
    d->check(3);
  };
  return result;
}

TEST(steal_interleavings, a_deque_grows_up_to_a_limit) {
  steal_deque<word_cell<std::uint32_t>> deque;
  const auto fill = [&] {
    std::uint32_t pushed = 0;
    for (; deque.make_room(128); ++pushed) deque.push(pushed);
    return pushed;
  };
  EXPECT_EQ(fill(), 128U);
  std::uint32_t value = 0;
  EXPECT_TRUE(deque.look_at_newest(value));
  EXPECT_EQ(value, 127U);
  for (std::uint32_t i = 0; i < 40; ++i) {
    EXPECT_TRUE(deque.steal(value));
    EXPECT_EQ(value, i) << "the oldest first";
  }
  EXPECT_EQ(fill(), 40U) << "what was stolen has left its room";
  std::uint32_t left = 0;
  while (deque.take(value)) ++left;
  EXPECT_EQ(left, 128U);
  EXPECT_EQ(value, 40U) << "the newest first";
  EXPECT_FALSE(deque.look_at_newest(value));
}

TEST(steal_interleavings, a_deque_grows_while_numbers_are_stolen) {
  expect_none("deque that grows", 4, [] { return growing_deque<searched_atomics>(); });
}

/// The deque with some of its sequentially consistent operations only released or acquired.
template <bool Stores, bool Loads>
struct weakened {
  template <class T>
  struct atomic : interleavings::atomic<T> {
    using base = interleavings::atomic<T>;
    using base::base;
    void store(T value, std::memory_order order) {
      const bool is_weak = Stores && order == std::memory_order_seq_cst;
      base::store(value, is_weak ? std::memory_order_release : order);
    }
    T load(std::memory_order order) const {
      const bool is_weak = Loads && order == std::memory_order_seq_cst;
      return base::load(is_weak ? std::memory_order_acquire : order);
    }
  };
};

TEST(steal_interleavings, the_owner_and_a_thief_of_the_last_number_see_one_another) {
  const auto failure = [](const auto atomics) {
    return search{3, 1}.explore([] { return deque_scenario<decltype(atomics)>(1); }).failure;
  };
  EXPECT_NE(failure(weakened<true, false>{}), "") << "the store of the bottom in take()";
  EXPECT_NE(failure(weakened<false, true>{}), "") << "the loads in take() and steal()";
}

struct range_under_search : counted {
  range_under_search() {
    for (auto& each : content) each = 7;
    range.assign({0, 4});
  }

  void take() {
    std::uint32_t index = 0;
    std::uint32_t left = 0;
    if (range.take(index, left)) got(index);
  }
  void steal() {
    const auto [first, last] = range.steal();
    for (std::uint32_t i = first; i < last; ++i) got(i);
  }

  detail::index_range<searched_atomics> range;
};

TEST(steal_interleavings, every_index_of_a_range_is_got_once) {
  expect_none("range", 4, [] {
    auto r = std::make_shared<range_under_search>();
    scenario result;
    result.threads.emplace_back([r] {
      r->take();
      r->take();
    });
    for (int t = 0; t < 2; ++t) result.threads.emplace_back([r] { r->steal(); });
    result.check = [r] {
      for (int i = 0; i < 4; ++i) r->take();
      r->check(4);
    };
    return result;
  });
}

/// A thread that takes part and has to wait within a function, with stock that others are to take,
/// and workers that look for some once.
struct worker_count_under_search {
  worker_count_under_search() {
    stock.reserve(1);
    (void)workers.join();
    workers.send_for();
  }

  void wait_with_stock() {
    stock.push(0);
    if (workers.wants_more()) send_for();
    workers.leave();
    if (workers.wants_more()) send_for();
  }
  void work() {
    std::uint32_t taken = 0;
    if (workers.arrive() && stock.steal(taken)) done = 1;
    if (workers.leave([this] { return stock.occupied(); })) send_for();
  }
  void send_for() {
    workers.send_for();
    sent.fetch_add(1);
  }
  void check() {
    while (sent.fetch_sub(1) > 0) work();
    search::here().require(done.load() == 1, "nobody takes what is in stock");
  }

  detail::run_workers<searched_atomics> workers{1};
  steal_deque<word_cell<std::uint32_t, searched_atomics>> stock;
  searched_atomics::atomic<int> sent{0};
  searched_atomics::atomic<int> done{0};
};

TEST(steal_interleavings, no_stock_is_left_alone) {
  expect_none("workers", 4, [] {
    auto c = std::make_shared<worker_count_under_search>();
    scenario result;
    result.threads.emplace_back([c] { c->wait_with_stock(); });
    result.threads.emplace_back([c] { c->work(); });
    result.check = [c] { c->check(); };
    return result;
  });
}

/// A thread that takes no part puts something in stock, while the last worker leaves.
template <bool IsOrdered>
struct outside_stock_under_search {
  outside_stock_under_search() { workers.send_for(); }

  void add() {
    stock.store(1);
    if (IsOrdered ? workers.wants_more_now() : workers.wants_more()) send_for();
  }
  void work() {
    if (workers.arrive() && stock.exchange(0) == 1) done = 1;
    if (workers.leave([this] { return stock.load() == 1; })) send_for();
  }
  void send_for() {
    workers.send_for();
    sent.fetch_add(1);
  }
  void check() {
    while (sent.fetch_sub(1) > 0) work();
    search::here().require(done.load() == 1, "stock from outside is left alone");
  }

  detail::run_workers<searched_atomics> workers{1};
  searched_atomics::atomic<int> stock{0};
  searched_atomics::atomic<int> sent{0};
  searched_atomics::atomic<int> done{0};
};

template <bool IsOrdered>
scenario outside_stock() {
  auto c = std::make_shared<outside_stock_under_search<IsOrdered>>();
  scenario result;
  result.threads.emplace_back([c] { c->add(); });
  result.threads.emplace_back([c] { c->work(); });
  result.check = [c] { c->check(); };
  return result;
}

TEST(steal_interleavings, no_stock_from_outside_is_left_alone) {
  expect_none("outside", interleavings::unlimited, [] { return outside_stock<true>(); });
  // As a thread looks that takes part, and has left the run before.
  EXPECT_NE(search(4, 1).explore([] { return outside_stock<false>(); }).failure, "");
}

}  // namespace
}  // namespace hocket
