// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <hocket/scheduler/detail/states_of.hpp>

#include <hocket/scheduler/detail/task_waits.hpp>

#include "tasks/caught.hpp"
#include "tasks/deadline.hpp"

namespace hocket::detail {

namespace {

void check_is_there(const task_handle& before) {
  if (!before) throw usage_error("A task names a future without a task.");
}

}  // namespace

std::vector<task_state_ptr> named_states_of(std::span<const any_future> futures) {
  std::vector<task_state_ptr> states;
  states.reserve(futures.size());
  for (const any_future& f : futures) {
    check_is_there(f.handle());
    states.push_back(f.state());
  }
  return states;
}

std::vector<task_state_ptr> states_of(std::span<const any_future> futures) {
  for (const any_future& f : futures) check_predecessor(f.handle());
  return named_states_of(futures);
}

void check_predecessor(const task_handle& before) {
  check_is_there(before);
  if (before.is_place()) refuse_use(before);
  check_waitable(*before.task());
}

host_options host_options_of(const task_options& options, host_context* context) {
  const auto refuse = [&](const char* what) {
    throw usage_error(task_name(options.label.text()) + what);
  };
  if (options.takes || !options.returns.empty()) {
    refuse(" is a function without accesses, and those have no budget.");
  }
  if (options.in_order) refuse(" is a function without accesses, and those start in no order.");
  host_options made;
  made.label = options.label;
  made.priority = options.priority < 0 ? -1 : (options.priority > 0 ? 1 : 0);
  made.stop = options.stop;
  if (options.on && context == nullptr) {
    refuse(" is a function that is recorded, and those have no device.");
  }
  if (options.on) {
    made.arena = context->home().arena_of(*options.on, task_name(options.label.text()));
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
  check_continuable(*before);
  continuation_options made{host_options_of(options, before->context()),
                            states_of(options.after.all())};
  made.after.insert(made.after.begin(), before);
  return made;
}

}  // namespace hocket::detail
