// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <hocket/scheduler/detail/arguments.hpp>

#include <hocket/kernels/kernel.hpp>

#include <hocket/scheduler/detail/states_of.hpp>
#include "tasks/caught.hpp"
#include "tasks/deadline.hpp"

namespace hocket::detail {

void refuse_empty_parameter() {
  throw usage_error("A run_parameter is used while it is empty: it was made without a number.");
}

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
    task.takes = budget_use{options.takes->budget, options.takes->bytes, options.takes->runtime,
                            options.takes->capacity};
  task.returns = named_states_of(options.returns.all());
  task.host_only = host_only;
  return task;
}

kernel_ref kernel_of_functions(const kernel_definition& without_body) {
  return changed(without_body, [](kernel_definition& made) {
    // Devices that call functions run it; the task's own one is called.
    made.host = [](const host_launch&) {};
  });
}

task_description described(const borrowed_launch& what) {
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
  task.box = what.function.box;
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

}  // namespace hocket::detail
