// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <hocket/scheduler/submitter.hpp>

#include <hocket/scheduler/detail/states_of.hpp>

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

future<void> submitter::run(const run_options& options, const graph& what, settings with) {
  detail::graph_use use = detail::use_of(options, {&what, 1});
  use.with = std::move(with);
  return submit_use(std::move(use));
}

future<void> submitter::submit_use(detail::graph_use&& use) {
  const detail::pending_place place(for_functions().context);
  return future<void>(enqueue(std::move(use)));
}

}  // namespace hocket
