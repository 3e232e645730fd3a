// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "heart/recent_median.hpp"

#include <algorithm>

namespace hocket::heart {

namespace {

constexpr std::size_t kept = 15;

}  // namespace

void recent_median::add(double sample) {
  if (last_.size() < kept) {
    last_.push_back(sample);
  } else {
    last_[next_] = sample;
    next_ = (next_ + 1) % kept;
  }
  std::vector<double> sorted = last_;
  const auto middle = sorted.begin() + static_cast<std::ptrdiff_t>((sorted.size() - 1) / 2);
  std::nth_element(sorted.begin(), middle, sorted.end());
  median_ = *middle;
}

}  // namespace hocket::heart
