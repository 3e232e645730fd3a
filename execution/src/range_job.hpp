// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <exception>
#include <functional>
#include <thread>
#include <utility>

#include "item_context.hpp"

namespace hocket {

/// One call of for_ranges: its caller and helpers claim pieces one after another. The caller waits
/// only for pieces that were begun, never for a helper that has not come.
class range_job {
 public:
  using function = std::function<void(std::size_t, std::size_t)>;

  range_job(std::size_t count, std::size_t grain, const function& piece)
      : count_(count), grain_(grain), pieces_((count - 1) / grain + 1), piece_(piece) {}

  [[nodiscard]] std::size_t pieces() const noexcept { return pieces_; }

  /// Runs pieces until none is left to claim.
  void help(const item_context& context) noexcept {
    const context_scope scope(context);
    for (;;) {
      // Relaxed: the claim is all there is to it; ended_ orders what the pieces do.
      const std::size_t index = next_.fetch_add(1, std::memory_order_relaxed);
      if (index >= pieces_) return;
      run(index);
      // Release: pairs with the acquire in wait().
      if (ended_.fetch_add(1, std::memory_order_release) + 1 == pieces_) ended_.notify_one();
    }
  }

  /// Only for the caller, after help(): waits for pieces that others have begun.
  void wait() {
    // A piece that was begun is mostly about to end, and to be woken costs longer than this.
    for (int i = 0; i < 100 && !ended(); ++i) std::this_thread::yield();
    std::size_t seen = 0;
    // Pairs with the release in help().
    while ((seen = ended_.load(std::memory_order_acquire)) != pieces_) {
      ended_.wait(seen, std::memory_order_acquire);
    }
    if (thrown_) std::rethrow_exception(std::exchange(thrown_, nullptr));
  }

 private:
  [[nodiscard]] bool ended() const noexcept {
    // Pairs with the release in help().
    return ended_.load(std::memory_order_acquire) == pieces_;
  }

  void run(std::size_t index) noexcept {
    // Relaxed: pieces after a failure need not be run, but may.
    if (failed_.load(std::memory_order_relaxed)) return;
    try {
      piece_(index * grain_, index + 1 == pieces_ ? count_ : (index + 1) * grain_);
    } catch (...) {
      // Relaxed: who is first writes thrown_, and ended_ orders that before wait() reads it.
      if (!failed_.exchange(true, std::memory_order_relaxed)) thrown_ = std::current_exception();
    }
  }

  const std::size_t count_;
  const std::size_t grain_;
  const std::size_t pieces_;
  const function& piece_;  // touched for claimed pieces only: the caller waits for those
  std::exception_ptr thrown_;
  std::atomic<bool> failed_ = false;
  alignas(64) std::atomic<std::size_t> next_ = 0;
  alignas(64) std::atomic<std::size_t> ended_ = 0;
};

}  // namespace hocket
