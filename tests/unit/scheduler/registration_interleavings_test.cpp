// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <gtest/gtest.h>

#include <array>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <hocket/core/access.hpp>
#include <hocket/scheduler/detail/claim.hpp>
#include <hocket/scheduler/detail/continuation_list.hpp>

#include "../execution/interleavings.hpp"
#include "data/access_history.hpp"
#include "tasks/meeting.hpp"

namespace hocket {
namespace {

using interleavings::expect_none;
using interleavings::plain;
using interleavings::scenario;
using interleavings::search;
using interleavings::searched_atomics;

/// Mistakes in the protocol that the search must find.
enum class mistake {
  none,
  expects_late,        ///< other tasks see the task before its count of predecessors is set
  locks_one_by_one,    ///< the task does not hold the locks of all its buffers at the same time
  retires_early,       ///< a cancelled task retires before its predecessors have retired
  forgets_retirement,  ///< a predecessor that retires during registration is not counted as ended
  ignores_reservation  ///< a task enters a buffer that a run has reserved
};

/// The protocol of in_place_node: a task registers with its buffers under their locks, attaches an
/// edge to each predecessor, and retires (closes its list of edges) when it has run or was
/// cancelled. A task of a large run locks its buffers one by one, while they are reserved. The
/// history, the claim, the list and the meeting are the library's own.
template <class Atomics, mistake Wrong>
class tasks_in_place {
 public:
  struct task;
  struct edge {
    typename Atomics::template plain<edge*> link = nullptr;
    task* owner = nullptr;
    task* source = nullptr;
  };
  struct buffer {
    interleavings::mutex guard;
    detail::access_history<task*> history;
    plain<int> content;
    plain<int> is_reserved;                ///< under the guard
    interleavings::mutex* gate = nullptr;  ///< held while buffers are reserved
  };
  struct use {
    buffer* data;
    access_mode mode;
  };
  struct task {
    explicit task(std::vector<use> all) : uses(std::move(all)) {}
    [[nodiscard]] bool has_retired() const noexcept { return place.closed(); }

    std::vector<use> uses;
    detail::basic_claim<Atomics> word{0};
    detail::continuation_list<edge, Atomics> place;
    detail::basic_meeting<Atomics> early_end;
    std::array<edge, 4> edges;
    std::size_t edge_count = 0;
    plain<int> ends;
    plain<int> runs;
    plain<int> seen;  ///< of the first buffer, when it ran
  };
  using claim = detail::basic_claim<Atomics>;
  using party = typename detail::basic_meeting<Atomics>::party;

  /// Buffers that are used together stand in the order of their locks.
  static void submit(task& made) {
    if (Wrong == mistake::locks_one_by_one) {
      for (const use& each : made.uses) {
        each.data->guard.lock();
        add_edges(made, each);
        each.data->guard.unlock();
      }
      expect(made);
    } else {
      while (const buffer* const reserved = lock_all(made)) {
        reserved->gate->lock();
        reserved->gate->unlock();
      }
      for (const use& each : made.uses) add_edges(made, each);
      if (Wrong != mistake::expects_late) expect(made);
      for (const use& each : made.uses) each.data->guard.unlock();
      if (Wrong == mistake::expects_late) expect(made);
    }
    attach(made);
  }

  /// The same as a task of a run that enters very many buffers.
  static void submit_in_large_run(task& made) {
    interleavings::mutex& gate = *made.uses.front().data->gate;
    gate.lock();
    reserve(made, 1);
    for (const use& each : made.uses) {
      each.data->guard.lock();
      add_edges(made, each);
      each.data->guard.unlock();
    }
    expect(made);
    reserve(made, 0);
    gate.unlock();
    attach(made);
  }

  /// A thread that waits for the task runs those of its predecessors that are ready.
  static void help(task& awaited) {
    if (!awaited.word.enter()) return;
    for (std::size_t i = 0; i < awaited.edge_count; ++i) run(*awaited.edges[i].source);
    (void)awaited.word.leave();
  }

  static void cancel(task& pending) {
    bool waited = false;
    if (pending.word.claim(true, waited) == claim::claimed::refused) return;
    if (!end(pending)) return;
    // Predecessors may still use the buffers, and successors have to wait for those too.
    if (Wrong == mistake::retires_early || !waited || pending.early_end.come(party::one)) {
      retire(pending);
    }
  }

