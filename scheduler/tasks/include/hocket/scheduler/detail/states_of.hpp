// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <cstddef>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include <hocket/scheduler/future.hpp>
#include <hocket/scheduler/task_options.hpp>

namespace hocket::detail {

/// As states_of(), of futures that may be part of a recording.
[[nodiscard]] std::vector<task_state_ptr> named_states_of(std::span<const any_future> futures);

[[nodiscard]] std::vector<task_state_ptr> states_of(std::span<const any_future> futures);

/// True if no option is set that means something to a host function, but what it runs after.
[[nodiscard]] inline bool has_only_after(const task_options& options) noexcept {
  return !options.on && options.priority == 0 && options.label.empty() &&
         options.timeout == nanoseconds::max() && options.deadline == time_stamp::max() &&
         !options.stop.stop_possible() && !options.takes && options.returns.empty();
}

/// Throws usage_error if no task can run after this: null, or a recorded task.
void check_predecessor(const task_handle& before);

/// Makes a host task and starts it: it runs once the tasks of all futures have ended well. In a
/// runtime, `mark` is in_runtime; else there is none.
template <range_of_futures After, class F, class... Mark>
[[nodiscard]] inline task_state_ptr launch_after_all(const After& after, F&& body,
                                                     host_context& context, Mark... mark) {
  // What has ended well needs no edge; but a task goes to the node of the one that it follows.
  const auto is_over = [skips = !context.has_nodes()](const task_state& before) {
    return skips && before.done() && !before.error();
  };
  std::size_t most = 0;
  for (const auto& each : after) {
    const task_handle& before = each.handle();
    // A recorded task has no context: the check is only for tasks without one.
    const bool is_usual = before && !before.is_place() && before.task()->context() != nullptr;
    if (!is_usual) [[unlikely]]
      check_predecessor(before);
    if (!is_over(*before.task())) ++most;
  }
  if (most == 0) return launch(mark..., context, std::forward<F>(body));
  auto* const made = task_memory::make<body_task<std::decay_t<F>>>(
      2, most * sizeof(host_edge), mark..., context, std::forward<F>(body));
  auto* const edges = reinterpret_cast<host_edge*>(made + 1);
  std::size_t count = 0;
  for (const auto& each : after) {
    const task_state_ptr& before = each.handle().task();
    if (!is_over(*before)) ::new (edges + count++) host_edge(*made, before);
  }
  if (count == 0) {
    task_starter::start_at_once(*made, context);
  } else {
    made->before().expect_made({edges, count});
    task_starter::start_with_edges(*made, context);
  }
  return {made, false};
}

/// Throws usage_error for options that host functions without accesses do not have. The context is
/// null in a recording.
[[nodiscard]] host_options host_options_of(const task_options& options, host_context* context);

}  // namespace hocket::detail
