// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <hocket/scheduler/graph.hpp>

#include <algorithm>
#include <atomic>
#include <optional>

#include <hocket/scheduler/detail/states_of.hpp>
#include <hocket/scheduler/detail/task_waits.hpp>

#include "graphs/batch.hpp"
#include "graphs/check.hpp"
#include "graphs/data_plan.hpp"
#include "graphs/fuse.hpp"
#include "graphs/graph_content.hpp"
#include "graphs/placed_plan.hpp"
#include "graphs/run_batches.hpp"
#include "placement/placed_runtime.hpp"
#include "tasks/caught.hpp"

namespace hocket {

namespace detail {

namespace {

/// True if there are no options but those that a plan knows of.
bool plan_knows(const task_options& options) {
  return options.priority == 0 && !options.stop.stop_possible() && !options.on && !options.takes &&
         options.returns.empty() && options.timeout == nanoseconds::max() &&
         options.deadline == time_stamp::max();
}

/// Among all of the process: a future may come to a recording of another runtime, or to one that
/// lies where its own was.
std::uint32_t next_number() noexcept {
  static std::atomic<std::uint64_t> numbers{0};
  return static_cast<std::uint32_t>(numbers.fetch_add(1) % 0xffffffffU + 1);
}

void check_named(const graph_content& recording, const task_state& named, std::string_view label) {
  const auto place = named.recorded();
  if (place.number == 0 || recording.has(place)) return;
  throw usage_error(task_name(label) + " names " + in_a_sentence(named.name()) +
                    ", which belongs to another recording.");
}

/// A graph in a plan is there for its place.
constexpr auto never_called = [] {};

/// Their numbers in the plan of the recording, or nothing if it cannot know of one.
std::optional<std::vector<std::uint32_t>> places_in_plan(const future_list& named,
                                                         std::uint32_t recording) {
  std::vector<std::uint32_t> known;
  known.reserve(named.size());
  for (const any_future& each : named) {
    const place_in_recording there = each.handle().place();
    if (there.number != recording) return std::nullopt;
    known.push_back(there.index);
  }
  return known;
}

}  // namespace

graph_content::graph_content(const std::shared_ptr<placed_runtime>& belongs_to)
    : recording(next_number()),
      recorded_nodes(number()),
      home(belongs_to),
      home_number(belongs_to->number()) {
  set_order(plan.get());
}

graph_content::~graph_content() = default;

std::vector<std::size_t> recorded_nodes::group(std::span<const task_group> groups,
                                               const grouping_rule& rule, placed_runtime& home) {
  std::vector<graph_node> fewer;
  std::vector<std::size_t> moved(nodes.size());
  for (const task_group& group : groups) {
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
  return moved;
}

task_state_ptr graph_content::add(node&& made, const task_label& label) {
  task_state_ptr state = stand_in(label, places.size()).state();
  places.push_back(nodes.size());
  nodes.push_back(std::move(made));
  return state;
}

task_state_ptr graph_content::add(task_description&& task) {
  for (const task_state_ptr& each : task.after) check_named(*this, *each, task.label_text());
  check_numbers(task);
  if (plan) give_up_plan();
  for (const task_state_ptr& each : task.returns) check_taker(*each, task.label_text());
  const task_label label(task.label_text());
  return add(node(std::move(task)), label);
}

void graph_content::check_taker(const task_state& taker, std::string_view label) const {
  check_named(*this, taker, label);
  const auto place = taker.recorded();
  if (place.number == 0) {
    if (const auto runs_in = home.lock()) detail::check_taker(taker, *runs_in, label);
    return;
  }
  if (std::holds_alternative<task_description>(nodes[places[place.index]])) return;
  throw usage_error(task_name(label) + " is to give back what " + in_a_sentence(taker.name()) +
                    " took, which is no task with data.");
}

void graph_content::check_numbers(const task_description& task) {
  for (const auto& argument : task.arguments) {
    const auto* number = std::get_if<number_argument>(&argument);
    if (number == nullptr) continue;
    if (number->from) {
      check_named(*this, *number->from, task.label_text());
      if (number->from->recorded().number == 0) check_readable(*number->from);
    }
    if (number->set_by) parameters.add(*number);
  }
}

task_handle graph_content::add(const task_options& options, recorded_function& function) {
  if (plan && options.label.empty() && plan_knows(options)) {
    const std::uint32_t index = plan->try_add(function, options.after, number());
    if (index != host_plan::none) return task_handle(place_in_recording{number(), index});
  }
  return add_carefully(options, function);
}

task_handle graph_content::add(std::span<const task_handle> after, recorded_function& function) {
  task_options options;
  for (const task_handle& each : after) options.after.emplace_back(each);
  return add_carefully(options, function);
}

task_handle graph_content::add_carefully(const task_options& options, recorded_function& function) {
  try {
    if (plan && plan_knows(options)) {
      if (const auto before = places_in_plan(options.after, number())) {
        task_handle made = stand_in(options.label, plan->size());
        plan->add(function, *before, options.label);
        return made;
      }
    }
    return add_node(options, function);
  } catch (...) {
    functions()->take_back(function);
    throw;
  }
}

task_state_ptr graph_content::add_node(const task_options& options, recorded_function& function) {
  host_node made{&function, host_options_of(options, nullptr),
                 named_states_of(options.after.all())};
  for (const task_state_ptr& each : made.after) check_named(*this, *each, options.label.text());
  if (plan) give_up_plan();
  return add(node(std::move(made)), options.label);
}

bool graph_content::add_to_plan(graph_use& use) {
  const auto planned = [](const auto& body) { return body->plan != nullptr; };
  if (use.priority != 0 || use.ask.task || !std::ranges::all_of(use.bodies, planned)) return false;
  future_list named;
  for (const task_state_ptr& each : use.after) named.emplace_back(task_handle(each));
  if (use.ask.future) named.emplace_back(task_handle(use.ask.future));
  const auto before = places_in_plan(named, number());
  if (!before) return false;
  plan->add(functions()->add(never_called), *before, use.label);
  return true;
}

task_state_ptr graph_content::add(graph_use&& use) {
  for (const task_state_ptr& each : use.after) check_named(*this, *each, use.label.text());
  if (use.ask.future) check_named(*this, *use.ask.future, use.label.text());
  if (use.ask.task) check_numbers(*use.ask.task);
  const bindings with(use.with);
  for (const auto& body : use.bodies) {
    functions()->keep(body->all_functions());
    for (const parameter_ref& each : body->parameters.all()) {
      if (with.find(each) == nullptr) parameters.add(each, body->parameters);
    }
  }
  if (use.ask.owner) functions()->keep(use.ask.owner);
  if (plan) {
    task_state_ptr made = stand_in(use.label, plan->size()).state();
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
  set_order(nullptr);
  const std::vector<std::uint32_t> lists = before->after();
  std::span<const std::uint32_t> after = lists;
  auto planned = uses.begin();
  for (std::uint32_t i = 0; i < before->size(); ++i) {
    std::vector<task_state_ptr> names;
    for (const std::uint32_t each : after.first(before->before(i))) {
      names.push_back(stand_in({}, each).state());
    }
    after = after.subspan(before->before(i));
    if (planned != uses.end() && planned->node == i) {
      planned->use.after = std::move(names);
      (void)add_use(std::move(planned++->use));
    } else {
      // A recording has no other functions in its own plan.
      auto& function = static_cast<recorded_function&>(before->function(i));
      host_node made{&function, {.label = before->label(i)}, std::move(names)};
      (void)add(node(std::move(made)), {});
    }
  }
  uses.clear();
}

void graph_content::finish(bool in_batches) {
  if (!plan) {
    data_runs_ = data_plan::compiled(*this);
    if (data_runs_ == nullptr) placed_runs_ = placed_plan::compiled(*this, *home.lock());
    if (in_batches && placed_runs_ != nullptr)
      batches_ = std::make_unique<run_batches>(placed_runs_);
    return;
  }
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

std::size_t graph::size() const {
  if (content_ == nullptr) {
    throw usage_error("A graph is used while it is empty: it was not recorded, or moved from.");
  }
  return content_->size();
}

}  // namespace hocket
