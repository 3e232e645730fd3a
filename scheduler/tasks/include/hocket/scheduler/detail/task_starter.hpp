// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <span>

#include <hocket/scheduler/detail/host_task.hpp>
#include <hocket/scheduler/detail/task_runner.hpp>

namespace hocket::detail {

/// Hands tasks over to the machinery, each once, by its maker. From there on the machinery keeps a
/// reference until the task has run.
class task_starter {
 public:
  /// Before any other thread can run the task. Adds the reference.
  static void start(host_task& task) noexcept;
  /// The same, and the task is cancelled or told to stop when the time has come.
  static void start(host_task& task, time_stamp deadline);

  // The rest is for tasks without options, whose maker has made the reference too.

  /// What has one edge, for which expect_only() was called.
  static void start_with_edge(host_task& task, host_context& context) noexcept {
    context.started(task);
    host_edge& only = task.before().edges().front();
    if (!only.source->attach(only)) start_after_ended(task);
  }
  /// What has one or more edges, for which expect_made() was called.
  static void start_with_edges(host_task& task, host_context& context) noexcept {
    context.started(task);
    if (context.is_scope()) context.offer(task);
    attach_edges(task);
  }
  /// What has none.
  static void start_at_once(host_task& task, host_context& context) noexcept;
  /// The same for one that is not run_item(), but another function that takes such a task.
  static void start_at_once(host_task& task, host_context& context, void (*run)(void*)) noexcept {
    worker_record* const by = context.caller();
    context.started(task, by);
    post(task, context, run, by);
  }

  /// The second half of a start, for one with edges.
  static void attach_edges(host_task& task) noexcept;
  /// The second half of a start, for one without.
  static void post(host_task& task, host_context& context, void (*run)(void*),
                   worker_record* by) noexcept {
    const std::size_t arena = context.arena_for_host_tasks();
    task.place().prefer(static_cast<std::uint32_t>(arena));
    try {
      context.where().post_bare(arena, 0, {run, &task}, by);
    } catch (...) {
      task_runner::run_without_item(host_task_ptr(&task, false));
    }
  }

 private:
  static void start_after_ended(host_task& task) noexcept;
};

}  // namespace hocket::detail