 private:
  /// Returns a buffer that is reserved, with none locked; null if all are locked.
  [[nodiscard]] static const buffer* lock_all(task& made) {
    for (std::size_t i = 0; i < made.uses.size(); ++i) {
      buffer& next = *made.uses[i].data;
      next.guard.lock();
      if (next.is_reserved == 0 || Wrong == mistake::ignores_reservation) continue;
      for (std::size_t held = 0; held <= i; ++held) made.uses[held].data->guard.unlock();
      return &next;
    }
    return nullptr;
  }
  static void reserve(task& made, int reserved) {
    for (const use& each : made.uses) {
      each.data->guard.lock();
      each.data->is_reserved = reserved;
      each.data->guard.unlock();
    }
  }

  [[nodiscard]] static bool end(task& claimed) {
    search::here().require(claimed.ends == 0, "a task ended twice");
    if (claimed.ends != 0) return false;
    claimed.ends = 1;
    return true;
  }
  static void expect(task& made) {
    // The submitter counts as one more predecessor: without it the task could end while its later
    // edges are still being attached.
    made.word.expect(static_cast<std::uint32_t>(made.edge_count + (made.edge_count > 1 ? 1 : 0)));
  }
  static void attach(task& made) {
    if (made.edge_count == 0) return run(made);
    const bool arrives = made.edge_count > 1;
    for (std::size_t i = 0, count = made.edge_count; i < count; ++i) {
      edge& each = made.edges[i];
      if (!each.source->place.push(each) && Wrong != mistake::forgets_retirement) arrive(made);
    }
    if (arrives) arrive(made);
  }

  static void add_edges(task& made, const use& what) {
    const auto depend = [&](task* earlier, detail::edge_kind, const box*) {
      if (earlier->has_retired()) return false;
      for (std::size_t i = 0; i < made.edge_count; ++i) {
        if (made.edges[i].source == earlier) return true;
      }
      edge& next = made.edges[made.edge_count++];
      next.owner = &made;
      next.source = earlier;
      return true;
    };
    const auto live = [](const task* each) { return !each->has_retired(); };
    what.data->history.append_to_all(&made, what.mode, live, depend);
  }

  static void arrive(task& at) {
    switch (at.word.arrive(false)) {
      case claim::arrival::not_last:
      case claim::arrival::last_but_one:
        break;
      case claim::arrival::made_ready:
        run(at);
        break;
      case claim::arrival::found_claimed:
        if (Wrong != mistake::retires_early && at.early_end.come(party::other)) retire(at);
        break;
    }
  }

  static void run(task& ready) {
    if (ready.word.claim(false) == claim::claimed::refused) return;
    if (!end(ready)) return;
    ready.runs = 1;
    ready.seen = static_cast<int>(ready.uses.front().data->content);
    for (const use& each : ready.uses) {
      const int before = each.data->content;
      if (writes_content(each.mode)) each.data->content = before + 1;
    }
    retire(ready);
  }

  static void retire(task& over) {
    for (edge* each = over.place.close(); each != nullptr;) {
      edge* const newer = each->link;
      arrive(*each->owner);
      each = newer;
    }
  }
};

/// Buffers x and y, and tasks whose uses are written as in "x", which updates x, "rx", which reads
/// it, and "xy". Each list is what one thread submits; the thread cancels a task that is marked by
/// '!', waits for one that is marked by '?', and submits one that is marked by '*' in a large run.
template <mistake Wrong>
class program {
 public:
  using world = tasks_in_place<searched_atomics, Wrong>;

  explicit program(std::vector<std::vector<std::string>> threads) {
    x_.gate = y_.gate = &gate_;
    for (const std::vector<std::string>& each : threads) {
      auto& own = tasks_.emplace_back();
      for (const std::string& text : each) own.push_back({task_of(text), text.back()});
    }
  }

  void run(std::size_t thread) {
    for (submission& each : tasks_[thread]) {
      if (each.mark == '*') {
        world::submit_in_large_run(*each.made);
      } else {
        world::submit(*each.made);
      }
      if (each.mark == '!') world::cancel(*each.made);
      if (each.mark == '?') world::help(*each.made);
    }
  }

  void check() {
    int updates_of_x = 0;
    int updates_of_y = 0;
    for (const auto& own : tasks_) {
      int before = 0;  // updates of x by the same thread, which a later task of it has to see
      for (const submission& each : own) {
        search::here().require(each.made->ends == 1, "a task did not end once");
        search::here().require(each.made->has_retired(), "a task has not retired");
        if (each.made->runs == 0) continue;
        const bool begins_with_x = each.made->uses.front().data == &x_;
        if (begins_with_x) {
          search::here().require(each.made->seen >= before, "a task ran before an earlier one");
        }
        for (const auto& use : each.made->uses) {
          if (!writes_content(use.mode)) continue;
          ++(use.data == &x_ ? updates_of_x : updates_of_y);
          if (use.data == &x_) ++before;
        }
      }
    }
    search::here().require(x_.content == updates_of_x, "an update of x is lost");
    search::here().require(y_.content == updates_of_y, "an update of y is lost");
  }

