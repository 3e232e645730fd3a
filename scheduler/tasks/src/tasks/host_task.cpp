// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <hocket/scheduler/detail/host_task.hpp>

#include <hocket/scheduler/detail/task_runner.hpp>

#include "tasks/caught.hpp"
#include "tasks/deadline.hpp"
#include "tasks/own_tasks.hpp"
#include "tasks/wait_visitor.hpp"

namespace hocket::detail {

host_task::host_task(host_context* context, host_options&& options)
    : task_state(context, std::move(options.label)),
      gathers_(options.gathers),
      only_counts_(context != nullptr && context->only_counts()),
      place_(context, options),
      stop_(std::move(options.stop)) {}

task_status host_task::status() const noexcept {
  if (done()) return task_status::done;
  if (before_.count().is_claimed()) return task_status::running;
  return before_.count().waits() ? task_status::pending : task_status::ready;
}

void host_task::request_cancel() noexcept {
  failure why(failure_code::cancelled, name() + " was cancelled before it started.");
  if (!task_runner::give_up(*this, std::move(why))) request_stop();
}

void host_task::time_out() noexcept {
  if (task_runner::give_up(*this, not_begun_in_time(name()))) return;
  late_ = true;
  request_stop();
}

bool host_task::help(helping& by) noexcept {
  if (run_own_or_ready(*this, by)) return true;
  if (by.depth == 0 || by.visits == 0) return false;
  --by.visits;
  if (!before_.count().enter()) return false;
  --by.depth;
  bool ran = false;
  for (const host_edge& e : before_.edges()) {
    if (by.visits == 0) break;
    if (!e.source->done() && e.source->help(by)) ran = true;
  }
  ++by.depth;
  before_.stop_reading();
  return run_own_or_ready(*this, by) || ran;
}

void host_task::tell_awaited(wait_visitor& to) {
  if (!before_.count().enter()) return;
  to.is_read(*this);
  for (const host_edge& e : before_.edges()) to.follow(*e.source);
}

void host_task::end(failure why, ready_list& next) noexcept {
  discard();
  outcome().settle(std::move(why));
  announce(next);
}

failure host_task::failure_of_predecessors() {
  failure first;
  for (const host_edge& e : before_.edges()) {
    if (!e.source->error()) continue;
    if (!first) {
      first = gathers_ ? outcome().repeat(*e.source) : outcome().follow(*e.source, *this);
    } else if (!outcome().has_same_root(*e.source)) {
      // One failure of several is passed on; a thread that looks at that one has not overlooked the
      // others. That one may have been overlooked for one of them, as the second of a scope is.
      if (!outcome().comes_from_seen()) e.source->outcome().look();
    }
  }
  return first;
}

failure host_task::explain_failure() noexcept {
  return explained([this]() -> failure {
    failure why = caught(name(), stop_requested());
    const bool was_told = why.code() == failure_code::cancelled;
    if (was_told && (late_ || (context() != nullptr && context()->stop().is_late()))) {
      // Without what was thrown, which raise() would throw again: its code is another.
      return {failure_code::timed_out, name() + " did not end within its time."};
    }
    return why;
  });
}

}  // namespace hocket::detail
