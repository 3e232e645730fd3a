// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <hocket/scheduler/detail/task_state.hpp>

#include <utility>

#include <hocket/scheduler/detail/host_context.hpp>
#include <hocket/scheduler/detail/ready_list.hpp>

#include "tasks/caught.hpp"

namespace hocket::detail {

std::string task_state::name() const { return task_name(label_text()); }

void task_state::finish(failure why) noexcept {
  ready_list next;
  outcome_.settle(std::move(why));
  announce(next);
}

void task_state::announce(ready_list& next) noexcept {
  // The context goes away when it has heard of the last end, not before.
  host_context* const context = context_;
  run_all(followers().close_as_pushed(), *this, next);
  if (context == nullptr || (!error() && context->only_counted_end(after_end::user_code))) return;
  context->ended(*this);
}

}  // namespace hocket::detail
