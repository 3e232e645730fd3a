// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "heart/task_queue.hpp"

namespace hocket::heart {

bool task_queue::erase_behind_first(const place_in_queue& place) {
  if (others_.erase(place) > 0) return true;
  std::size_t low = 0, high = in_turn_.size();
  while (low < high) {
    const std::size_t middle = low + (high - low) / 2;
    if (in_turn_[middle].place < place) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  if (low == in_turn_.size() || in_turn_[low].place != place || in_turn_[low].gone) return false;
  in_turn_[low].gone = true;
  ++gone_;
  tidy();
  return true;
}

void task_queue::tidy() {
  for (; !in_turn_.empty() && in_turn_.front().gone; --gone_) (void)in_turn_.take_front();
  for (; !in_turn_.empty() && in_turn_.back().gone; --gone_) in_turn_.drop_back();
  // Moved together before they are the most, so that a visit costs what there is.
  if (2 * gone_ > in_turn_.size()) {
    for (std::size_t left = in_turn_.size(); left > 0; --left) {
      const entry next = in_turn_.take_front();
      if (!next.gone) in_turn_.push_back(next);
    }
    gone_ = 0;
  }
  if (in_turn_.empty()) in_turn_.shrink();
}

}  // namespace hocket::heart
