// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#pragma once

#include <chrono>
#include <cstddef>
#include <utility>

#include "placement/worklist.hpp"

namespace hocket::placement {

/// A recovery waits for open views that use what it would have to change: a thread that fills a
/// buffer closes its view soon. For one second in all, because a view may stay open for ever, and a
/// thread that has one open may wait for what the recovery holds back.
class view_patience {
 public:
  explicit view_patience(worklist& work) : work_(work) {}

  [[nodiscard]] bool is_over() const noexcept { return is_over_; }
  /// A view is in the way of the recovery.
  void begin() {
    if (std::exchange(has_begun_, true)) return;
    ++timers_;
    work_.actions().emplace_back(await_time{timed_part::view, std::chrono::seconds(1)});
  }
  void time_passed() noexcept {
    // Earlier recoveries may have left a timer.
    if (--timers_ == 0 && has_begun_) is_over_ = true;
  }
  /// The recovery has ended.
  void end() noexcept { has_begun_ = is_over_ = false; }

 private:
  worklist& work_;
  std::size_t timers_ = 0;
  bool has_begun_ = false;
  bool is_over_ = false;
};

}  // namespace hocket::placement
