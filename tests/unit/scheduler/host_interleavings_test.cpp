// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <gtest/gtest.h>

#include <array>
#include <memory>

#include <hocket/scheduler/detail/claim.hpp>
#include <hocket/scheduler/detail/continuation_list.hpp>

#include "../execution/interleavings.hpp"
#include "tasks/meeting.hpp"

namespace hocket {
namespace {

using interleavings::expect_none;
using interleavings::plain;
using interleavings::scenario;
using interleavings::search;
using interleavings::searched_atomics;

/// The operations of one kind with one promise of order less than they ask for.
enum class operation { load, exchange, compare_exchange, fetch_sub, fetch_or };

template <operation Weak, std::memory_order Promised, std::memory_order Kept>
struct weakened_atomics {
  template <class T>
  struct atomic : interleavings::atomic<T> {
    using base = interleavings::atomic<T>;
    using base::base;
    static constexpr std::memory_order kept(operation o, std::memory_order order) {
      return o == Weak && order == Promised ? Kept : order;
    }
    T load(std::memory_order order) const { return base::load(kept(operation::load, order)); }
    T exchange(T value, std::memory_order order) {
      return base::exchange(value, kept(operation::exchange, order));
    }
    T fetch_sub(T value, std::memory_order order) {
      return base::fetch_sub(value, kept(operation::fetch_sub, order));
    }
    T fetch_or(T value, std::memory_order order) {
      return base::fetch_or(value, kept(operation::fetch_or, order));
    }
    bool compare_exchange_weak(T& expected, T desired, std::memory_order success,
                               std::memory_order failure) {
      return base::compare_exchange_strong(expected, desired,
                                           kept(operation::compare_exchange, success),
                                           kept(operation::compare_exchange, failure));
    }
  };
  template <class T>
  using plain = interleavings::plain<T>;
};

/// One event with a result, which threads wait for while another makes it happen.
template <class Atomics>
struct event_under_search {
  struct node {
    typename Atomics::template plain<node*> link = nullptr;
    plain<int> number;
    plain<int> runs;
  };

  void attach(std::size_t index) {
    node& own = nodes[index];
    own.number = static_cast<int>(index);
    if (list.push(own)) return;
    search::here().require(result == 7, "the result is not there yet");
    own.runs = own.runs + 1;
  }
  void happen() {
    result = 7;
    int last = -1;
    for (node* n = list.close(); n != nullptr; n = n->link) {
      // Both threads attach their nodes in the order of their numbers.
      search::here().require((n->number + last) % 2 == 0 ? n->number > last : true, "out of order");
      last = n->number;
      n->runs = n->runs + 1;
    }
  }
  void look() {
    if (list.closed()) search::here().require(result == 7, "the result is not there yet");
  }
  void check() {
    for (const node& n : nodes) search::here().require(n.runs == 1, "a continuation ran not once");
  }

  plain<int> result;
  std::array<node, 4> nodes;
  detail::continuation_list<node, Atomics> list;
};

/// Even nodes are attached by one thread, odd ones by another.
template <class Atomics>
scenario event_scenario() {
  auto e = std::make_shared<event_under_search<Atomics>>();
  scenario result;
  for (const std::size_t first : {0U, 1U}) {
    result.threads.emplace_back([e, first] {
      e->attach(first);
      e->attach(first + 2);
    });
  }
  result.threads.emplace_back([e] { e->happen(); });
  result.threads.emplace_back([e] { e->look(); });
  result.check = [e] { e->check(); };
  return result;
}

TEST(host_interleavings, every_continuation_runs_once) {
  expect_none("list", 4, event_scenario<searched_atomics>);
}

template <operation Weak, std::memory_order Promised, std::memory_order Kept>
std::string failure_of_weak_list() {
  return search{3}.explore(event_scenario<weakened_atomics<Weak, Promised, Kept>>).failure;
}

TEST(host_interleavings, no_order_of_the_list_is_stronger_than_it_must_be) {
  using enum std::memory_order;
  EXPECT_NE((failure_of_weak_list<operation::load, acquire, relaxed>()), "");
  EXPECT_NE((failure_of_weak_list<operation::compare_exchange, release, relaxed>()), "");
  EXPECT_NE((failure_of_weak_list<operation::compare_exchange, acquire, relaxed>()), "");
  EXPECT_NE((failure_of_weak_list<operation::exchange, acq_rel, acquire>()), "");
  EXPECT_NE((failure_of_weak_list<operation::exchange, acq_rel, release>()), "");
}

/// A task with predecessors, a list of which its claimer drops, and a reference that is to be given
/// back once, by who runs the task or by the last predecessor if somebody cancelled it.
template <class Atomics>
struct task_under_search {
  using claim = detail::basic_claim<Atomics>;
  explicit task_under_search(std::uint32_t predecessors) : word(predecessors) {}

