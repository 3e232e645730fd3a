// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "graphs/data_failures.hpp"

#include <algorithm>
#include <new>
#include <string>

#include "tasks/caught.hpp"

namespace hocket::detail {

void data_failures::failed(std::uint32_t node, const failure& why) noexcept {
  const std::lock_guard lock(guard_);
  try {
    known_.emplace(node, why);
  } catch (const std::bad_alloc&) {
    // Tasks that do not run because of this one fail without saying why it failed.
  }
}

failure data_failures::not_called(std::uint32_t node, bool is_cancelled) noexcept {
  failure why = is_cancelled ? cancellation_of(node) : failure_before(node);
  failed(node, why);
  return why;
}

bool data_failures::fails_with(std::uint32_t node, std::uint32_t before) const {
  return std::ranges::find(plan_.predecessors(node), before) != plan_.predecessors(node).end();
}

void data_failures::release() noexcept {
  decltype(known_) dropped;  // goes without the lock
  const std::lock_guard lock(guard_);
  dropped.swap(known_);
}

failure data_failures::cancellation_of(std::uint32_t node) const {
  const task_state task(&context_, plan_.label(node));
  if (context_.stop().is_requested()) return context_.stop().refusal_of(task);
  return {failure_code::cancelled, task.name() + " was cancelled before it started."};
}

/// Of a task that the function uses the output of.
failure data_failures::failure_before(std::uint32_t node) {
  const std::string label(plan_.label(node).text());
  const std::lock_guard lock(guard_);
  for (const std::uint32_t before : plan_.predecessors(node)) {
    if ((before & data_plan::order_only) != 0) continue;
    const auto found = known_.find(before);
    if (found != known_.end()) return found->second.downstream(label);
  }
  return {failure_code::dependency_failed,
          task_name(label) + " did not run, because a task before it failed."};
}

}  // namespace hocket::detail
