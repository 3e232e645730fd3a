// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "heart/recent_median.hpp"

#include <algorithm>

namespace hocket::heart {

void recent_median::add(double sample) {
  auto end = sorted_.begin() + static_cast<std::ptrdiff_t>(count_);
  if (count_ == most) {
    // The oldest goes.
    const auto oldest = std::lower_bound(sorted_.begin(), end, last_[next_]);
    end = std::move(oldest + 1, end, oldest);
  } else {
    ++count_;
  }
  const auto place = std::upper_bound(sorted_.begin(), end, sample);
  std::move_backward(place, end, end + 1);
  *place = sample;
  last_[next_] = sample;
  next_ = (next_ + 1) % most;
}

}  // namespace hocket::heart
