// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "tasks/pending_limit.hpp"

#include <algorithm>

namespace hocket::detail {

std::string pending_limit::reached() const {
  // It may have been the other a moment ago.
  const bool by_tasks = tasks_.is_reached() || !bytes_.is_set();
  if (by_tasks && tasks_.is_set()) {
    const std::string most = std::to_string(tasks_.most);
    return most + (tasks_.most == 1 ? " task is" : " tasks are") +
           " pending, and runtime_options::max_pending is " + most;
  }
  return "pending tasks hold " + std::to_string(std::max(bytes_.held.load(), bytes_.most)) +
         " bytes, and runtime_options::max_pending_bytes is " + std::to_string(bytes_.most);
}

bool pending_limit::try_take() noexcept {
  std::int64_t seen = tasks_.held;
  do {
    if (seen >= tasks_.most || bytes_.is_reached()) return false;
  } while (!tasks_.held.compare_exchange_weak(seen, seen + 1));
  return true;
}

void pending_limit::wait(executor& where) {
  (void)where.wait([this](const std::shared_ptr<executor::gate>& gate) {
    {
      const std::lock_guard lock(guard_);
      // Fewer will be held again only after more than few were, and that wakes.
      if (tasks_.is_reached() || bytes_.is_reached()) {
        waiting_.push_back(gate);
        return;
      }
    }
    gate->open();
  });
}

void pending_limit::wake() noexcept {
  std::vector<std::shared_ptr<executor::gate>> due;
  {
    const std::lock_guard lock(guard_);
    due.swap(waiting_);
  }
  for (const auto& gate : due) gate->open();
}

}  // namespace hocket::detail
