// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <functional>
#include <utility>

#include <hocket/execution/strand.hpp>

namespace hocket::testing {

/// A handler of a strand, made of functions, that also checks that runs begin and end in turn.
template <class Event>
struct strand_handler {
  void begin_run() { ++runs_begun; }
  void step(Event&& event) { on_step(std::move(event)); }
  void end_run() {
    ++runs_ended;
    if (on_end) on_end();
  }
  void resume_later() { later(); }

  std::function<void(Event&&)> on_step;
  std::function<void()> later = [] {};
  std::function<void()> on_end = {};
  int runs_begun = 0, runs_ended = 0;
};

}  // namespace hocket::testing
