// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "pending_limit.hpp"

namespace hocket::detail {

bool pending_limit::try_take() noexcept {
  std::size_t seen = pending_;
  do {
    if (seen >= most_) return false;
  } while (!pending_.compare_exchange_weak(seen, seen + 1));
  return true;
}

void pending_limit::wait(executor& where) {
  (void)where.wait([this](const std::shared_ptr<executor::gate>& gate) {
    {
      const std::lock_guard lock(guard_);
      // Fewer will be pending again only after more than few_ were, and that wakes.
      if (pending_ >= most_) {
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
