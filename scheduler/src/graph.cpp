// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <hocket/scheduler/graph.hpp>

#include <optional>

#include <boost/container/small_vector.hpp>

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
  const auto place = named->recorded();
  if (place.recording == nullptr) return named;
  if (place.recording != this) {
    throw usage_error(named->name() + " belongs to another recording than the task that names it.");
  }
  return made[places[place.index]];
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

completion_ptr graph_content::add(std::variant<task_description, host_node>&& node,
                                  task_label label) {
  completion_ptr made(new recorded_task(std::move(label), *this, places.size()));
  places.push_back(nodes.size());
  nodes.push_back(std::move(node));
  return made;
}

completion_ptr graph_content::add(task_description&& task) {
  if (plan) give_up_plan();
  task_label label(task.label);
  return add({std::move(task)}, std::move(label));
}

completion_ptr graph_content::add(recorded_function_ptr&& function,
                                  const std::vector<any_future>& after) {
  const task_label label = function->options().label;
  if (plan && add_to_plan(function, after)) {
    return new recorded_task(label, *this, plan->size() - 1);
  }
  if (plan) give_up_plan();
  return add(host_node{std::move(function), states_of(after)}, label);
}

bool graph_content::add_to_plan(const recorded_function_ptr& function,
                                const std::vector<any_future>& after) {
  if (!host_plan::can_hold(*function)) return false;
  boost::container::small_vector<std::uint32_t, 8> before;
  for (const any_future& each : after) {
    if (each.state() == nullptr) return false;
    const auto place = each.state()->recorded();
    if (place.recording != this) return false;
    before.push_back(static_cast<std::uint32_t>(place.index));
  }
  plan->add(function, before);
  return true;
}

void graph_content::give_up_plan() {
  const std::shared_ptr<host_plan> before = std::move(plan);
  plan = nullptr;
  std::span<const std::uint32_t> after = before->after();
  for (std::uint32_t i = 0; i < before->size(); ++i) {
    host_node node{&before->function(i), {}};
    for (const std::uint32_t each : after.first(before->before(i))) {
      node.after.emplace_back(new recorded_task({}, *this, each));
    }
    after = after.subspan(before->before(i));
    (void)add({std::move(node)}, {});
  }
}

void graph_content::finish() {
  if (plan) plan->seal();
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

detail::completion_ptr recorder::enqueue(detail::task_description&& task) {
  detail::check(task, *home_.core());
  return content_->add(std::move(task));
}

detail::completion_ptr recorder::keep(detail::recorded_function_ptr&& function,
                                      const std::vector<any_future>& after) {
  return content_->add(std::move(function), after);
}

}  // namespace hocket
