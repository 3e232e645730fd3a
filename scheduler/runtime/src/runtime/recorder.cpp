// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <hocket/scheduler/recorder.hpp>

#include "graphs/batch.hpp"
#include "graphs/check.hpp"
#include "graphs/fuse.hpp"
#include "graphs/graph_content.hpp"
#include "runtime/runtime_core.hpp"
#include "tasks/caught.hpp"

namespace hocket {

recorder::recorder(runtime& home, const record_options& options)
    : home_(home),
      options_(options),
      content_(std::make_shared<detail::graph_content>(home.core())) {
  // As many edges as most graphs have; what is left of the room goes when the graph is complete.
  if (options.tasks != 0) content_->plan->make_room(options.tasks, 4 * options.tasks);
}

recorder::~recorder() = default;

graph recorder::finish() && {
  detail::runtime_core& home = *home_.core();
  const auto group_by = [&](const detail::grouping_rule& rule) {
    (void)content_->group(groups_by(rule, *content_), rule, home);
  };
  if (options_.fuse) group_by(detail::fuse_rule(home.description()));
  if (options_.batch) group_by(detail::batch_rule(home.description()));
  content_->finish(options_.batch);
  return graph(std::move(content_));
}

detail::task_state_ptr recorder::enqueue(detail::task_description&& task) {
  detail::check(task, *home_.core());
  if (task.deadline != time_stamp::max()) {
    throw usage_error(
        detail::task_name(task.label_text()) +
        " is recorded with a deadline, which later runs cannot keep; a timeout counts "
        "from each run.");
  }
  return content_->add(std::move(task));
}

detail::task_state_ptr recorder::enqueue(detail::graph_use&& use) {
  detail::check(use, *home_.core());
  return content_->add(std::move(use));
}

submitter::host_target recorder::for_functions() noexcept { return {nullptr, content_.get()}; }

}  // namespace hocket
