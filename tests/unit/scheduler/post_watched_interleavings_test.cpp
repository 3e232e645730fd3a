// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <gtest/gtest.h>

#include <hocket/execution/strand.hpp>

#include <memory>

#include "../execution/interleavings.hpp"
#include "runtime/post_watched.hpp"

namespace hocket {
namespace {

using interleavings::expect_none;
using interleavings::plain;
using interleavings::scenario;
using interleavings::search;
using interleavings::searched_atomics;

/// A planner that steps events one after another, as the runtime's does, and knows one task.
struct planner_under_search {
  enum class event : int { submitted, submitted_unwanted, cancelled };

  void begin_run() {}
  void end_run() {}
  void resume_later() {}
  void step(event e) {
    if (e == event::cancelled && knows_task == 0) return;
    knows_task = 1;
    if (e != event::submitted) is_cancelled = 1;
  }
  void submit() {
    // Relaxed, both: the events order what has to be ordered.
    detail::post_watched([&] { return asked.load(std::memory_order_relaxed) == 1; },
                         [&](bool is_unwanted) {
                           events.post(is_unwanted ? event::submitted_unwanted : event::submitted);
                         },
                         [&] { events.post(event::cancelled); });
  }
  void cancel() {
    asked.store(1, std::memory_order_relaxed);
    events.post(event::cancelled);
  }

  searched_atomics::atomic<int> asked{0};
  plain<int> knows_task = 0;
  plain<int> is_cancelled = 0;
  strand<event, planner_under_search, searched_atomics> events{*this, 64};
};

TEST(post_watched_interleavings, a_request_is_heard_whenever_it_comes) {
  expect_none("cancelled while submitted", 6, [] {
    auto p = std::make_shared<planner_under_search>();
    scenario result;
    result.threads.emplace_back([p] { p->submit(); });
    result.threads.emplace_back([p] { p->cancel(); });
    result.check = [p] {
      search::here().require(p->knows_task == 1, "the task was not submitted");
      search::here().require(p->is_cancelled == 1, "the request was not heard");
    };
    return result;
  });
}

}  // namespace
}  // namespace hocket