 private:
  struct submission {
    std::unique_ptr<typename world::task> made;
    char mark;
  };

  [[nodiscard]] std::unique_ptr<typename world::task> task_of(const std::string& text) {
    const access_mode mode = text.front() == 'r' ? access_mode::read : access_mode::update;
    std::vector<typename world::use> uses;
    if (text.find('x') != std::string::npos) uses.push_back({&x_, mode});
    if (text.find('y') != std::string::npos) uses.push_back({&y_, mode});
    return std::make_unique<typename world::task>(std::move(uses));
  }

  interleavings::mutex gate_;
  typename world::buffer x_, y_;
  std::vector<std::vector<submission>> tasks_;
};

using threads = std::vector<std::vector<std::string>>;

template <mistake Wrong = mistake::none>
scenario scenario_of(const threads& what) {
  const auto all = std::make_shared<program<Wrong>>(what);
  scenario made;
  for (std::size_t i = 0; i < what.size(); ++i) {
    made.threads.emplace_back([all, i] { all->run(i); });
  }
  made.check = [all] { all->check(); };
  return made;
}

void expect_no_failure(const char* name, std::size_t preemptions, const threads& what) {
  expect_none(name, preemptions, [&] { return scenario_of(what); });
}

TEST(registration_interleavings, tasks_of_two_threads_use_a_buffer_in_one_order) {
  expect_no_failure("two writers", interleavings::unlimited, {{"x"}, {"x"}});
  expect_no_failure("writers", 4, {{"x", "x"}, {"x", "x"}});
  expect_no_failure("readers between", 4, {{"x", "rx"}, {"rx", "x"}});
  expect_no_failure("three threads", 3, {{"x"}, {"rx"}, {"x"}});
}

TEST(registration_interleavings, tasks_of_several_buffers_wait_for_each) {
  expect_no_failure("both", 4, {{"xy"}, {"x", "y"}});
  expect_no_failure("both and both", 3, {{"xy", "rx"}, {"xy", "ry"}});
}

TEST(registration_interleavings, a_cancelled_task_retires_after_its_predecessors) {
  expect_no_failure("last one", 4, {{"x"}, {"x!"}});
  expect_no_failure("one in the middle", 4, {{"x", "x!", "x"}, {"x"}});
  expect_no_failure("reader", 4, {{"x", "rx!"}, {"x"}});
  expect_no_failure("two", 3, {{"x", "xy!"}, {"y", "xy!"}});
}

TEST(registration_interleavings, a_waiting_thread_runs_ready_predecessors_alone) {
  expect_no_failure("helper", 4, {{"x", "x"}, {"x?"}});
  expect_no_failure("helper of two", 3, {{"x"}, {"x"}, {"x?"}});
  expect_no_failure("helper, cancelled", 3, {{"xy"}, {"x!"}, {"xy?"}});
}

TEST(registration_interleavings, a_large_run_enters_its_buffers_at_one_moment) {
  expect_no_failure("beside a task", 4, {{"xy*"}, {"xy"}});
  expect_no_failure("beside two tasks", 3, {{"xy*"}, {"x", "xy"}});
  expect_no_failure("two of them", 3, {{"xy*"}, {"xy*"}});
  expect_no_failure("two of them and a task", 2, {{"xy*"}, {"xy*"}, {"xy"}});
}

template <mistake Wrong>
std::string failure_of(const threads& what) {
  return search(3).explore([&] { return scenario_of<Wrong>(what); }).failure;
}

TEST(registration_interleavings, mistakes_are_found) {
  EXPECT_NE(failure_of<mistake::expects_late>({{"x"}, {"x"}, {"x?"}}), "");
  EXPECT_NE(failure_of<mistake::locks_one_by_one>({{"xy"}, {"xy"}}), "");
  EXPECT_NE(failure_of<mistake::retires_early>({{"x"}, {"x!", "x"}}), "");
  EXPECT_NE(failure_of<mistake::forgets_retirement>({{"x"}, {"x"}}), "");
  EXPECT_NE(failure_of<mistake::ignores_reservation>({{"xy*"}, {"xy"}}), "");
}

}  // namespace
}  // namespace hocket
