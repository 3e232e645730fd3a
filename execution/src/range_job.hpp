// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>

#include <hocket/execution/executor.hpp>
#include <hocket/execution/item_local.hpp>

namespace hocket {

/// One call of for_ranges: its caller and helpers claim pieces one after another. The caller waits
/// only for pieces that were begun, never for a helper that has not come. A piece may be suspended
/// in the item that runs it.
class range_job {
 public:
  using function = std::function<void(std::size_t, std::size_t)>;

  /// Called by the caller of for_ranges: pieces get its item-local pointer, and so its notes.
  range_job(std::size_t count, std::size_t grain, const function& piece)
      : count_(count),
        grain_(grain),
        pieces_((count - 1) / grain + 1),
        piece_(piece),
        local_(item_local()) {}

  [[nodiscard]] std::size_t pieces() const noexcept { return pieces_; }

  /// Runs pieces until none is left to claim.
  void help() noexcept {
    for (;;) {
      // Relaxed: the claim is all there is to it; ended_ orders what the pieces do.
      const std::size_t index = next_.fetch_add(1, std::memory_order_relaxed);
      if (index >= pieces_) return;
      void* const own = item_local();
      set_item_local(local_);
      run(index);
      set_item_local(own);
      // Release: pairs with the acquires here and in ended(). Acquire: the gate of the caller,
      // which the last piece opens, passes on what all pieces wrote.
      if (ended_.fetch_add(1, std::memory_order_acq_rel) + 1 == pieces_) tell();
    }
  }

  /// Only for the caller, after help(): waits for pieces that others have begun.
  void wait(executor& where) {
    // A piece that was begun is mostly about to end, and to be woken costs longer than this.
    for (int i = 0; i < 100 && !ended(); ++i) std::this_thread::yield();
    if (!ended()) {
      try {
        where.wait([this](std::shared_ptr<executor::gate> gate) { arm(std::move(gate)); });
      } catch (...) {
        // The caller cannot be suspended for want of memory, and must not leave running pieces.
        while (!ended()) std::this_thread::sleep_for(std::chrono::microseconds(50));
      }
    }
    if (thrown_) std::rethrow_exception(std::exchange(thrown_, nullptr));
  }

 private:
  [[nodiscard]] bool ended() const noexcept {
    // Pairs with the release in help().
    return ended_.load(std::memory_order_acquire) == pieces_;
  }

  void arm(std::shared_ptr<executor::gate> gate) {
    {
      const std::lock_guard lock(guard_);
      if (!ended()) {
        gate_ = std::move(gate);
        return;
      }
    }
    gate->open();
  }

  /// All pieces have ended.
  void tell() noexcept {
    std::shared_ptr<executor::gate> gate;
    {
      const std::lock_guard lock(guard_);
      gate = std::move(gate_);
    }
    if (gate) gate->open();
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
  void* const local_;      // the same holds
  std::exception_ptr thrown_;
  std::mutex guard_;                      // for what follows
  std::shared_ptr<executor::gate> gate_;  // of the caller, once it waits
  std::atomic<bool> failed_ = false;
  alignas(64) std::atomic<std::size_t> next_ = 0;
  alignas(64) std::atomic<std::size_t> ended_ = 0;
};

}  // namespace hocket
