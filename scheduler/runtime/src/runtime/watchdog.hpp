// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <string>

#include <hocket/core/duration.hpp>
#include <hocket/execution/pump.hpp>
#include <hocket/scheduler/pending.hpp>

namespace hocket::detail {

/// Prints on standard error what is pending in a runtime when nothing has ended for some time:
/// once, and again when the list is another one. It has a thread of its own, which looks four times
/// in that time, and so needs no free worker.
class watchdog {
 public:
  using list_pending = std::function<pending_report()>;

  watchdog(nanoseconds patience, list_pending list);
  watchdog(const watchdog&) = delete;
  watchdog& operator=(const watchdog&) = delete;
  /// Returns when the thread has ended.
  ~watchdog() = default;

  /// One more task has ended.
  void count_end() noexcept {
    // Only a number that changes: relaxed.
    ended_.fetch_add(1, std::memory_order_relaxed);
  }

  /// What option or variable says, zero if neither does. Throws usage_error.
  [[nodiscard]] static nanoseconds patience_of(nanoseconds option);

 private:
  void look();
  void look_later();

  const nanoseconds patience_;
  const list_pending list_;
  std::atomic<std::uint64_t> ended_{0};

  // Of the thread.
  std::uint64_t ended_before_ = 0;
  pump::clock::time_point last_end_ = pump::clock::now();
  std::string said_;

  pump thread_{"hocket watchdog"};  // last: it uses the others
};

}  // namespace hocket::detail
