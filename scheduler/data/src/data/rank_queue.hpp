// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <cstdint>
#include <set>
#include <tuple>
#include <utility>

#include <hocket/core/ring.hpp>

namespace hocket::detail {

/// The place of a task among others.
template <class Task, class Rank = std::int64_t>
struct ranked {
  Rank rank = {};         ///< lower first
  std::uint64_t age = 0;  ///< lower first; no two tasks have the same
  Task task = {};

  friend bool operator==(const ranked& a, const ranked& b) noexcept {
    return a.rank == b.rank && a.age == b.age;
  }
  friend auto operator<=>(const ranked& a, const ranked& b) noexcept {
    return std::tie(a.rank, a.age) <=> std::tie(b.rank, b.age);
  }
};

/// A queue of tasks in the order of (rank, age). Task is what names a task. Appending in that order
/// and removing from the front take a few instructions; everything else costs a search.
template <class Task, class Rank = std::int64_t>
class rank_queue {
 public:
  using place_in_queue = ranked<Task, Rank>;

  [[nodiscard]] bool empty() const noexcept { return in_turn_.empty() && others_.empty(); }

  /// The first one, if it is known without a search.
  [[nodiscard]] const place_in_queue* first_in_turn() const noexcept {
    return in_turn_.empty() || !others_.empty() ? nullptr : &in_turn_.front().place;
  }

  /// The first one; null if there is none.
  [[nodiscard]] const place_in_queue* first() const {
    if (others_.empty()) return first_in_turn();
    if (in_turn_.empty() || *others_.begin() < in_turn_.front().place) return &*others_.begin();
    return &in_turn_.front().place;
  }

  void insert(const place_in_queue& place) {
    if (in_turn_.empty() || in_turn_.back().place < place) {
      in_turn_.push_back({place, false});
    } else {
      others_.insert(place);
    }
  }

  /// Returns whether it was there.
  bool erase(const place_in_queue& place) {
    if (in_turn_.empty() || in_turn_.front().place != place) return erase_behind_first(place);
    (void)in_turn_.take_front();
    tidy();
    return true;
  }

  /// Calls visit(place), in order, until it returns true. Returns whether it did. The queue must
  /// not change meanwhile.
  template <class Visit>
  bool until(const Visit& visit) const {
    auto other = others_.begin();
    for (std::size_t i = 0; i < in_turn_.size(); ++i) {
      const entry& next = in_turn_[i];
      for (; other != others_.end() && *other < next.place; ++other) {
        if (visit(*other)) return true;
      }
      if (!next.gone && visit(next.place)) return true;
    }
    for (; other != others_.end(); ++other) {
      if (visit(*other)) return true;
    }
    return false;
  }

  /// The same from the last one to the first.
  template <class Visit>
  bool until_from_last(const Visit& visit) const {
    auto other = others_.rbegin();
    for (std::size_t i = in_turn_.size(); i-- > 0;) {
      const entry& next = in_turn_[i];
      for (; other != others_.rend() && next.place < *other; ++other) {
        if (visit(*other)) return true;
      }
      if (!next.gone && visit(next.place)) return true;
    }
    for (; other != others_.rend(); ++other) {
      if (visit(*other)) return true;
    }
    return false;
  }

 private:
  struct entry {
    place_in_queue place;
    bool gone = false;  ///< erased; the entry stays until it is the first or the last
  };

  [[gnu::noinline]] bool erase_behind_first(const place_in_queue& place) {
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

  void tidy() {
    if (gone_ == 0) {
      if (in_turn_.empty()) in_turn_.shrink();
      return;
    }
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

  ring<entry> in_turn_;  ///< neither the first nor the last of them is gone
  std::size_t gone_ = 0;
  std::set<place_in_queue> others_;
};

}  // namespace hocket::detail
