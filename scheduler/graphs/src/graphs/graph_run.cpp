// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "graphs/graph_run.hpp"

#include <utility>

#include <hocket/scheduler/future.hpp>

namespace hocket::detail {

task_state_ptr graph_run::start(host_context& context, task_label label,
                                std::vector<task_state_ptr> tasks) {
  if (tasks.empty()) return ready_future().state();
  host_options how{.label = std::move(label), .cheap = true, .gathers = true};
  const boost::intrusive_ptr<graph_run> made = make_task<graph_run>(
      tasks.size() * sizeof(host_edge), context, std::move(how), std::move(tasks));
  task_starter::start(*made);
  return made;
}

graph_run::graph_run(host_context& context, host_options&& options,
                     std::vector<task_state_ptr>&& tasks)
    : host_task(&context, std::move(options)), tasks_(std::move(tasks)) {
  expect_ends_of(*this, this + 1, tasks_);
}

void graph_run::request_cancel() noexcept {
  std::vector<task_state_ptr> running;
  {
    const std::lock_guard lock(guard_);
    running.swap(tasks_);
  }
  // The first ones last: what a task that is cancelled would have made ready must not run.
  for (auto task = running.rbegin(); task != running.rend(); ++task) (*task)->request_cancel();
}

void graph_run::discard() noexcept {
  std::vector<task_state_ptr> gone;
  const std::lock_guard lock(guard_);
  gone.swap(tasks_);
}

}  // namespace hocket::detail
