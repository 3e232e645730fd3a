// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "data/in_place_control.hpp"

#include <utility>

#include <hocket/scheduler/detail/task_runner.hpp>
#include <hocket/scheduler/detail/task_starter.hpp>

#include "data/in_place_runtime.hpp"
#include "data/in_place_task.hpp"
#include "data/line_check.hpp"
#include "tasks/deadline.hpp"

namespace hocket::detail {

bool in_place_control::is_needed(const in_place_content& from) noexcept {
  return from.request.id.valid() || from.timeout != nanoseconds::max() || from.scope != nullptr ||
         from.within != nullptr || from.options.stop.stop_possible();
}

in_place_control::in_place_control(in_place_task& task, in_place_runtime& home,
                                   in_place_content& from)
    : task_(task),
      home_(home),
      request_(std::move(from.request)),
      within_(from.within),
      has_timeout_(from.timeout != nanoseconds::max()),
      is_late_(from.timeout <= nanoseconds::zero()) {
  // end_now() must not throw.
  if (has_timeout_) body_.reset(new running_body(*task.context()));
  // watch_and_start() must not throw.
  if (task.context()->is_scope()) (void)task.context()->stop().token();
}

void in_place_control::announce() { home_.gate().announce(request_, task_); }

void in_place_control::registered() noexcept {
  if (!request_.in_order) return;
  ready_list next;
  admit(home_.gate().registered(request_.id), next);
}

void in_place_control::look_at_line() noexcept {
  if (has_timeout_) return;
  failure why;
  {
    const line_check line(task_);
    const task_id behind = home_.gate().note_awaited(request_.id, line.in_order());
    if (behind.valid()) why = line.contradiction(behind, home_.device_name());
  }
  if (why) cancel(std::move(why));
}

void in_place_control::watch_and_start() {
  host_context& scope = *task_.context();
  // Until the task has ended it keeps itself by these.
  const boost::intrusive_ptr<in_place_task> self(&task_);
  if (scope.is_scope()) {
    by_scope_.emplace(scope.stop().token(), [task = self, this] {
      const boost::intrusive_ptr<in_place_task> kept = task;
      if (!scope_meets_start_.come(meeting::party::other)) return;
      cancel(kept->context()->stop().refusal_of(*kept));
    });
  }
  if (task_.stop().stop_possible()) {
    by_stop_.emplace(task_.stop(), [task = self, this] {
      const boost::intrusive_ptr<in_place_task> kept = task;
      if (stop_meets_start_.come(meeting::party::other)) kept->request_cancel();
    });
  }
  task_starter::start(task_);
  if (scope_meets_start_.come(meeting::party::one)) cancel(scope.stop().refusal_of(task_));
  if (stop_meets_start_.come(meeting::party::one)) task_.request_cancel();
}

void in_place_control::start_late() noexcept {
  task_starter::start(task_);
  end_now(not_begun_in_time(task_.name()));
  ready_list next;
  task_runner::arrive(task_, false, next);
}

void in_place_control::stop_watching() noexcept {
  by_scope_.reset();
  by_stop_.reset();
}

void in_place_control::cancel(failure why) noexcept {
  if (has_timeout_) return end_now(std::move(why));
  if (task_runner::give_up(task_, std::move(why))) withdraw();
}

void in_place_control::end_now(failure why) noexcept {
  if (notified_.exchange(true)) return;
  if (task_runner::give_up(task_, why)) {
    withdraw();
  } else {
    body_outlives_task_ = true;
    body_->begin();
    task_.end_before_body(std::move(why));
  }
}

/// Of a task that was cancelled before it started.
void in_place_control::withdraw() noexcept {
  if (!is_throttled()) return;
  {
    ready_list next;
    admit(home_.gate().give_up(request_), next);
  }
  // The hold of given_up(), which task_runner::give_up() has called.
  home_.let_close();
}

bool in_place_control::may_name_cause() noexcept {
  if (!has_timeout_) return true;
  // A thread that ends the task by the time-out reads the cause.
  notified_here_ = !notified_.exchange(true);
  return notified_here_;
}

void in_place_control::ask_throttle(ready_list& next) noexcept {
  admit(home_.gate().try_acquire(task_), next);
}

void in_place_control::begin() noexcept {
  if (!request_.in_order) return;
  std::uint64_t number = 0;
  {
    ready_list next;
    admit(home_.gate().start(request_, number), next);
  }
  home_.gate().begin(number);
}

void in_place_control::leave(ready_list& next) noexcept {
  if (has_request()) admit(home_.gate().leave(request_), next);
  // The histories within the domain, which it has, may keep the task.
  if (within_) std::exchange(within_, nullptr)->task_left(next);
  // The body and what it refers to are destroyed: the scope may end, and then what is around it.
  if (body_outlives_task_) body_->finish();
}

}  // namespace hocket::detail
