// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <gtest/gtest.h>

#include <hocket/execution/strand.hpp>

#include "interleavings.hpp"
#include "item_ring.hpp"
#include "suspension.hpp"
#include "worker_count.hpp"

namespace hocket {
namespace {

using interleavings::expect_none;
using interleavings::findings;
using interleavings::plain;
using interleavings::scenario;
using interleavings::search;
using interleavings::searched_atomics;

struct event {
  int producer = 0;
  int number = 0;
};

/// A strand whose `later` is noted, and looked for by every thread when it has posted, and what its
/// handler saw. Handler state is plain: two owners at once, or two whose order nobody promised,
/// are found as a race.
template <class Atomics>
struct strand_under_search {
  explicit strand_under_search(std::size_t bound) : under_search(*this, bound) {}

  void begin_run() { stepped_in_run = 0; }
  void end_run() { search::here().require(stepped_in_run > 0, "a run was empty"); }
  void resume_later() { due.exchange(due_now); }
  void step(event e) {
    search& s = search::here();
    s.require(e.number == last_of[static_cast<std::size_t>(e.producer)] + 1,
              "events of one thread are out of order");
    last_of[static_cast<std::size_t>(e.producer)] = e.number;
    stepped = stepped + 1;
    stepped_in_run = stepped_in_run + 1;
    if (on_step) on_step(e);
  }
  void look() {
    while (due.exchange(nothing_due) == due_now) under_search.resume();
  }
  void check(int expected) {
    look();
    search::here().require(stepped == expected, "an event was left behind");
  }

  static constexpr int nothing_due = 0;
  static constexpr int due_now = 1;
  interleavings::atomic<int> due;
  std::array<plain<int>, interleavings::max_threads> last_of;
  plain<int> stepped;
  plain<int> stepped_in_run;
  std::function<void(event)> on_step;
  strand<event, strand_under_search, Atomics> under_search;
};

template <class Atomics>
scenario posting(std::size_t threads, int each, std::size_t bound) {
  auto s = std::make_shared<strand_under_search<Atomics>>(bound);
  scenario result;
  for (std::size_t t = 0; t < threads; ++t) {
    result.threads.emplace_back([s, t, each] {
      for (int i = 1; i <= each; ++i) s->under_search.post({static_cast<int>(t), i});
      s->look();
    });
  }
  result.check = [s, total = static_cast<int>(threads) * each] { s->check(total); };
  return result;
}

TEST(interleavings, two_threads_post_two_events_each) {
  // Without the bound all 7 137 588 executions pass too, in a minute.
  expect_none("2 x 2", 6, [] { return posting<searched_atomics>(2, 2, 64); });
}

TEST(interleavings, three_threads_post_one_event_each) {
  expect_none("3 x 1", 4, [] { return posting<searched_atomics>(3, 1, 64); });
}

TEST(interleavings, an_owner_that_reaches_its_bound_hands_over) {
  expect_none("2 x 2, bound 1", 6, [] { return posting<searched_atomics>(2, 2, 1); });
}

TEST(interleavings, three_threads_with_hand_over) {
  expect_none("3 x 1, bound 1", 4, [] { return posting<searched_atomics>(3, 1, 1); });
}

/// As the end of a runtime does, which keeps what it has come to own.
TEST(interleavings, a_thread_becomes_the_owner_while_another_posts) {
  expect_none("post and try_own", interleavings::unlimited, [] {
    auto s = std::make_shared<strand_under_search<searched_atomics>>(64);
    scenario result;
    result.threads.emplace_back([s] {
      s->under_search.post({0, 1});
      s->look();
    });
    result.threads.emplace_back([s] {
      if (!s->under_search.try_own()) return;
      s->stepped_in_run = 0;  // what the owner alone may touch
      s->under_search.resume();
      s->look();
    });
    result.check = [s] { s->check(1); };
    return result;
  });
}

TEST(interleavings, a_handler_posts_to_its_own_strand) {
  expect_none("nested post", interleavings::unlimited, [] {
    auto s = std::make_shared<strand_under_search<searched_atomics>>(64);
    s->on_step = [raw = s.get()](event e) {
      if (e.producer < 2) raw->under_search.post({e.producer + 2, 1});
    };
    scenario result;
    for (int t = 0; t < 2; ++t) {
      result.threads.emplace_back([s, t] { s->under_search.post({t, 1}); });
    }
    result.check = [s] { s->check(4); };
    return result;
  });
}

/// Items, and workers that are sent for, come, and take items as those of a node do.
template <bool IsOrdered>
struct workers_under_search {
  explicit workers_under_search(std::size_t most) : workers(most) {}

