// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>

#include <hocket/execution/executor.hpp>

#include "carried_state.hpp"
#include "node_queue.hpp"
#include "suspension.hpp"

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

/// A gate that an item is suspended at.
class suspending_gate final : public executor::gate {
 public:
  suspending_gate(node_queue& queue, suspendable_item& item) noexcept
      : queue_(queue), item_(item) {}

  void open() noexcept override {
    if (at_.open()) queue_.post_resumed(&item_);
  }
  void expire() noexcept {
    if (at_.expire()) queue_.post_resumed(&item_);
  }
  [[nodiscard]] bool opened() const noexcept { return at_.opened(); }

  /// Only in the item. Returns when it is gone on with.
  void suspend() noexcept {
    item_.waits_at = &at_;
    const carried_state own = carried_state::take();
    item_.stack->leave();
    own.put_back();
  }

 private:
  node_queue& queue_;
  suspendable_item& item_;
  suspension<> at_;
};

}  // namespace hocket
