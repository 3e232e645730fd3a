// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <atomic>
#include <cstdint>

#include <hocket/execution/inbox.hpp>

namespace hocket {

/// Three parties meet where an item is suspended: the worker that leaves the item's stack, who
/// opens the gate, and the timer. The second of the worker and one of the others goes on with it.
template <class Atomics = real_atomics>
class suspension {
 public:
  /// The worker has left the stack. Returns true if somebody else will go on with the item, or has
  /// done so already: this may be gone then. Returns false if the caller has to.
  [[nodiscard]] bool left() noexcept {
    stage seen = stage::running;
    // Release: pairs with the acquire in finish(), whose caller goes on with what was left here.
    // Acquire: pairs with the release in finish(), for the other order.
    return stage_.compare_exchange_strong(seen, stage::suspended, std::memory_order_release,
                                          std::memory_order_acquire);
  }

  /// Returns true if the caller has to go on with the item.
  [[nodiscard]] bool open() noexcept { return finish(stage::opened); }
  [[nodiscard]] bool expire() noexcept { return finish(stage::expired); }

  [[nodiscard]] bool opened() const noexcept {
    // Pairs with the release in finish(): what was done before open() is visible to the waiter.
    return stage_.load(std::memory_order_acquire) == stage::opened;
  }

 private:
  enum class stage : std::uint8_t { running, suspended, opened, expired };

  [[nodiscard]] bool finish(stage last) noexcept {
    stage seen = stage_.load(std::memory_order_relaxed);
    do {
      if (seen == stage::opened || seen == stage::expired) return false;
      // Release: pairs with opened() and left(). Acquire: pairs with left().
    } while (!stage_.compare_exchange_weak(seen, last, std::memory_order_acq_rel,
                                           std::memory_order_relaxed));
    return seen == stage::suspended;
  }

  typename Atomics::template atomic<stage> stage_ = stage::running;
};

}  // namespace hocket
