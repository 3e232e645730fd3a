// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <algorithm>

#include <hocket/core/duration.hpp>
#include <hocket/devices/prediction.hpp>

namespace hocket::placement {

/// Sums are cut to this, so that a few of them can be added.
inline constexpr nanoseconds longest_sum = 10 * longest_time;

/// The value is not negative. The result is at most longest_time.
[[nodiscard]] inline nanoseconds rounded(double count) noexcept { return limited_time(count); }

[[nodiscard]] inline double count(nanoseconds time) noexcept {
  return static_cast<double>(time.count());
}

/// At most longest_sum; neither of the two is more.
[[nodiscard]] inline nanoseconds limited_sum(nanoseconds a, nanoseconds b) noexcept {
  return std::min(a + b, longest_sum);
}

/// The sum of times that are added and taken away again. It is exact, however many there are.
class time_sum {
 public:
  void add(nanoseconds time) noexcept { sum_ += time.count(); }
  void take_away(nanoseconds time) noexcept { sum_ -= time.count(); }
  void clear() noexcept { sum_ = 0; }

  /// At most longest_sum.
  [[nodiscard]] nanoseconds value() const noexcept {
    return sum_ < longest_sum.count() ? nanoseconds(static_cast<nanoseconds::rep>(sum_))
                                      : longest_sum;
  }

 private:
  __extension__ using wide_count = __int128;

  wide_count sum_ = 0;
};

}  // namespace hocket::placement
