// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>

namespace hocket {

/// Says how many of the next items of a worker are to be the oldest that wait, or items that post
/// items could keep all others waiting for ever: one in a lap, and half of a lap where an item has
/// waited for long. Only for that worker.
class oldest_first {
 public:
  using clock = std::chrono::steady_clock;

  static constexpr std::size_t items_in_a_lap = 32;
  static constexpr std::chrono::milliseconds long_wait{10};

  /// A lap begins. Deque: the worker's own items. others_wait: whether items wait that are in no
  /// deque.
  template <class Deque>
  void begin_lap(clock::time_point now, const Deque& own, bool others_wait) noexcept {
    left_ = has_waited_long(now, own, others_wait) ? items_in_a_lap / 2 : 1;
  }
  /// For a worker without items of its own.
  void begin_lap() noexcept { left_ = 1; }

  /// True if the oldest item goes before others, but for urgent and resumed ones.
  [[nodiscard]] bool is_due() const noexcept { return left_ != 0; }
  /// A resumed item was taken.
  void pass_over() noexcept {
    if (left_ != 0) ++passed_over_;
  }
  /// True if as many of these as a lap has went before it: it goes before them now.
  [[nodiscard]] bool is_overdue() const noexcept { return passed_over_ >= items_in_a_lap; }

  /// The worker takes the oldest item. Returns how often it has before.
  std::uint32_t count() noexcept {
    passed_over_ = 0;
    if (left_ != 0) --left_;
    return taken_++;
  }
  /// Nothing waits.
  void drop() noexcept {
    passed_over_ = 0;
    some_wait_ = false;
    left_ = 0;
  }

 private:
  /// Items below the lowest bottom of the deque that was seen have been there ever since.
  template <class Deque>
  [[nodiscard]] bool has_waited_long(clock::time_point now, const Deque& own,
                                     bool others_wait) noexcept {
    lowest_ = std::min(lowest_, own.bottom());
    if (!some_wait_ || (!others_wait && own.top() >= lowest_)) {
      some_wait_ = true;
      since_ = now;
      lowest_ = own.bottom();
    }
    return now - since_ >= long_wait;
  }

  std::size_t left_ = 0;
  std::size_t passed_over_ = 0;
  std::uint32_t taken_ = 0;
  bool some_wait_ = false;  // some items: since since_
  std::int64_t lowest_ = 0;
  clock::time_point since_{};
};

}  // namespace hocket
