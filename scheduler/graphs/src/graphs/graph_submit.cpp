// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <algorithm>

#include <hocket/core/saturating.hpp>
#include <hocket/scheduler/detail/task_waits.hpp>

#include "graphs/check.hpp"
#include "graphs/data_run.hpp"
#include "graphs/first_places.hpp"
#include "graphs/graph_content.hpp"
#include "graphs/graph_run.hpp"
#include "graphs/host_run.hpp"
#include "graphs/placed_run.hpp"
#include "graphs/run_batches.hpp"
#include "placement/placed_runtime.hpp"

namespace hocket::detail {

namespace {

/// Makes of a recorded node one whose predecessors are other tasks: those of a run, or those of
/// another recording. Map gives for a recorded task what it is there.
template <class Map>
class rewiring {
 public:
  /// at_least: what nodes come after that come after no other node.
  rewiring(const Map& map, std::span<const task_state_ptr> at_least, const run_frame& frame)
      : map_(map), at_least_(at_least), frame_(frame) {}

  void operator()(task_description& task) const {
    rewire(task.after);
    for (task_state_ptr& each : task.returns) each = map_(each);
    for (auto& argument : task.arguments) {
      if (auto* number = std::get_if<number_argument>(&argument)) rewire(*number);
    }
    task.priority = saturating_add(task.priority, frame_.priority);
  }
  void operator()(host_node& function) const {
    rewire(function.after);
    const std::int64_t sum =
        saturating_add<std::int64_t>(function.options.priority, frame_.priority);
    function.options.priority = static_cast<int>(std::clamp<std::int64_t>(sum, -1, 1));
  }
  void operator()(use_node& node) const {
    graph_use& use = node.use;
    rewire(use.after);
    if (use.ask.future) use.ask.future = map_(use.ask.future);
    if (use.ask.task)
      use.ask.task = std::make_shared<const task_description>(rewired(*use.ask.task));
    use.priority = saturating_add(use.priority, frame_.priority);
  }
  void operator()(join_node& node) const { rewire(node.after); }

  /// What a question is about, which comes after nothing but the numbers in it.
  [[nodiscard]] task_description rewired(task_description question) const {
    for (auto& argument : question.arguments) {
      if (auto* number = std::get_if<number_argument>(&argument)) rewire(*number);
    }
    question.priority = saturating_add(question.priority, frame_.priority);
    return question;
  }

 private:
  void rewire(std::vector<task_state_ptr>& named) const {
    bool inner = false;
    for (task_state_ptr& each : named) {
      task_state_ptr there = map_(each);
      inner = inner || there != each;
      each = std::move(there);
    }
    if (!inner) named.insert(named.end(), at_least_.begin(), at_least_.end());
  }
  void rewire(number_argument& number) const {
    if (number.from) number.from = map_(number.from);
    if (!number.set_by) return;
    const setting* set = frame_.find(number.set_by);
    if (set == nullptr) return;
    number.value = number.convert(set->value.bytes, number.value.type);
    number.set_by = nullptr;
  }

  const Map& map_;
  std::span<const task_state_ptr> at_least_;
  const run_frame& frame_;
};

task_label label_of(const graph_node& node) {
  if (const auto* task = std::get_if<task_description>(&node))
    return task_label(task->label_text());
  if (const auto* function = std::get_if<host_node>(&node)) return function->options.label;
  if (const auto* use = std::get_if<use_node>(&node)) return use->use.label;
  return std::get<join_node>(node).label;
}

/// Buffers, each once and whole.
class whole_buffers {
 public:
  void add(const access_argument& use) {
    const bool writes = writes_content(use.mode);
    const std::size_t known = places_.find(use.data.get());
    if (known == places_.none) {
      places_.push_back(use.data.get());
      all_.push_back({use.data, box::whole(use.data->extents()),
                      writes ? access_mode::update : access_mode::read});
    } else if (writes) {
      all_[known].mode = access_mode::update;
    }
  }
  void add(const task_description& task) {
    for (const auto& argument : task.arguments) {
      if (const auto* use = std::get_if<access_argument>(&argument)) add(*use);
    }
  }
  [[nodiscard]] std::vector<access_argument> take() && { return std::move(all_); }

