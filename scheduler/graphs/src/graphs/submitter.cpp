// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <hocket/scheduler/submitter.hpp>

#include <hocket/scheduler/detail/states_of.hpp>
#include <hocket/scheduler/detail/task_waits.hpp>

#include "graphs/graph_content.hpp"

namespace hocket {

namespace detail {

graph_use use_of(const run_options& options, std::span<const graph> graphs) {
  graph_use use;
  use.label = options.label;
  use.priority = options.priority;
  use.after = named_states_of(options.after.all());
  for (const graph& each : graphs) {
    use.bodies.push_back(each.content());
    if (use.label.empty() && use.bodies.back() != nullptr) use.label = use.bodies.back()->name;
  }
  if (use.label.empty()) use.label = task_label("graph");  // of empty graphs
  return use;
}

}  // namespace detail

namespace {

/// run() for a graph of functions that is submitted, not recorded.
detail::task_state_ptr run_functions(const run_options& options, const detail::graph_content& what,
                                     detail::host_context& context) {
  const std::vector<detail::task_state_ptr> after = detail::named_states_of(options.after.all());
  for (const detail::task_state_ptr& before : after) detail::check_waitable(*before);
  const task_label& label = options.label.empty() ? what.name : options.label;
  return what.run_functions(context, label, options.priority, after);
}

}  // namespace

future<void> submitter::run(const run_options& options, const graph& what, settings with) {
  detail::host_context* const context = for_functions().context;
  const detail::graph_content* const content = what.content().get();
  const bool is_plain = context != nullptr && content != nullptr && with.empty();
  if (is_plain && content->is_plan_of_functions(*context)) {
    const detail::pending_place place(context);
    return future<void>(run_functions(options, *content, *context));
  }
  detail::graph_use use = detail::use_of(options, {&what, 1});
  use.with = std::move(with);
  return submit_use(std::move(use));
}

future<void> submitter::submit_use(detail::graph_use&& use) {
  const detail::pending_place place(for_functions().context);
  return future<void>(enqueue(std::move(use)));
}

}  // namespace hocket
