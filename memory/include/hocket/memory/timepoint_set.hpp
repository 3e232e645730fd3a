// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <algorithm>

#include <hocket/core/short_list.hpp>
#include <hocket/core/timepoint.hpp>

namespace hocket {

/// Points that something waits for: at most one for each stream (the latest), sorted by stream.
class timepoint_set {
 public:
  /// An invalid timepoint is left out.
  void add(point t) {
    if (!t.valid()) return;
    if (points_.empty() || points_.back().stream < t.stream) {
      points_.push_back(t);
    } else if (points_.back().stream == t.stream) {
      points_.back().value = std::max(points_.back().value, t.value);
    } else {
      add_before_last(t);
    }
  }
  void add(const timepoint_set& others) {
    if (points_.empty()) {
      points_ = others.points_;
    } else {
      for (const point t : others) add(t);
    }
  }

  /// Drops the timepoints for which done(timepoint) is true.
  template <class Done>
  void prune(Done&& done) {
    const auto kept = std::remove_if(points_.begin(), points_.end(), done);
    points_.shrink(static_cast<std::size_t>(kept - points_.begin()));
  }
  void clear() noexcept { points_.clear(); }

  [[nodiscard]] bool empty() const noexcept { return points_.empty(); }
  [[nodiscard]] std::size_t size() const noexcept { return points_.size(); }
  [[nodiscard]] const point* begin() const noexcept { return points_.begin(); }
  [[nodiscard]] const point* end() const noexcept { return points_.end(); }
  friend bool operator==(const timepoint_set&, const timepoint_set&) = default;

 private:
  void add_before_last(point t);

  short_list<point, 4> points_;
};

}  // namespace hocket