  void arrive(plain<int>& result, bool failed) {
    result = 7;
    switch (word.arrive(failed)) {
      case claim::arrival::not_last:
      case claim::arrival::last_but_one:
        break;
      case claim::arrival::made_ready:
        claimed_by(word.claim(false), true);
        give_back();
        break;
      case claim::arrival::found_claimed:
        give_back();
        break;
    }
  }
  void cancel() { claimed_by(word.claim(true), false); }
  void help() {
    if (word.enter()) {
      (void)(list == 1);
      if (word.leave()) list = 0;
    }
    claimed_by(word.claim(false), true);
  }
  void claimed_by(typename claim::claimed how, bool ready) {
    if (how == claim::claimed::refused) return;
    search::here().require(list == 1, "the list of predecessors is gone");
    claims = claims + 1;
    if (ready) {
      search::here().require(first == 7 && second == 7, "ready too early");
      if (word.poisoned()) poisons = 1;
    }
    if (how == claim::claimed::alone || word.leave()) list = 0;
  }
  void give_back() { returned = returned + 1; }
  void check() {
    search& s = search::here();
    s.require(claims == 1, "not claimed once");
    s.require(list == 0, "the list of predecessors was not dropped");
    s.require(returned == 1, "the reference was not given back once");
  }

  claim word;
  plain<int> first, second, list = 1, claims, returned, poisons;
};

template <class Atomics>
scenario task_scenario(bool cancel, int helpers, bool failing) {
  auto t = std::make_shared<task_under_search<Atomics>>(2);
  scenario result;
  result.threads.emplace_back([t] { t->arrive(t->first, false); });
  result.threads.emplace_back([t, failing] { t->arrive(t->second, failing); });
  for (int h = 0; h < helpers; ++h) result.threads.emplace_back([t] { t->help(); });
  if (cancel) result.threads.emplace_back([t] { t->cancel(); });
  result.check = [t, cancel, failing] {
    t->check();
    if (!cancel) search::here().require((t->poisons == 1) == failing, "the failure was not seen");
  };
  return result;
}

TEST(host_interleavings, a_task_is_claimed_once) {
  using A = searched_atomics;
  expect_none("claim", interleavings::unlimited, [] { return task_scenario<A>(true, 0, false); });
  expect_none("claim, helper", 5, [] { return task_scenario<A>(true, 1, false); });
  expect_none("claim, 2 helpers", 4, [] { return task_scenario<A>(false, 2, true); });
  expect_none("claim, failure", 5, [] { return task_scenario<A>(true, 1, true); });
}

template <operation Weak, std::memory_order Promised, std::memory_order Kept>
std::string failure_of_weak_claim() {
  using weakened = weakened_atomics<Weak, Promised, Kept>;
  std::string found =
      search{4}.explore([] { return task_scenario<weakened>(true, 1, false); }).failure;
  if (found.empty()) {
    found = search{4}.explore([] { return task_scenario<weakened>(false, 2, false); }).failure;
  }
  return found;
}

TEST(host_interleavings, no_order_of_the_claim_is_stronger_than_it_must_be) {
  using enum std::memory_order;
  EXPECT_NE((failure_of_weak_claim<operation::compare_exchange, acquire, relaxed>()), "");
  EXPECT_NE((failure_of_weak_claim<operation::fetch_sub, acq_rel, release>()), "");
  EXPECT_NE((failure_of_weak_claim<operation::fetch_sub, acq_rel, acquire>()), "");
}

/// A task that a worker runs as its own if nobody else knows it, while the one who holds its future
/// attaches something, gives the task up, and lets go of it.
template <class Atomics>
struct held_task_under_search {
  struct node {
    typename Atomics::template plain<node*> link = nullptr;
  };
  using claim = detail::basic_claim<Atomics>;
  using nodes = detail::continuation_list<node, Atomics>;

