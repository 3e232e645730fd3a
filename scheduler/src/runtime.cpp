// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <hocket/scheduler/runtime.hpp>

#include "caught.hpp"
#include "check.hpp"
#include "deadline.hpp"
#include "device_set.hpp"
#include "graph_content.hpp"
#include "in_place/in_place_runtime.hpp"
#include "runtime_core.hpp"

namespace hocket {

runtime::runtime(const runtime_options& options)
    : core_(std::make_shared<detail::runtime_core>(options)) {
  runs_functions_ = core_.get();
}

runtime::~runtime() { detail::runtime_core::end(std::move(core_)); }

void runtime::wait() { core_->wait_all(); }

void runtime::stop() { core_->stop(); }

std::vector<device_info> runtime::devices() { return core_->devices(); }

device_handle runtime::device(std::string_view name) { return core_->device(name); }

time_stamp runtime::now() const { return core_->where().now(); }

submitter::host_target runtime::for_functions() noexcept { return {core_.get(), nullptr}; }

detail::task_state_ptr runtime::enqueue(detail::task_description&& task) {
  return core_->launch(std::move(task));
}

detail::in_place_lane* runtime::find_in_place_lane() {
  detail::in_place_lane* const found = &core_->lane();
  // Pairs with the acquire in in_place().
  lane_.store(found, std::memory_order_release);
  return found;
}

detail::task_state_ptr runtime::enqueue(detail::graph_use&& use) {
  return detail::start(std::move(use), {*core_});
}

future<void> submitter::run(const run_options& options, const graph& what, settings with) {
  detail::graph_use use = detail::use_of(options, {what});
  use.with = std::move(with);
  return submit_use(std::move(use));
}

future<void> submitter::submit_use(detail::graph_use&& use) {
  const detail::pending_place place(for_functions().context);
  return future<void>(enqueue(std::move(use)));
}

runtime_report runtime::report() {
  const std::vector<device_info>& infos = core_->devices();
  runtime_report made;
  const std::vector<placement::device_statistics> all = core_->statistics();
  for (std::size_t i = 0; i < infos.size(); ++i) {
    const placement::device_statistics& s = all[i];
    made.devices.push_back({infos[i].name, infos[i].backend, infos[i].lanes, s.alive, s.kernels,
                            s.flops, s.busy, s.bytes_in, s.bytes_out, s.peak_bytes});
  }
  made.now = now();
  return made;
}

pending_report runtime::pending() { return core_->pending(); }

trace_snapshot runtime::trace() {
  const detail::device_set& machine = core_->machine();
  trace_snapshot made;
  if (core_->in_place() == nullptr)
    core_->inspect([&](const placement::engine& h) {
      made.records = h.trace().snapshot();
      made.dropped = h.trace().dropped();
    });
  for (const trace_record& r : made.records) {
    made.record_names.push_back(core_->names().name(r.name));
  }
  for (const device_info& info : machine.infos()) made.device_names.push_back(info.name);
  for (std::size_t i = 0; i < machine.description().streams.size(); ++i) {
    made.stream_names.push_back(machine.stream_name(stream_id{i}));
  }
  core_->host_tasks().add_to(made);
  return made;
}

budget::budget(runtime& home, std::uint64_t bytes)
    : id_{home.core()->next_number()}, bytes_(bytes), runtime_(home.core()->number()) {
  home.core()->add_budget(id_, bytes);
}

budget_share budget::share(std::uint64_t bytes) const {
  if (bytes > bytes_) {
    throw usage_error("A task is to take " + std::to_string(bytes) + " bytes of a budget of " +
                      std::to_string(bytes_) + ".");
  }
  return {id_, bytes, runtime_};
}

namespace detail {

task_description described(const task_options& options, const kernel_ref& kernel, bool host_only) {
  task_description task;
  task.label = options.label;
  if (options.on) {
    task.on = options.on->id;
    task.runtime_of_on = options.on->runtime;
  }
  task.priority = options.priority;
  task.in_order = options.in_order;
  task.kernel = kernel;
  if (options.timeout != nanoseconds::max())
    check_timeout(task_name(task.label_text()), options.timeout);
  task.timeout = options.timeout;
  task.deadline = options.deadline;
  task.stop = options.stop;
  task.after = named_states_of(options.after.all());
  if (options.takes)
    task.takes = budget_use{options.takes->budget, options.takes->bytes, options.takes->runtime};
  task.returns = named_states_of(options.returns);
  task.host_only = host_only;
  return task;
}

task_description described(const in_place_launch& what) {
  kernel_ref whole = what.kernel;
  const bool has_function = what.function.body != nullptr;
  if (has_function) {
    whole = changed(*whole, [&](auto& made) {
      made.keeps_captures = what.function.bytes > 0;
      made.host = std::move(*what.function.body);
    });
  }
  task_description task =
      described(what.options != nullptr ? *what.options : task_options(), whole, has_function);
  task.function_bytes = what.function.bytes;
  task.make_state = what.make_state;
  task.arguments.reserve(whole->parameters.size());
  auto use = what.accesses.begin();
  auto number = what.numbers.begin();
  for (const parameter& p : whole->parameters) {
    if (p.is == parameter::kind::buffer) {
      const box& where = use->part != nullptr ? *use->part : (*use->data)->whole();
      task.arguments.push_back(access_argument{*use->data, where, use->mode});
      ++use;
    } else {
      const task_state_ptr from = number->from != nullptr ? *number->from : nullptr;
      task.arguments.push_back(number_argument{number->value, from, number->convert});
      ++number;
    }
  }
  return task;
}

graph_use use_of(const run_options& options, const std::vector<graph>& graphs) {
  graph_use use;
  use.label = options.label.empty() ? task_label("graph") : options.label;
  use.priority = options.priority;
  use.after = named_states_of(options.after.all());
  for (const graph& each : graphs) use.bodies.push_back(each.content());
  return use;
}

std::vector<task_state_ptr> named_states_of(std::span<const any_future> futures) {
  std::vector<task_state_ptr> states;
  states.reserve(futures.size());
  for (const any_future& f : futures) {
    states.push_back(f.state());
    if (states.back() == nullptr) {
      throw usage_error("A task is to run after a future without a task.");
    }
  }
  return states;
}

std::vector<task_state_ptr> states_of(std::span<const any_future> futures) {
  std::vector<task_state_ptr> states = named_states_of(futures);
  for (const task_state_ptr& each : states) each->check_waitable();
  return states;
}

host_options host_options_of(const task_options& options, host_context* context) {
  const auto refuse = [&](const char* what) {
    throw usage_error(task_name(options.label.text()) + what);
  };
  if (options.takes || !options.returns.empty()) {
    refuse(" is a function without accesses, and those have no budget.");
  }
  host_options made;
  made.label = options.label;
  made.priority = options.priority < 0 ? -1 : (options.priority > 0 ? 1 : 0);
  made.stop = options.stop;
  if (options.on && context == nullptr) {
    refuse(" is a function that is recorded, and those have no device.");
  }
  if (options.on) {
    made.arena = context->arena_of(*options.on, task_name(options.label.text()));
  }
  if (options.timeout == nanoseconds::max() && options.deadline == time_stamp::max()) return made;
  if (context == nullptr) {
    refuse(" is a function that is recorded, and those have no timeout or deadline.");
  }
  check_timeout(task_name(options.label.text()), options.timeout);
  made.deadline = first_deadline(options.timeout, options.deadline, context->home().where());
  return made;
}

continuation_options continuation_options_of(const task_options& options,
                                             const task_state_ptr& before) {
  before->check_continuable();
  continuation_options made{host_options_of(options, before->context()),
                            states_of(options.after.all())};
  made.after.insert(made.after.begin(), before);
  return made;
}

}  // namespace detail
}  // namespace hocket
