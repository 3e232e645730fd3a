// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <hocket/scheduler/detail/host_context.hpp>

#include <hocket/core/error.hpp>
#include <hocket/scheduler/detail/task_state.hpp>

namespace hocket::detail {

failure host_context::refusal_of(const task_state& task) const {
  return {failure_code::cancelled,
          task.name() + " did not start, because its runtime was stopped."};
}

std::size_t host_context::next_arena() noexcept {
  return arenas_used_.fetch_add(1) % where_->arenas();
}

std::size_t host_context::arena_of(const device_handle&, const std::string& name) {
  throw usage_error(name + " is to run on a device, and there is none.");
}

}  // namespace hocket::detail
