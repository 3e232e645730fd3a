// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "gpu/events.hpp"

#include "gpu/errors.hpp"

namespace hocket::gpu {

event_ref event_pool::take(code& answer) {
  event_handle found = nullptr;
  answer = success;
  {
    const std::lock_guard lock(guard_);
    if (!unused_.empty()) {
      found = unused_.back();
      unused_.pop_back();
    }
  }
  if (found == nullptr) answer = driver_.event_create(&found, event_blocking_sync);
  if (answer != success) return nullptr;
  return {found, [this](event_handle event) { give_back(event); }};
}

void event_pool::give_back(event_handle event) {
  const std::lock_guard lock(guard_);
  unused_.push_back(event);
}

void event_pool::clear() noexcept {
  const std::lock_guard lock(guard_);
  if (!driver_.gone) {
    for (const event_handle event : unused_) (void)driver_.event_destroy(event);
  }
  unused_.clear();
}

}  // namespace hocket::gpu
