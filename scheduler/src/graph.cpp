// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <hocket/scheduler/graph.hpp>

#include <optional>

#include <hocket/scheduler/runtime.hpp>
#include <hocket/scheduler/when_all.hpp>

#include "check.hpp"
#include "fuse.hpp"
#include "graph_content.hpp"
#include "host_run.hpp"
#include "runtime_core.hpp"

namespace hocket {

namespace detail {

completion_ptr graph_content::actual(const completion_ptr& named,
                                     const std::vector<completion_ptr>& made) const {
  const auto* recorded = dynamic_cast<const recorded_task*>(named.get());
  if (recorded == nullptr) return named;
  if (recorded->owner() != this) {
    throw usage_error(named->name() + " belongs to another recording than the task that names it.");
  }
  return made[places[recorded->index()]];
}

void graph_content::replace(std::vector<completion_ptr>& named,
                            const std::vector<completion_ptr>& made) const {
  for (completion_ptr& each : named) each = actual(each, made);
}

std::vector<completion_ptr> graph_content::submit(runtime_core& home) const {
  std::vector<completion_ptr> made;
  made.reserve(nodes.size());
  for (const auto& node : nodes) {
    if (const auto* kept = std::get_if<task_description>(&node)) {
      task_description task = *kept;
      replace(task.after, made);
      replace(task.returns, made);
      for (auto& argument : task.arguments) {
        auto* number = std::get_if<number_argument>(&argument);
        if (number != nullptr && number->from) number->from = actual(number->from, made);
      }
      made.push_back(home.launch(std::move(task)));
    } else {
      const host_node& host = std::get<host_node>(node);
      std::vector<completion_ptr> after = host.after;
      replace(after, made);
      made.push_back(host.function->start(home, after));
    }
  }
  return made;
}

void graph_content::fuse(runtime_core& home) {
  std::vector<std::variant<task_description, host_node>> fewer;
  for (const fuse_group& group : fusable_groups(*this)) {
    std::optional<task_description> one;
    if (group.size() > 1) one = fused_task(*this, group);
    if (one && !fits_a_device(*one, home)) one.reset();
    for (const std::size_t member : group) {
      places[member] = fewer.size();
      if (!one) fewer.push_back(std::move(nodes[member]));
    }
    if (one) fewer.emplace_back(std::move(*one));
  }
  nodes = std::move(fewer);
}

void graph_content::finish() {
  auto made = std::make_shared<host_plan>();
  std::vector<std::uint32_t> after;
  for (const auto& node : nodes) {
    const auto* const host = std::get_if<host_node>(&node);
    if (host == nullptr || !host_plan::can_hold(*host->function)) return;
    after.clear();
    for (const completion_ptr& before : host->after) {
      const auto* named = dynamic_cast<const recorded_task*>(before.get());
      if (named == nullptr || named->owner() != this) return;
      after.push_back(static_cast<std::uint32_t>(places[named->index()]));
    }
    made->add(host->function, after);
  }
  made->seal();
  plan = std::move(made);
  nodes = decltype(nodes)();  // `= {}` would keep the memory
  places = decltype(places)();
}

completion_ptr graph_content::run(runtime_core& home) const {
  if (plan) return host_run::start(home, plan);
  const std::vector<completion_ptr> tasks = submit(home);
  if (tasks.empty()) return ready_future().state();
  return gather(tasks, [] {});
}

}  // namespace detail

std::size_t graph::size() const noexcept { return content_->size(); }

recorder::recorder(runtime& home, const record_options& options)
    : home_(home), options_(options), content_(std::make_shared<detail::graph_content>()) {}

recorder::~recorder() = default;

graph recorder::finish() && {
  if (options_.fuse) content_->fuse(*home_.core());
  content_->finish();
  return graph(std::move(content_));
}

detail::completion_ptr recorder::next_task(task_label label) {
  return new detail::recorded_task(std::move(label), *content_, content_->places.size());
}

detail::completion_ptr recorder::enqueue(detail::task_description&& task) {
  detail::check(task, *home_.core());
  detail::completion_ptr made = next_task(task.label);
  content_->add(std::move(task));
  return made;
}

detail::completion_ptr recorder::keep(detail::recorded_function_ptr&& function,
                                      const std::vector<detail::completion_ptr>& after) {
  detail::completion_ptr made = next_task(function->options().label);
  content_->add(detail::host_node{std::move(function), after});
  return made;
}

}  // namespace hocket
