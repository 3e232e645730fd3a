// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <cstddef>
#include <cstdint>

#include <hocket/execution/inbox.hpp>

namespace hocket::detail {

/// How many threads take part in a run, and how many were sent for and have not come, in one word.
///
/// No stock is left without a thread: a thread that leaves some behind calls leave() and then
/// wants_more(), and one that has found none calls leave(has_stock). So either the first one sees
/// that the other has left, or the other one sees the stock.
template <class Atomics = real_atomics>
class run_workers {
 public:
  static constexpr std::size_t most = 1U << 15U;

  explicit run_workers(std::size_t workers) : workers_(workers) {}

  void send_for() noexcept { word_.fetch_add(one_sent_for); }

  /// One that was sent for does not come.
  void send_for_no_more() noexcept { word_.fetch_sub(one_sent_for); }

  /// One that was sent for is here, or another one has come of itself. Returns true if it is to
  /// take part, false if there are enough. It calls leave() in any case.
  [[nodiscard]] bool arrive() noexcept {
    return word_.fetch_sub(one_sent_for - one_active) % one_sent_for < workers_;
  }
  [[nodiscard]] bool join() noexcept {
    return word_.fetch_add(one_active) % one_sent_for < workers_;
  }
  void leave() noexcept { word_.fetch_sub(one_active); }
  /// The same. Returns true if another one should be sent for: has_stock(), which looks for stock,
  /// finds some, and there are too few.
  template <class HasStock>
  [[nodiscard]] bool leave(const HasStock& has_stock) noexcept {
    leave();
    return has_stock() && wants_more();
  }
  /// A worker that has left goes on, whether there are enough or not.
  void come_back() noexcept { word_.fetch_add(one_active); }

  /// True if another one should be sent for, where there is stock.
  [[nodiscard]] bool wants_more() const noexcept {
    // Relaxed: after leave() it reads that or something later, and otherwise a worker too many
    // finds nothing and leaves; one too few is sent for next time.
    return lacks_workers(word_.load(std::memory_order_relaxed));
  }
  /// The same for a thread that takes no part in the run, and has put something in stock by a
  /// sequentially consistent operation: either it sees here that a worker has left, or that worker
  /// sees the stock.
  [[nodiscard]] bool wants_more_now() const noexcept { return lacks_workers(word_.load()); }

 private:
  static constexpr std::uint32_t one_active = 1;
  static constexpr std::uint32_t one_sent_for = 1U << 16U;

  [[nodiscard]] bool lacks_workers(std::uint32_t word) const noexcept {
    return word % one_sent_for + word / one_sent_for < workers_;
  }

  std::size_t workers_;
  typename Atomics::template atomic<std::uint32_t> word_{0};
};

}  // namespace hocket::detail