  void post() {
    if (IsOrdered) {
      items.fetch_add(1);
    } else {
      items.fetch_add(1, std::memory_order_release);
    }
    if (workers.wants_worker()) come();
  }
  void post_from_outside() {
    workers.begin_post();
    items.fetch_add(1, std::memory_order_release);
    if (!workers.end_post()) return;
    const int sent_for = work();
    workers.post_is_over();
    for (int left = sent_for; left > 0; --left) left += work();
  }

  /// The calling thread is the worker that was sent for, and then those that this one sends for.
  void come() {
    for (int left = 1; left > 0; --left) left += work();
  }

  void help() {
    if (!items_wait() || !workers.join()) return;
    while (take()) continue;
    if (!workers.leave_as_guest([this] { return items_wait(); })) come();
  }

  void check(int total) {
    search::here().require(taken == total, "an item was left behind");
    search::here().require(workers.idle(), "the worker count is not idle");
  }

 private:
  /// Returns how many workers it has sent for.
  [[nodiscard]] int work() {
    int sent_for = 0;
    for (bool searches = true;;) {
      if (!searches && take()) continue;
      if (!searches) workers.search();
      searches = true;
      if (!items_wait()) {
        if (workers.leave([this] { return items_wait(); })) return sent_for;
        continue;
      }
      const bool was_last = workers.found();
      searches = false;
      (void)take();
      if (was_last && items_wait() && workers.wants_worker()) ++sent_for;
    }
  }
  [[nodiscard]] bool items_wait() const { return items.load() > 0; }
  [[nodiscard]] bool take() {
    int seen = items.load();
    while (seen > 0) {
      if (!items.compare_exchange_weak(seen, seen - 1, std::memory_order_acq_rel,
                                       std::memory_order_relaxed)) {
        continue;
      }
      ++taken;
      return true;
    }
    return false;
  }