  void hold(bool attaches, bool cancels) {
    content = content + 1;
    if (attaches && !list.push(attached)) told = told + 1;
    if (cancels && word.claim(true) != claim::claimed::refused) end(list.close_as_pushed());
    drop();
  }
  void work() {
    // Acquire: pairs with the release in drop().
    const bool unshared = references.load(std::memory_order_acquire) == 1;
    if (!(unshared ? word.claim_unshared() : word.claim_untouched())) return drop();
    if (unshared && list.untouched()) {
      end(nullptr);
      destroy();
    } else {
      end(list.close_as_pushed());
      drop();
    }
  }
  void end(node* newest) {
    ends = ends + 1;
    for (node* n = nodes::oldest_first(newest); n != nullptr; n = n->link) told = told + 1;
  }
  void drop() {
    // Release and acquire pair with one another: the end comes after all uses.
    if (references.fetch_sub(1, std::memory_order_acq_rel) == 1) destroy();
  }
  void destroy() {
    search::here().require(ends == 1, "the task did not end once");
    content = content + 1;
    destroyed = destroyed + 1;
  }
  void check(bool attaches) {
    search::here().require(destroyed == 1, "the task was not destroyed once");
    search::here().require(told == (attaches ? 1 : 0), "what was attached was not told once");
  }

  typename Atomics::template atomic<std::uint32_t> references{2};
  claim word{0};
  nodes list;
  node attached;
  plain<int> ends, told, destroyed, content;
};

template <class Atomics>
scenario held_task_scenario(bool attaches, bool cancels) {
  auto t = std::make_shared<held_task_under_search<Atomics>>();
  scenario result;
  result.threads.emplace_back([t, attaches, cancels] { t->hold(attaches, cancels); });
  result.threads.emplace_back([t] { t->work(); });
  result.check = [t, attaches] { t->check(attaches); };
  return result;
}

TEST(host_interleavings, a_task_that_nobody_else_knows_is_the_workers) {
  for (const bool attaches : {false, true}) {
    for (const bool cancels : {false, true}) {
      expect_none("held", interleavings::unlimited,
                  [&] { return held_task_scenario<searched_atomics>(attaches, cancels); });
    }
  }
  using enum std::memory_order;
  using loads = weakened_atomics<operation::load, acquire, relaxed>;
  using drops = weakened_atomics<operation::fetch_sub, acq_rel, acquire>;
  EXPECT_NE(search{}.explore([] { return held_task_scenario<loads>(false, false); }).failure, "");
  EXPECT_NE(search{}.explore([] { return held_task_scenario<drops>(false, false); }).failure, "");
}

/// Each party does something, and who comes second reads what both have done.
template <class Atomics>
scenario meeting_scenario() {
  struct state {
    detail::basic_meeting<Atomics> meeting;
    plain<int> one, other, seconds;
    void come(plain<int>& own, typename detail::basic_meeting<Atomics>::party who) {
      own = 1;
      if (!meeting.come(who)) return;
      search::here().require(one == 1 && other == 1, "the second did not see the first");
      seconds = seconds + 1;
    }
  };
  auto s = std::make_shared<state>();
  using party = typename detail::basic_meeting<Atomics>::party;
  scenario result;
  result.threads.emplace_back([s] { s->come(s->one, party::one); });
  result.threads.emplace_back([s] { s->come(s->other, party::other); });
  result.check = [s] { search::here().require(s->seconds == 1, "not one came second"); };
  return result;
}

TEST(host_interleavings, one_of_two_comes_second_and_sees_the_first) {
  expect_none("meeting", interleavings::unlimited,
              [] { return meeting_scenario<searched_atomics>(); });
  using enum std::memory_order;
  using acquires = weakened_atomics<operation::fetch_or, acq_rel, acquire>;
  using releases = weakened_atomics<operation::fetch_or, acq_rel, release>;
  EXPECT_NE(search{}.explore([] { return meeting_scenario<acquires>(); }).failure, "");
  EXPECT_NE(search{}.explore([] { return meeting_scenario<releases>(); }).failure, "");
}

}  // namespace
}  // namespace hocket
