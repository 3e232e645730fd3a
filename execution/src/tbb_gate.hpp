// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <oneapi/tbb/task.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>

#include <hocket/execution/executor.hpp>

namespace hocket {

/// A gate that a thread waits at by sleeping.
class parking_gate final : public executor::gate {
 public:
  void open() noexcept override {
    const std::lock_guard lock(mutex_);
    opened_ = true;
    changed_.notify_one();
  }

  void wait() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return opened_; });
  }
  [[nodiscard]] bool wait_until(std::chrono::steady_clock::time_point until) {
    std::unique_lock lock(mutex_);
    return changed_.wait_until(lock, until, [this] { return opened_; });
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool opened_ = false;
};

/// A gate that an item is suspended at. Three parties meet at it: the item that is being suspended,
/// who opens it, and the timer. Whoever comes second of the item and one of the others resumes.
class suspending_gate final : public executor::gate {
 public:
  void open() noexcept override { finish(stage::opened); }
  void expire() noexcept { finish(stage::expired); }

  [[nodiscard]] bool opened() const noexcept {
    // Pairs with the release in finish(): what was done before open() is visible to the waiter.
    return stage_.load(std::memory_order_acquire) == stage::opened;
  }

  /// Called when the stack of the item is left: from here on anybody may resume it, and its frame,
  /// with what it refers to, may be gone before this returns.
  void left_at(tbb::task::suspend_point point) noexcept {
    point_ = point;
    stage seen = stage::running;
    // Release: pairs with the acquire in finish(), which reads point_.
    if (!stage_.compare_exchange_strong(seen, stage::suspended, std::memory_order_acq_rel,
                                        std::memory_order_relaxed)) {
      tbb::task::resume(point);
    }
  }

 private:
  enum class stage : std::uint8_t { running, suspended, opened, expired };

  void finish(stage last) noexcept {
    stage seen = stage_.load(std::memory_order_relaxed);
    do {
      if (seen == stage::opened || seen == stage::expired) return;
      // Release: pairs with opened(). Acquire: pairs with left_at().
    } while (!stage_.compare_exchange_weak(seen, last, std::memory_order_acq_rel,
                                           std::memory_order_relaxed));
    if (seen == stage::suspended) tbb::task::resume(point_);
  }

  std::atomic<stage> stage_ = stage::running;
  tbb::task::suspend_point point_ = nullptr;
};

}  // namespace hocket
