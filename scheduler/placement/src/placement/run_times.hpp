// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <algorithm>

#include <hocket/core/duration.hpp>

namespace hocket::placement {

/// When the launches of a runtime began and ended, and the longest chain of them.
class run_times {
 public:
  void launch_ended(time_stamp begin, time_stamp end) noexcept {
    first_ = std::min(first_, begin);
    last_ = std::max(last_, end);
  }
  /// A chain of tasks takes so long where each has its fastest device.
  void chain_ended(nanoseconds length) noexcept { chain_ = std::max(chain_, length); }

  /// From the begin of the first launch to the end of the last.
  [[nodiscard]] nanoseconds makespan() const noexcept {
    return last_ < first_ ? nanoseconds{0} : last_ - first_;
  }
  [[nodiscard]] nanoseconds longest_chain() const noexcept { return chain_; }

 private:
  time_stamp first_ = time_stamp::max();
  time_stamp last_{};
  nanoseconds chain_{0};
};

}  // namespace hocket::placement
