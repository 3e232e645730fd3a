// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <hocket/scheduler/detail/context_stop.hpp>

#include <hocket/scheduler/detail/task_state.hpp>

namespace hocket::detail {

bool context_stop::look(std::uint64_t stops) const noexcept {
  if (was_requested()) return true;
  // Relaxed: a thread that sees an older number looks itself.
  others_.store(stops, std::memory_order_relaxed);
  return false;
}

runtime_stop::runtime_stop() : context_stop(all_stops_) { set_token(own_token_); }

failure runtime_stop::refusal_of(const task_state& task) const {
  return {failure_code::cancelled,
          task.name() + " was cancelled, because its runtime was stopped."};
}

}  // namespace hocket::detail
