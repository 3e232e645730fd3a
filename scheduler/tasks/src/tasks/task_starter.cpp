// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <hocket/scheduler/detail/task_starter.hpp>

#include "tasks/task_timer.hpp"
#include "tasks/timer_queue.hpp"

namespace hocket::detail {

void task_starter::start(host_task& task) noexcept {
  if (host_context* const context = task.context()) {
    context->started(task);
    if (context->is_scope()) context->offer(task);
  }
  const bool waits = !task.before_.empty() || task.before_.counts_start();
  if (!waits && !ready_list::runs_at_once(task)) return task_runner::post(host_task_ptr(&task));
  intrusive_ptr_add_ref(&task);
  if (waits) return attach_edges(task);
  ready_list next;
  next.add(task);
}

void task_starter::start(host_task& task, time_stamp deadline) {
  if (deadline <= task.context()->where().now()) {
    task.context()->started(task);
    task.time_out();
    return;
  }
  const timer_ptr rings = attach_timer(task);
  start(task);
  set_timer(task, rings, deadline);
}

void task_starter::start_after_ended(host_task& task) noexcept {
  ready_list next;
  host_edge& only = task.before_.edges().front();
  only.run(*only.source, next);
}

void task_starter::attach_edges(host_task& task) noexcept {
  // Looked at before: a task that is attached to all and waits for nothing else may be running.
  const bool arrives = task.before_.counts_start();
  ready_list next;
  for (host_edge& e : task.before_.edges()) {
    if (e.attach()) continue;
    task_runner::follow_data(task, *e.source);
    task_runner::arrive(task, task.before_.is_failed_by(e, *e.source), next);
  }
  if (arrives) task_runner::arrive(task, false, next);
}

void task_starter::start_at_once(host_task& task, host_context& context) noexcept {
  context.started(task);
  if (context.is_scope()) context.offer(task);
  post(task, context, task_runner::run_item, context.caller());
}

}  // namespace hocket::detail
