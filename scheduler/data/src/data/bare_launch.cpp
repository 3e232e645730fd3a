// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "data/bare_launch.hpp"

#include <hocket/streams/perform.hpp>

#include "data/in_place_runtime.hpp"
#include "tasks/caught.hpp"

namespace hocket::detail {

inline bare_launch::bare_launch(in_place_runtime& home, const kernel_ref& kernel)
    : host_task(in_runtime(), home.context(), true, false), home_(home), kernel_(kernel) {}

inline void bare_launch::call() {
  const in_place_runtime::counted counted(home_, 0);
  single_lane lane;
  kernel_->host(host_launch{{}, {}, lane});
}

inline bool bare_launch::execute_or_fail() noexcept {
  try {
    call();
    return true;
  } catch (...) {
    outcome().settle(explain_failure());
    return false;
  }
}

/// Its future may be asked for the name of the kernel.
inline void bare_launch::release_body(bool is_unknown) noexcept {
  if (!is_unknown) return;
  kernel_.reset();
  leave_nothing();
}

bool bare_launch::run_inline(ready_list& next) noexcept {
  return task_runner::run_inline_as(*this, next);
}

task_state* bare_launch::start_new(in_place_runtime& home, const kernel_ref& kernel) {
  auto* const made = task_memory::make<bare_launch>(2, 0, home, kernel);
  host_context& context = home.context();
  task_starter::start_at_once(*made, context, task_runner::run_inline_item<bare_launch>);
  return made;
}

void bare_launch::execute() { call(); }

failure bare_launch::explain_failure() noexcept {
  return explained([this]() -> failure {
    const failure why = failure_of_launch(kernel_->name);
    return {why.code(), name() + " failed: " + why.message(), why.thrown()};
  });
}

}  // namespace hocket::detail