 private:
  std::vector<access_argument> all_;
  first_places<const buffer_state*> places_;
};

host_options options_of_run(const task_label& label, std::int64_t priority) {
  const std::int64_t level = std::clamp<std::int64_t>(priority, -1, 1);
  return {.label = label, .priority = static_cast<int>(level)};
}

}  // namespace

host_context& run_frame::context() const noexcept {
  if (scope != nullptr) return *scope;
  return home;
}

std::vector<access_argument> buffers_of(const graph_use& use) {
  whole_buffers all;
  if (use.ask.task) all.add(*use.ask.task);
  for (const auto& body : use.bodies) {
    for (const graph_node& node : body->nodes) {
      if (const auto* task = std::get_if<task_description>(&node)) all.add(*task);
      const auto* inner = std::get_if<use_node>(&node);
      if (inner == nullptr) continue;
      for (const access_argument& held : inner->holds) all.add(held);
    }
  }
  return std::move(all).take();
}

task_state_ptr graph_content::add_use(graph_use&& use) {
  const task_label label = use.label;
  std::vector<access_argument> holds = buffers_of(use);
  return add(use_node{std::move(use), std::move(holds)}, label);
}

task_state_ptr graph_content::take_in(graph_use&& use) {
  const std::shared_ptr<placed_runtime> core = home.lock();
  const graph_content& body = *use.bodies.front();
  std::vector<task_state_ptr> made;
  const auto here = [&](const task_state_ptr& named) {
    const auto place = named->recorded();
    return body.has(place) ? made[body.places[place.index]] : named;
  };
  const run_frame frame = run_frame{.home = *core, .priority = use.priority}.setting_also(use.with);
  const rewiring rewire(here, use.after, frame);
  for (node each : body.nodes) {
    std::visit(rewire, each);
    if (auto* inner = std::get_if<use_node>(&each)) {
      inner->use.with.insert(inner->use.with.end(), use.with.begin(), use.with.end());
    }
    const task_label label = label_of(each);
    made.push_back(add(std::move(each), label));
  }
  if (made.size() == 1) return made.front();
  return add(join_node{use.label, made.empty() ? std::move(use.after) : std::move(made)},
             use.label);
}

task_state_ptr start(graph_use&& use, const run_frame& frame) {
  check(use, frame.home);
  for (const task_state_ptr& before : use.after) check_waitable(*before);
  if (use.ask.future) check_readable(*use.ask.future);
  // A graph that is no choice enters the histories of its buffers task by task.
  if (!use.is_choice()) return run(use, frame);
  std::vector<access_argument> holds = buffers_of(use);
  return start(use_node{std::move(use), std::move(holds)}, frame);
}

task_state_ptr submit_question(task_description task, const run_frame& frame) {
  task.within = frame.within;
  task.scope = frame.scope;
  return frame.home.launch(std::move(task));
}

std::vector<task_state_ptr> graph_content::submit(const run_frame& frame,
                                                  std::span<const task_state_ptr> after) const {
  std::vector<task_state_ptr> made;
  made.reserve(nodes.size());
  const auto in_this_run = [&](const task_state_ptr& named) {
    const auto place = named->recorded();
    return has(place) ? made[places[place.index]] : named;
  };
  const rewiring rewire(in_this_run, after, frame);
  for (node each : nodes) {
    std::visit(rewire, each);
    made.push_back(submit(std::move(each), frame));
  }
  return made;
}

task_state_ptr graph_content::submit(node&& each, const run_frame& frame) const {
  if (auto* task = std::get_if<task_description>(&each)) {
    task->within = frame.within;
    task->scope = frame.scope;
    return frame.home.launch(std::move(*task));
  }
  if (auto* host = std::get_if<host_node>(&each)) {
    return host->function->start(functions(), frame.context(), std::move(host->options),
                                 host->after);
  }
  if (auto* use = std::get_if<use_node>(&each)) return start(std::move(*use), frame);
  auto& join = std::get<join_node>(each);
  return graph_run::start(frame.context(), join.label, std::move(join.after));
}

bool graph_content::is_plan_of_functions(const host_context& context) const noexcept {
  // Each context is that of a runtime with a number, or of a scope in one.
  return runs_ != nullptr &&
         static_cast<const placed_runtime&>(context.home()).number() == home_number;
}

task_state_ptr graph_content::run_functions(host_context& context, const task_label& label,
                                            std::int64_t priority,
                                            std::span<const task_state_ptr> after) const {
  return host_run::start(context, runs_, options_of_run(label, priority), after);
}

task_state_ptr graph_content::run(const run_frame& frame, const task_label& label,
                                  std::span<const task_state_ptr> after) const {
  if (runs_) return run_functions(frame.context(), label, frame.priority, after);
  if (data_runs_ && after.empty())
    return data_run::start(frame, data_runs_, options_of_run(label, frame.priority));
  if (placed_runs_ && after.empty()) {
    return placed_run::start(frame, batches_ ? batches_->plan(*this, frame.home) : placed_runs_,
                             label);
  }
  return graph_run::start(frame.context(), label, submit(frame, after));
}

}  // namespace hocket::detail
