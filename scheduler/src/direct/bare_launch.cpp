// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "direct/bare_launch.hpp"

#include <hocket/streams/perform.hpp>

#include "direct/direct_runtime.hpp"

namespace hocket::detail {

inline bare_launch::bare_launch(direct_runtime& home, const kernel_ref& kernel)
    : host_task(in_runtime(), home.context(), true, false), home_(home), kernel_(kernel) {}

inline void bare_launch::call() {
  const direct_runtime::counted counted(home_, 0);
  single_lane lane;
  kernel_->host(host_launch{{}, {}, lane});
}

inline bool bare_launch::execute_or_fail() noexcept {
  try {
    call();
    return true;
  } catch (...) {
    settle(explain_failure());
    return false;
  }
}

/// Its future may be asked for the name of the kernel.
inline void bare_launch::let_go(bool is_unknown) noexcept {
  if (!is_unknown) return;
  kernel_.reset();
  leave_nothing();
}

bool bare_launch::run_straight(follow_ups& next) noexcept { return run_straight_as(*this, next); }

completion* bare_launch::start_new(direct_runtime& home, const kernel_ref& kernel) {
  auto* const made = task_memory::make<bare_launch>(2, 0, home, kernel);
  host_context& context = home.context();
  context.started(*made);
  made->post_at_once(context, run_straight_item<bare_launch>);
  return made;
}

void bare_launch::execute() { call(); }

failure bare_launch::explain_failure() noexcept {
  const failure why = failure_of_launch(kernel_->name);
  return {why.code(), name() + " failed: " + why.message(), why.thrown()};
}

}  // namespace hocket::detail
