// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "placement/recent_median.hpp"

#include <algorithm>
#include <cmath>

namespace hocket::placement {

void recent_median::add(double sample) {
  insert(sample);
  if (count_ <= few || !has_changed()) return;
  const std::array<double, few> latest{last(2), last(1), last(0)};
  count_ = next_ = 0;
  for (const double each : latest) insert(each);
}

bool recent_median::has_changed() const noexcept {
  const double usual = value();
  bool all_above = true, all_below = true;
  for (std::size_t back = 0; back < few; ++back) {
    all_above = all_above && last(back) > usual * far_away;
    all_below = all_below && last(back) * far_away < usual;
  }
  return all_above || all_below;
}

void recent_median::insert(double sample) {
  // The new one takes the place of the oldest, or the one behind the last, and goes on from there.
  std::size_t at = count_;
  if (count_ == most) {
    const auto oldest = std::lower_bound(sorted_.begin(), sorted_.end(), last_[next_]);
    at = static_cast<std::size_t>(oldest - sorted_.begin());
  } else {
    ++count_;
  }
  for (; at + 1 < count_ && sorted_[at + 1] < sample; ++at) sorted_[at] = sorted_[at + 1];
  for (; at > 0 && sorted_[at - 1] > sample; --at) sorted_[at] = sorted_[at - 1];
  sorted_[at] = sample;
  last_[next_] = sample;
  next_ = next_ + 1 == most ? 0 : next_ + 1;
}

bool recent_median::changes_by(double sample, bool comes_often) {
  const double before = empty() ? 1.0 : value();
  comes_often ? add_some(sample) : add(sample);
  // The second one may be the first that is believed.
  return count_ == 2 || std::abs(value() - before) > before / 8;
}

}  // namespace hocket::placement
