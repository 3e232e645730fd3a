// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "graphs/run_outcome.hpp"

#include <new>
#include <utility>

namespace hocket::detail {

run_outcome::verdict run_outcome::verdict_on(std::uint32_t node) noexcept {
  // Acquire: pairs with fail(), for the array of what is poisoned.
  const std::uint8_t now = mode_.load(std::memory_order_acquire);
  // Relaxed: pairs with poison(); the arrival of the predecessor lies between.
  if ((now & failed_bit) != 0 && poisoned_[node].load(std::memory_order_relaxed)) {
    return verdict::is_poisoned;
  }
  if ((now & cancelled_bit) == 0) return verdict::is_called;
  has_skipped_ = true;
  return verdict::is_cancelled;
}

void run_outcome::fail(std::uint32_t node, failure why, std::size_t functions) noexcept {
  const std::lock_guard lock(guard_);
  if (node < first_failed_) {
    first_failed_ = node;
    first_failure_ = std::move(why);
  }
  if (poisoned_ == nullptr) poisoned_.reset(new (std::nothrow) std::atomic<bool>[functions]());
  // Without memory to know which ones do not run, none does. Release: pairs with verdict_on().
  mode_.fetch_or(poisoned_ == nullptr ? cancelled_bit : failed_bit, std::memory_order_release);
}

failure run_outcome::first_failure() {
  // Relaxed: as in is_plain().
  const std::uint8_t failed = failed_bit | cancelled_bit;
  if ((mode_.load(std::memory_order_relaxed) & failed) == 0) return {};
  const std::lock_guard lock(guard_);
  return first_failure_;
}

}  // namespace hocket::detail