  worker_count<searched_atomics> workers;
  searched_atomics::atomic<int> items{0};
  int taken = 0;  // only counted: the search runs one thread at a time
};

/// Threads post items and are the workers that are sent for; guests help.
template <bool IsOrdered = true>
scenario working(std::size_t threads, int each, std::size_t guests, std::size_t max_workers) {
  auto s = std::make_shared<workers_under_search<IsOrdered>>(max_workers);
  scenario result;
  for (std::size_t t = 0; t < threads; ++t) {
    result.threads.emplace_back([s, each] {
      for (int i = 0; i < each; ++i) s->post();
    });
  }
  for (std::size_t g = 0; g < guests; ++g) {
    result.threads.emplace_back([s] { s->help(); });
  }
  result.check = [s, total = static_cast<int>(threads) * each] { s->check(total); };
  return result;
}

TEST(interleavings, workers_leave_no_item_behind) {
  expect_none("1 worker, 2 x 1", 5, [] { return working(2, 1, 0, 1); });
  expect_none("1 worker, 2 x 2", 3, [] { return working(2, 2, 0, 1); });
  expect_none("2 workers, 3 x 1", 3, [] { return working(3, 1, 0, 2); });
}

TEST(interleavings, what_is_posted_from_outside_is_not_left_behind) {
  expect_none("1 worker, 2 posters", 4, [] {
    auto s = std::make_shared<workers_under_search<true>>(1);
    scenario result;
    for (int i = 0; i < 2; ++i) result.threads.emplace_back([s] { s->post_from_outside(); });
    result.check = [s] { s->check(2); };
    return result;
  });
}

TEST(interleavings, a_worker_count_is_not_idle_while_a_thread_posts) {
  worker_count<> c(1);
  c.begin_post();
  EXPECT_FALSE(c.idle());
  EXPECT_TRUE(c.end_post());
  c.post_is_over();
  EXPECT_TRUE(c.found());
  c.begin_post();
  EXPECT_FALSE(c.end_post()) << "there is a worker";
  EXPECT_TRUE(c.leave_as_guest([] { return false; }));
  EXPECT_TRUE(c.idle());
}

TEST(interleavings, a_worker_count_is_not_idle_while_a_worker_looks_for_the_last_time) {
  worker_count<> c(1);
  EXPECT_TRUE(c.wants_worker());
  EXPECT_TRUE(c.leave([&] {
    EXPECT_FALSE(c.idle());
    return false;
  }));
  EXPECT_TRUE(c.idle());
}

TEST(interleavings, guests_leave_no_item_behind) {
  expect_none("1 worker, 1 guest, 2 items", 4, [] { return working(1, 2, 1, 1); });
  expect_none("1 worker, 2 guests, 1 item", 3, [] { return working(1, 1, 2, 1); });
  expect_none("2 workers, 1 guest, 2 items", 3, [] { return working(1, 2, 1, 2); });
}

TEST(interleavings, at_most_so_many_workers_are_sent_for) {
  worker_count<> c(2);
  EXPECT_TRUE(c.wants_worker());
  EXPECT_FALSE(c.wants_worker()) << "one searches";
  EXPECT_TRUE(c.found()) << "none searches any more";
  EXPECT_TRUE(c.wants_worker());
  c.search();
  EXPECT_FALSE(c.found()) << "the other one still searches";
  EXPECT_TRUE(c.found());
  EXPECT_FALSE(c.wants_worker()) << "there are as many as may be";
}

TEST(interleavings, one_guest_joins_full_workers) {
  worker_count<> c(1);
  EXPECT_TRUE(c.wants_worker());
  EXPECT_TRUE(c.join());
  EXPECT_FALSE(c.join()) << "there is one more than may be";
  EXPECT_TRUE(c.leave_as_guest([] { return true; })) << "items wait, but the worker searches";
  EXPECT_TRUE(c.join());
  EXPECT_TRUE(c.leave([] { return false; }));
  EXPECT_TRUE(c.leave_as_guest([] { return false; })) << "nothing waits";
  EXPECT_TRUE(c.idle());
}

TEST(interleavings, a_guest_leaves_its_place_to_a_worker_if_there_is_none) {
  worker_count<> c(1);
  EXPECT_TRUE(c.join());
  EXPECT_FALSE(c.wants_worker()) << "the guest is there";
  EXPECT_FALSE(c.leave_as_guest([] { return true; }));
  EXPECT_TRUE(c.leave([] { return false; }));
  EXPECT_TRUE(c.idle());
}

TEST(interleavings, a_worker_stays_if_an_item_came_while_it_left) {
  worker_count<> c(1);
  EXPECT_TRUE(c.wants_worker());
  EXPECT_FALSE(c.leave([] { return true; }));
  EXPECT_EQ(c.at_work(), 0U) << "it searches";
  EXPECT_TRUE(c.found());
  EXPECT_EQ(c.at_work(), 1U);
}

TEST(interleavings, a_worker_count_is_idle_when_nothing_works_leaves_or_is_suspended) {
  worker_count<> c(1);
  EXPECT_TRUE(c.idle());
  EXPECT_TRUE(c.wants_worker());
  EXPECT_FALSE(c.idle());
  EXPECT_TRUE(c.found());
  c.suspend();
  EXPECT_EQ(c.suspended(), 1U);
  c.search();
  EXPECT_TRUE(c.leave([&] {
    EXPECT_FALSE(c.idle()) << "a worker is about to leave";
    return false;
  }));
  EXPECT_FALSE(c.idle()) << "an item is suspended";
  EXPECT_TRUE(c.wants_worker());
  c.go_on();
  EXPECT_TRUE(c.found());
  c.search();
  EXPECT_TRUE(c.leave([] { return false; }));
  EXPECT_TRUE(c.idle());
}

/// The search would find it.
TEST(interleavings, the_search_finds_an_item_that_is_made_known_without_order) {
  EXPECT_NE(search(4, 1).explore([] { return working<false>(2, 1, 0, 1); }).failure, "");
}

/// One thread leaves a stack, one opens the gate, one is the timer. Somebody goes on with the item,
/// once, and sees what was left.
template <class Atomics>
scenario suspending() {
  struct shared {
    suspension<Atomics> at;
    plain<int> left_behind;
    plain<int> result;
    plain<int> went_on;
  };
  auto s = std::make_shared<shared>();
  const auto go_on = [s] {
    search::here().require(s->left_behind == 1, "the stack was not left yet");
    s->went_on = s->went_on + 1;
    if (s->at.opened()) search::here().require(s->result == 1, "the result is not there");
  };
  scenario result;
  result.threads.emplace_back([s, go_on] {
    s->left_behind = 1;
    if (!s->at.left()) go_on();
  });
  result.threads.emplace_back([s, go_on] {
    s->result = 1;
    if (s->at.open()) go_on();
  });
  result.threads.emplace_back([s, go_on] {
    if (s->at.expire()) go_on();
  });
  result.check = [s] { search::here().require(s->went_on == 1, "not gone on with once"); };
  return result;
}

/// A ring of two slots: what was pushed is popped once, by a consumer or by who looks in the end.
scenario ringing(int producers, int items, int consumers) {
  struct state {
    item_ring<word_cell<int, searched_atomics>> ring{2};
    std::vector<plain<int>> content;  ///< written before an item is pushed, read where it is popped
    std::vector<int> pushed, popped;
    void pop() {
      int item = 0;
      if (!ring.try_pop(item)) return;
      search::here().require(content[static_cast<std::size_t>(item)] == 7, "an item is unknown");
      ++popped[static_cast<std::size_t>(item)];
    }
  };
  auto s = std::make_shared<state>();
  const auto count = static_cast<std::size_t>(producers * items);
  s->content = std::vector<plain<int>>(count);
  s->pushed.resize(count);
  s->popped.resize(count);
  scenario result;
  for (int p = 0; p < producers; ++p) {
    result.threads.emplace_back([s, p, items] {
      for (int i = p * items; i < (p + 1) * items; ++i) {
        s->content[static_cast<std::size_t>(i)] = 7;
        if (s->ring.try_push(i)) s->pushed[static_cast<std::size_t>(i)] = 1;
      }
    });
  }
  for (int c = 0; c < consumers; ++c) result.threads.emplace_back([s] { s->pop(); });
  result.check = [s, count] {
    for (std::size_t i = 0; i < count; ++i) s->pop();
    search::here().require(s->pushed == s->popped, "an item was lost or came twice");
  };
  return result;
}

TEST(interleavings, a_ring_loses_no_item) {
  expect_none("ring, 2 x 1, 2", 4, [] { return ringing(2, 1, 2); });
  expect_none("ring, 1 x 3, 2", 4, [] { return ringing(1, 3, 2); });
  expect_none("ring, 2 x 2, 1", 4, [] { return ringing(2, 2, 1); });
}

/// A thread pushes items, and tries to take each back, while others pop.
scenario taking_back(int consumers, int items) {
  struct state {
    item_ring<word_cell<int, searched_atomics>> ring{4};
    std::vector<int> taken;

    void pop() {
      int item = -1;
      if (ring.try_pop(item)) ++taken[static_cast<std::size_t>(item)];
    }
  };
  auto s = std::make_shared<state>();
  s->taken.resize(static_cast<std::size_t>(items));
  scenario result;
  result.threads.emplace_back([s, items] {
    for (int i = 0; i < items; ++i) {
      search::here().require(s->ring.try_push(i), "the ring is not full");
      if (s->ring.pop_if([&](int first) { return first == i; })) {
        ++s->taken[static_cast<std::size_t>(i)];
      }
    }
  });
  for (int c = 0; c < consumers; ++c) result.threads.emplace_back([s] { s->pop(); });
  result.check = [s, items] {
    for (int i = 0; i < items; ++i) s->pop();
    search::here().require(s->taken == std::vector<int>(static_cast<std::size_t>(items), 1),
                           "an item was lost or came twice");
  };
  return result;
}

TEST(interleavings, a_ring_gives_an_item_back_or_to_one_that_pops) {
  expect_none("take back, 1, 2", 4, [] { return taking_back(1, 2); });
  expect_none("take back, 2, 2", 4, [] { return taking_back(2, 2); });
}

TEST(interleavings, a_ring_gives_back_only_what_is_first) {
  item_ring<word_cell<int>> ring(4);
  const auto take_back = [&](int item) {
    return ring.pop_if([&](int first) { return first == item; });
  };
  EXPECT_FALSE(take_back(0)) << "it is empty";
  int item = -1;
  for (int i = 0; i < 6; ++i) {
    EXPECT_TRUE(ring.try_push(2 * i));
    EXPECT_TRUE(ring.try_push(2 * i + 1));
    EXPECT_FALSE(take_back(2 * i + 1));
    EXPECT_TRUE(take_back(2 * i));
    EXPECT_FALSE(take_back(2 * i));
    EXPECT_TRUE(ring.try_pop(item));
    EXPECT_EQ(item, 2 * i + 1);
    EXPECT_FALSE(take_back(2 * i + 1));
  }
}

TEST(interleavings, a_ring_has_room_again_for_all_that_was_popped) {
  item_ring<word_cell<int>> ring(4);
  for (int round = 0; round < 3; ++round) {
    for (int i = 0; i < 4; ++i) EXPECT_TRUE(ring.try_push(i));
    EXPECT_FALSE(ring.try_push(4));
    for (int i = 0; i < 4; ++i) {
      int item = -1;
      EXPECT_TRUE(ring.try_pop(item));
      EXPECT_EQ(item, i);
    }
  }
}

TEST(interleavings, a_suspended_item_is_gone_on_with_once) {
  expect_none("suspension", interleavings::unlimited,
              [] { return suspending<searched_atomics>(); });
}

/// The same operations, with one promise of order weakened: the search has to notice each.
template <std::memory_order Promised, std::memory_order Kept>
struct weakened_atomics {
  template <class T>
  struct atomic : interleavings::atomic<T> {
    using base = interleavings::atomic<T>;
    using base::base;
    static constexpr std::memory_order kept(std::memory_order order) {
      return order == Promised ? Kept : order;
    }
    T load(std::memory_order order) const { return base::load(kept(order)); }
    T exchange(T value, std::memory_order order) { return base::exchange(value, kept(order)); }
    bool compare_exchange_strong(T& expected, T desired, std::memory_order success,
                                 std::memory_order failure) {
      return base::compare_exchange_strong(expected, desired, kept(success), kept(failure));
    }
    bool compare_exchange_weak(T& expected, T desired, std::memory_order success,
                               std::memory_order failure) {
      return base::compare_exchange_strong(expected, desired, kept(success), kept(failure));
    }
  };
  template <class T>
  using plain = interleavings::plain<T>;
};

template <std::memory_order Promised, std::memory_order Kept>
std::string failure_when_weakened() {
  using weakened = weakened_atomics<Promised, Kept>;
  // The first event of all is in no node: what is promised about nodes shows with the next ones.
  return search{6}.explore([] { return posting<weakened>(2, 2, 64); }).failure;
}

TEST(interleavings, no_order_of_the_inbox_is_stronger_than_it_must_be) {
  using enum std::memory_order;
  EXPECT_NE((failure_when_weakened<acq_rel, acquire>()), "") << "the release of push";
  EXPECT_NE((failure_when_weakened<acq_rel, release>()), "") << "the acquire of push";
  EXPECT_NE((failure_when_weakened<acquire, relaxed>()), "") << "the acquire of pop";
  EXPECT_NE((failure_when_weakened<release, relaxed>()), "") << "the release of leave";
}

TEST(interleavings, no_order_of_the_suspension_is_stronger_than_it_must_be) {
  using enum std::memory_order;
  const auto failure = [](const auto weakened) {
    return search{}.explore([] { return suspending<decltype(weakened)>(); }).failure;
  };
  EXPECT_NE(failure(weakened_atomics<acq_rel, acquire>{}), "") << "the release of finish";
  EXPECT_NE(failure(weakened_atomics<acq_rel, release>{}), "") << "the acquire of finish";
  EXPECT_NE(failure(weakened_atomics<release, relaxed>{}), "") << "the release of left";
  EXPECT_NE(failure(weakened_atomics<acquire, relaxed>{}), "") << "the acquire of opened and left";
}

TEST(interleavings, the_search_finds_a_lost_event) {
  // The classic mistake: the owner looks whether anything is left, and only then goes away.
  const findings f = search{}.explore([] {
    struct broken {
      interleavings::atomic<int> waiting;
      interleavings::atomic<int> owned;
      int stepped = 0;
      void post() {
        while (!add(1)) {
        }
        if (owned.exchange(1) == 1) return;
        while (waiting.load() != 0) {
          stepped += waiting.exchange(0);
        }
        owned.store(0);
      }
      bool add(int n) {
        int seen = waiting.load();
        return waiting.compare_exchange_strong(seen, seen + n, std::memory_order_seq_cst,
                                               std::memory_order_seq_cst);
      }
    };
    auto b = std::make_shared<broken>();
    scenario result;
    for (int t = 0; t < 2; ++t) result.threads.emplace_back([b] { b->post(); });
    result.check = [b] { search::here().require(b->stepped == 2, "an event was left behind"); };
    return result;
  });
  EXPECT_EQ(f.failure, "an event was left behind");
}

}  // namespace
}  // namespace hocket
