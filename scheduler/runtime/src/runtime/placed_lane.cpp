// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "runtime/placed_lane.hpp"

#include <algorithm>
#include <utility>

#include <hocket/core/saturating.hpp>
#include <hocket/scheduler/detail/arguments.hpp>
#include <hocket/scheduler/detail/task_waits.hpp>

#include "data/extents_check.hpp"
#include "graphs/check.hpp"
#include "placement/launch_facts.hpp"
#include "runtime/post_watched.hpp"
#include "tasks/caught.hpp"
#include "tasks/deadline.hpp"

namespace hocket::detail {

namespace {

void add_number(launch_submission& s, const number_argument& number, element_type type) {
  scalar_arguments& scalars = s.launch->scalars;
  scalars.push_back(number.value);
  if (number.from == nullptr) return;
  check_readable(*number.from);
  scalars.back().type = type;
  s.wait_for({number.from, scalars.size() - 1, number});
}

/// The buffers are taken out of the description.
void add_arguments(launch_submission& s, task_description& task) {
  for (std::size_t i = 0; i < task.arguments.size(); ++i) {
    if (auto* use = std::get_if<access_argument>(&task.arguments[i])) {
      const bool is_part = use->where != use->data->whole();
      s.add_access(std::move(use->data), is_part ? &use->where : nullptr, use->mode);
    } else {
      add_number(s, std::get<number_argument>(task.arguments[i]), task.kernel->parameters[i].type);
    }
  }
}

/// A hidden result is an access too.
argument_room room_for(const kernel_definition& kernel, std::size_t accesses, std::size_t numbers) {
  return {.accesses = accesses + (kernel.result ? 1 : 0), .numbers = numbers};
}

/// True if all that is asked for is a device, a priority or a label.
bool has_few_options(const task_options& options) {
  return options.after.empty() && !options.stop.stop_possible() && !options.in_order &&
         !options.takes && options.returns.empty() && options.timeout == nanoseconds::max() &&
         options.deadline == time_stamp::max();
}

argument_room room_for(const task_description& task) {
  const auto is_access = [](const auto& each) {
    return std::holds_alternative<access_argument>(each);
  };
  const auto accesses = static_cast<std::size_t>(std::ranges::count_if(task.arguments, is_access));
  return room_for(*task.kernel, accesses, task.arguments.size() - accesses);
}

void add_limits(launch_submission& s, const task_description& task) {
  placement::task_limits& own = s.own_limits();
  own.timeout = task.timeout;
  if (task.takes) {
    own.budget = task.takes->budget;
    own.bytes = task.takes->bytes;
    own.capacity = task.takes->capacity;
  }
  for (const task_state_ptr& taker : task.returns) {
    own.returns.push_back(static_cast<const device_task&>(*taker).id);
  }
}

/// The hidden buffer that a kernel's value goes through.
buffer_ref add_result(launch_submission& s, const std::shared_ptr<data_runtime>& home) {
  const index_list one(1, 1);
  buffer_ref value(new buffer_state(home, *s.launch->kernel->result, one,
                                    "value of " + std::string(s.label_text())));
  s.add_access(value, nullptr, access_mode::write);
  s.has_result = true;
  return value;
}

/// A future must not keep what a function holds: its state has the name of the kernel then.
device_task* make_state(make_device_state make, host_context& owner, const launch_submission& s) {
  const kernel_ref& kernel = s.launch->kernel;
  if (!kernel->keeps_captures) return make(&owner, s.label, kernel);
  return make(&owner, s.label.empty() ? task_label(kernel->name) : s.label, nullptr);
}

/// The bytes of a launch without the state of its future. is_watched: the launch belongs to a
/// scope, or may be stopped.
std::uint32_t bytes_kept_for(const launch_submission& s, bool is_watched) {
  const std::size_t function = s.has_function ? sizeof(launch_function) : 0;
  const argument_room room{s.accesses.size(), s.launch->scalars.size()};
  const bool has_rare = is_watched || s.limits != nullptr;
  return static_cast<std::uint32_t>(sizeof(launch_submission) + room.bytes() + function +
                                    (has_rare ? s.rare_bytes() : 0));
}

}  // namespace

void check_and_time(task_description& task, placed_runtime& home) {
  check(task, home);
  for (const task_state_ptr& each : task.returns) check_taker(*each, home, task.label_text());
  if (task.deadline == time_stamp::max()) return;
  const time_stamp now = home.where().now();
  task.timeout = std::min(task.timeout, std::max(task.deadline - now, nanoseconds::zero()));
}

task_state_ptr placed_lane::launch(task_description&& task) {
  check_and_time(task, home_);
  for (const task_state_ptr& before : task.after) check_waitable(*before);
  auto s = make_submission<launch_submission>(room_for(task), home_);
  s->label = std::move(task.label);
  s->launch->kernel = std::move(task.kernel);
  s->host_only = task.host_only;
  if (task.on) s->on = *task.on;
  s->priority = task.priority;
  s->in_order = task.in_order;
  s->within = task.within.id;
  for (const task_state_ptr& before : task.after) s->wait_for({before, std::nullopt, {}});
  const bool is_limited = task.takes || !task.returns.empty() || task.timeout != nanoseconds::max();
  if (is_limited) add_limits(*s, task);
  task.kernel = s->launch->kernel;
  add_arguments(*s, task);
  s->bytes = bytes_of({s->keeps.data(), s->keeps.size()});
  host_context& owner = task.scope == nullptr ? home_ : *task.scope;
  return send(std::move(s), {task.make_state, std::move(task.box), task.function_bytes}, owner,
              task.stop);
}

/// True if there is nothing to describe or to complain of. bytes: of all buffers.
bool placed_lane::is_plain(const borrowed_launch& what, std::uint64_t& bytes) const {
  if (what.awaited > 0 || !home_.is_open()) return false;
  const device_handle* on = nullptr;
  if (what.options != nullptr) {
    if (!has_few_options(*what.options)) return false;
    if (what.options->on) on = &*what.options->on;
  }
  if (on != nullptr && on->runtime != 0 && on->runtime != home_.number()) return false;
  for (const borrowed_access& use : what.accesses) {
    const buffer_ref& data = *use.data;
    if (!data->belongs_to(home_)) return false;
    for (const borrowed_access* before = what.accesses.data(); before != &use; ++before) {
      if (*before->data == data) return false;
    }
    bytes = saturating_add(bytes, data->bytes());
  }
  if (!takes_extents(*what.kernel, what.accesses)) return false;
  const auto& result = what.kernel->result;
  const std::uint64_t needs = saturating_add(bytes, result ? size_of(*result) : std::uint64_t{0});
  const placement::machine& all = events_.devices().description();
  const auto can_run = [&](const placement::machine::device_node& node) {
    const bool has_body =
        what.function.body != nullptr ? node.runs_host_tasks : node.runs(*what.kernel);
    return has_body && needs <= all.memories[node.memory.value].capacity &&
           (node.largest_binding == 0 || bytes <= node.largest_binding);
  };
  if (on == nullptr) return std::ranges::any_of(all.devices, can_run);
  return on->id.value < all.devices.size() && can_run(all.devices[on->id.value]);
}

task_state* placed_lane::submit(const borrowed_launch& what) {
  std::uint64_t bytes = 0;
  if (!is_plain(what, bytes)) return launch(described(what)).detach();
  argument_room room = room_for(*what.kernel, what.accesses.size(), what.numbers.size());
  room.function = what.function.body;
  auto s = make_submission<launch_submission>(room, home_);
  s->launch->kernel = what.kernel;
  s->host_only = what.function.body != nullptr;
  if (what.options != nullptr) {
    s->label = what.options->label;
    s->priority = what.options->priority;
    if (what.options->on) s->on = what.options->on->id;
  }
  for (const borrowed_access& use : what.accesses) s->add_access(*use.data, use.part, use.mode);
  for (const borrowed_number& number : what.numbers) s->launch->scalars.push_back(number.value);
  s->bytes = bytes;
  const taken_function& function = what.function;
  return send(std::move(s), {what.make_state, function.box, function.bytes}, home_, {}).detach();
}

/// Gives the placement engine a launch that is complete but for what follows from its kernel and
/// its accesses.
task_state_ptr placed_lane::send(boost::intrusive_ptr<launch_submission> s, state_parts&& parts,
                                 host_context& owner, const std::stop_token& stop) {
  home_.where().check_submitter();
  if (home_.trace() != nullptr) s->trace_name = home_.names().intern(s->label_text());
  estimate(*s->launch, {s->accesses.data(), s->accesses.size()});
  s->external = static_cast<std::uint32_t>(s->awaits());
  const buffer_ref value =
      s->launch->kernel->result ? add_result(*s, home_.shared_from_this()) : nullptr;
  if (value != nullptr) s->bytes = saturating_add(s->bytes, value->bytes());

  const task_id id{home_.next_number()};
  s->id = id;
  s->state = {make_state(parts.make, owner, *s), false};
  s->has_box = parts.box != nullptr;
  if (s->has_box) s->state->expect_in(std::move(parts.box));
  s->state->id = id;
  s->state->held_by_launch =
      bytes_kept_for(*s, owner.is_scope() || stop.stop_possible()) + parts.function_bytes;
  const task_state_ptr state(s->state.get(), false);
  hand_over(std::move(s), value, owner, stop);
  return state;
}

void placed_lane::hand_over(boost::intrusive_ptr<launch_submission> s, const buffer_ref& value,
                            host_context& owner, const std::stop_token& stop) noexcept {
  task_state& state = *s->state;  // which the caller keeps
  const task_id id = s->id;
  owner.started(state);
  s->watch_stop(stop);
  if (owner.is_scope()) s->watch_scope(owner);
  const bool is_late = s->limits != nullptr && s->limits->timeout <= nanoseconds::zero();
  const auto unwanted = [&] {
    return is_late || stop.stop_requested() || owner.stop().is_requested();
  };
  const auto refusal = [&] {
    if (is_late) return not_begun_in_time(state.name());
    const bool by_scope = owner.is_scope() && !stop.stop_requested();
    return by_scope ? owner.stop().refusal_of(state) : cancelled(state.label_text());
  };
  const bool awaits = s->external > 0;
  const auto kept = awaits || value != nullptr ? s : nullptr;
  const auto submit = [&](bool is_unwanted) {
    events_.post(placement::submitted{std::move(s), is_unwanted ? refusal() : failure()});
    if (awaits) kept->watch();
    if (value != nullptr) events_.post(placement::submitted{fetch_of(*kept, value), {}});
  };
  post_watched(unwanted, submit, [&] { events_.post(placement::cancel_asked{id, refusal()}); });
}

placement::task_ref placed_lane::fetch_of(const launch_submission& launch,
                                          const buffer_ref& value) const {
  const auto fetch = make_submission<fetch_submission>({.accesses = 1}, home_);
  fetch->kind = placement::task_kind::fetch;
  fetch->label = launch.label;
  fetch->trace_name = launch.trace_name;
  fetch->priority = launch.priority;
  fetch->add_access(value, nullptr, access_mode::read);
  fetch->state = launch.state;
  fetch->id = task_id{home_.next_number()};
  return fetch;
}

}  // namespace hocket::detail
