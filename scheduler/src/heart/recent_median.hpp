// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <cstddef>
#include <vector>

namespace hocket::heart {

/// The median of the last few samples. A few outliers (a first call, a page fault) never reach it.
class recent_median {
 public:
  void add(double sample);

  /// Of an even number of samples the lower middle one. There must be one.
  [[nodiscard]] double value() const noexcept { return median_; }

 private:
  std::vector<double> last_;  ///< a ring
  std::size_t next_ = 0;
  double median_ = 0;
};

}  // namespace hocket::heart
