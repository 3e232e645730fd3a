// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <hocket/scheduler/graph.hpp>

#include <algorithm>
#include <optional>

#include <hocket/scheduler/runtime.hpp>

#include "batch.hpp"
#include "caught.hpp"
#include "check.hpp"
#include "fuse.hpp"
#include "graph_content.hpp"
#include "machine_parts.hpp"
#include "runtime_core.hpp"

namespace hocket {

namespace detail {

namespace {

/// True if there are no options but those that a plan knows of.
bool plan_knows(const task_options& options) {
  return options.priority == 0 && !options.stop.stop_possible() && !options.on && !options.takes &&
         options.returns.empty() && options.timeout == nanoseconds::max() &&
         options.deadline == time_stamp::max();
}

/// A graph in a plan is there for its place.
constexpr auto never_called = [] {};

}  // namespace

graph_content::graph_content(const std::shared_ptr<runtime_core>& belongs_to)
    : home(belongs_to), number_(static_cast<std::uint32_t>(belongs_to->next_number())) {}

void graph_content::group(const grouping_rule& rule, runtime_core& core) {
  std::vector<node> fewer;
  std::vector<std::size_t> moved(nodes.size());
  for (const task_group& group : groups_by(rule, *this)) {
    std::optional<task_description> one;
    if (group.size() > 1) one = rule.join(*this, group);
    if (one && !fits_a_device(*one, core)) one.reset();
    for (const std::size_t member : group) {
      moved[member] = fewer.size();
      if (!one) fewer.push_back(std::move(nodes[member]));
    }
    if (one) fewer.emplace_back(std::move(*one));
  }
  for (std::size_t& place : places) place = moved[place];
  nodes = std::move(fewer);
}

completion_ptr graph_content::add(node&& made, const task_label& label) {
  completion_ptr state = stand_in(label, places.size());
  places.push_back(nodes.size());
  nodes.push_back(std::move(made));
  return state;
}

void graph_content::check_named(const completion_ptr& named, std::string_view label) const {
  const auto place = named->recorded();
  if (place.recording == nullptr || has(place)) return;
  throw usage_error(named->name() + " belongs to another recording than " + task_name(label) +
                    ", which names it.");
}

completion_ptr graph_content::add(task_description&& task) {
  for (const completion_ptr& each : task.after) check_named(each, task.label);
  for (const completion_ptr& each : task.returns) check_named(each, task.label);
  check_numbers(task);
  if (plan) give_up_plan();
  task_label label(task.label);
  return add(node(std::move(task)), label);
}

void graph_content::check_numbers(const task_description& task) {
  for (const auto& argument : task.arguments) {
    const auto* number = std::get_if<number_argument>(&argument);
    if (number == nullptr) continue;
    if (number->from) check_named(number->from, task.label);
    if (number->set_by) add_parameter(number->set_by);
  }
}

void graph_content::add_parameter(const parameter_ref& used) {
  if (std::ranges::find(parameters, used) == parameters.end()) parameters.push_back(used);
}

completion_ptr graph_content::add(const task_options& options, recorded_function& function) {
  try {
    if (plan && plan_knows(options)) {
      completion_ptr made = stand_in(options.label, plan->size());
      if (add_to_plan(options)) return made;
    }
    return add_node(options, function);
  } catch (...) {
    functions()->take_back();
    throw;
  }
}

completion_ptr graph_content::add(recorded_function& function) {
  if (!plan) return add(task_options{}, function);
  try {
    completion_ptr made = stand_in({}, plan->size());
    plan->add({});
    return made;
  } catch (...) {
    functions()->take_back();
    throw;
  }
}

// Inlined: the compiler would not, and it is called for every edge.
[[gnu::always_inline]] inline bool graph_content::comes_after_in_plan(const completion_ptr& named) {
  const auto place = named ? named->recorded() : completion::place_in_recording{};
  if (!has(place)) {
    plan->forget_next();
    return false;
  }
  plan->comes_after(place.index);
  return true;
}

inline bool graph_content::add_to_plan(const task_options& options) {
  for (const any_future& each : options.after) {
    if (!comes_after_in_plan(each.state())) return false;
  }
  plan->add(options.label);
  return true;
}

completion_ptr graph_content::add_node(const task_options& options, recorded_function& function) {
  host_node made{&function, host_options_of(options, nullptr), states_of(options.after.all())};
  for (const completion_ptr& each : made.after) check_named(each, options.label.text());
  if (plan) give_up_plan();
  return add(node(std::move(made)), options.label);
}

bool graph_content::add_to_plan(graph_use& use) {
  const auto planned = [](const auto& body) { return body->plan != nullptr; };
  if (use.priority != 0 || use.ask.task || !std::ranges::all_of(use.bodies, planned)) return false;
  for (const completion_ptr& each : use.after) {
    if (!comes_after_in_plan(each)) return false;
  }
  if (use.ask.future && !comes_after_in_plan(use.ask.future)) return false;
  static_cast<void>(functions()->add(never_called));
  plan->add(use.label);
  return true;
}

completion_ptr graph_content::add(graph_use&& use) {
  for (const completion_ptr& each : use.after) check_named(each, use.label.text());
  if (use.ask.future) check_named(use.ask.future, use.label.text());
  if (use.ask.task) check_numbers(*use.ask.task);
  for (const auto& body : use.bodies) {
    functions()->keep(body->all_functions());
    for (const parameter_ref& each : body->parameters) {
      const auto is_set = [&](const setting& one) { return one.of == each; };
      if (std::ranges::none_of(use.with, is_set)) add_parameter(each);
    }
  }
  if (use.ask.owner) functions()->keep(use.ask.owner);
  if (plan) {
    completion_ptr made = stand_in(use.label, plan->size());
    if (add_to_plan(use)) {
      uses.push_back({static_cast<std::uint32_t>(plan->size() - 1), std::move(use)});
      return made;
    }
    give_up_plan();
  }
  if (!use.is_choice() && use.bodies.front()->plan == nullptr) return take_in(std::move(use));
  return add_use(std::move(use));
}

void graph_content::give_up_plan() {
  const std::shared_ptr<host_plan> before = std::move(plan);
  plan = nullptr;
  const std::vector<std::uint32_t> lists = before->after();
  std::span<const std::uint32_t> after = lists;
  auto planned = uses.begin();
  for (std::uint32_t i = 0; i < before->size(); ++i) {
    std::vector<completion_ptr> names;
    for (const std::uint32_t each : after.first(before->before(i))) {
      names.push_back(stand_in({}, each));
    }
    after = after.subspan(before->before(i));
    if (planned != uses.end() && planned->node == i) {
      planned->use.after = std::move(names);
      (void)add_use(std::move(planned++->use));
    } else {
      host_node made{functions()->list()[i], {.label = before->label(i)}, std::move(names)};
      (void)add(node(std::move(made)), {});
    }
  }
  uses.clear();
}

void graph_content::finish() {
  if (!plan) return;
  if (!uses.empty()) {
    runs_ = flattened(*this);
    return;
  }
  plan->seal();
  runs_ = plan;
}

namespace {

std::size_t tasks_of(const graph_use& use) {
  std::size_t sum = use.is_choice() ? 1 : 0;
  for (const auto& body : use.bodies) sum += body->size();
  return sum;
}

}  // namespace

std::size_t graph_content::size() const noexcept {
  std::size_t sum = 0;
  if (plan) {
    sum = plan->size() - uses.size();
    for (const planned_use& each : uses) sum += tasks_of(each.use);
    return sum;
  }
  for (const node& each : nodes) {
    const auto* use = std::get_if<use_node>(&each);
    sum += use != nullptr ? tasks_of(use->use) : std::holds_alternative<join_node>(each) ? 0 : 1;
  }
  return sum;
}

}  // namespace detail

std::size_t graph::size() const noexcept { return content_->size(); }

recorder::recorder(runtime& home, const record_options& options)
    : home_(home),
      options_(options),
      content_(std::make_shared<detail::graph_content>(home.core())) {}

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

detail::completion_ptr recorder::enqueue(detail::graph_use&& use) {
  detail::check(use, *home_.core());
  return content_->add(std::move(use));
}

submitter::host_target recorder::for_functions() noexcept { return {nullptr, content_.get()}; }

}  // namespace hocket
