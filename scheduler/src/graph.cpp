// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <hocket/scheduler/graph.hpp>

#include <optional>

#include <hocket/scheduler/runtime.hpp>
#include <hocket/scheduler/when_all.hpp>

#include "batch.hpp"
#include "caught.hpp"
#include "check.hpp"
#include "fuse.hpp"
#include "graph_content.hpp"
#include "host_run.hpp"
#include "machine_parts.hpp"
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
      made.push_back(host.function->start(functions(), home, host.options, after));
    }
  }
  return made;
}

void graph_content::group(const grouping_rule& rule, runtime_core& home) {
  std::vector<std::variant<task_description, host_node>> fewer;
  std::vector<std::size_t> moved(nodes.size());
  for (const task_group& group : groups_by(rule, *this)) {
    std::optional<task_description> one;
    if (group.size() > 1) one = rule.join(*this, group);
    if (one && !fits_a_device(*one, home)) one.reset();
    for (const std::size_t member : group) {
      moved[member] = fewer.size();
      if (!one) fewer.push_back(std::move(nodes[member]));
    }
    if (one) fewer.emplace_back(std::move(*one));
  }
  for (std::size_t& place : places) place = moved[place];
  nodes = std::move(fewer);
}

completion_ptr graph_content::add(std::variant<task_description, host_node>&& node,
                                  task_label label) {
  completion_ptr made = futures_.make(std::move(label), *this, places.size());
  places.push_back(nodes.size());
  nodes.push_back(std::move(node));
  return made;
}

completion_ptr graph_content::add(task_description&& task) {
  if (plan) give_up_plan();
  task_label label(task.label);
  return add({std::move(task)}, std::move(label));
}

namespace {

/// True if there are no options but those that a plan knows of.
bool plan_knows(const task_options& options) {
  return options.priority == 0 && !options.stop.stop_possible() && !options.on && !options.takes &&
         options.returns.empty() && options.timeout == nanoseconds::max() &&
         options.deadline == time_stamp::max();
}

}  // namespace

completion_ptr graph_content::add(const task_options& options, recorded_function& function) {
  try {
    if (plan && plan_knows(options)) {
      completion_ptr made = futures_.make(options.label, *this, plan->size());
      if (add_to_plan(options)) return made;
    }
    return add_node(options, function);
  } catch (...) {
    functions()->take_back();
    throw;
  }
}

inline bool graph_content::add_to_plan(const task_options& options) {
  for (const any_future& each : options.after) {
    const auto place = each.state() ? each.state()->recorded() : completion::place_in_recording{};
    if (place.recording != this) {
      plan->forget_next();
      return false;
    }
    plan->comes_after(static_cast<std::uint32_t>(place.index));
  }
  plan->add(options.label);
  return true;
}

completion_ptr graph_content::add_node(const task_options& options, recorded_function& function) {
  host_node node{&function, host_options_of(options, nullptr), states_of(options.after.all())};
  if (plan) give_up_plan();
  return add({std::move(node)}, options.label);
}

void graph_content::give_up_plan() {
  const std::shared_ptr<host_plan> before = std::move(plan);
  plan = nullptr;
  std::span<const std::uint32_t> after = before->after();
  for (std::uint32_t i = 0; i < before->size(); ++i) {
    host_node node{functions()->list()[i], {.label = before->label(i)}, {}};
    for (const std::uint32_t each : after.first(before->before(i))) {
      node.after.push_back(futures_.make({}, *this, each));
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
  detail::runtime_core& home = *home_.core();
  if (options_.fuse) content_->group(detail::fuse_rule(), home);
  if (options_.batch) {
    content_->group(detail::batch_rule(home.machine().description()), home);
  }
  content_->finish();
  return graph(std::move(content_));
}

detail::completion_ptr recorder::enqueue(detail::task_description&& task) {
  detail::check(task, *home_.core());
  if (task.deadline != time_stamp::max()) {
    throw usage_error(
        detail::task_name(task.label) +
        " is recorded with a deadline, which later runs cannot keep; a timeout counts "
        "from each run.");
  }
  return content_->add(std::move(task));
}

submitter::host_target recorder::for_functions() noexcept { return {nullptr, content_.get()}; }

}  // namespace hocket
