// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <cassert>
#include <cstdint>
#include <utility>

#include <hocket/execution/inbox.hpp>

namespace hocket::detail {

/// What waits for one event, from many threads, lock-free and without allocating: nodes are pushed
/// while the list is open; closing it gives every node that was pushed, once, oldest first. That
/// the list is closed is also the mark that the event has happened.
///
/// Node has a member `link`, of type Atomics::plain<Node*>.
template <class Node, class Atomics = real_atomics>
class continuation_list {
 public:
  continuation_list() noexcept = default;
  continuation_list(const continuation_list&) = delete;
  continuation_list& operator=(const continuation_list&) = delete;

  [[nodiscard]] bool closed() const noexcept {
    // Pairs with the release in close(): a thread that sees the list closed sees what was
    // written before.
    return head_.load(std::memory_order_acquire) == closed_mark();
  }

  /// The event has not happened again. Only for a thread that knows that no other knows the list.
  void reopen() noexcept {
    // What makes the list known to others publishes this: relaxed.
    head_.store(nullptr, std::memory_order_relaxed);
  }

  /// True if nothing was pushed. Only for a thread that knows that no other knows the list any
  /// more.
  [[nodiscard]] bool untouched() const noexcept {
    // A thread that knows that has seen what those did before: relaxed.
    return head_.load(std::memory_order_relaxed) == nullptr;
  }

  /// The node that was pushed last; `link` leads to the older ones. Null if there is none, or if
  /// the list is closed. Only for a thread that knows that the list is not closed
  /// meanwhile.
  [[nodiscard]] Node* newest() const noexcept {
    // Pairs with the release in push(), so that the nodes can be read.
    Node* const head = head_.load(std::memory_order_acquire);
    return head == closed_mark() ? nullptr : head;
  }

  /// Returns false, and leaves the node alone, if the list is closed. Until it is closed the node
  /// must live.
  [[nodiscard]] bool push(Node& node) noexcept {
    // Pairs with the release in close(), for the caller that learns here that it has happened.
    Node* seen = head_.load(std::memory_order_acquire);
    do {
      if (seen == closed_mark()) return false;
      node.link = seen;
      // Release: pairs with the acquire in close(), which reads the node. Acquire, where it fails:
      // as for the load above.
    } while (!head_.compare_exchange_weak(seen, &node, std::memory_order_release,
                                          std::memory_order_acquire));
    return true;
  }

  /// Returns the oldest node; `link` leads to the newer ones. To be called once.
  [[nodiscard]] Node* close() noexcept { return oldest_first(close_as_pushed()); }

  /// The same in two halves, of which the second is needed only where there is something.
  [[nodiscard]] Node* close_as_pushed() noexcept {
    // Acquire: pairs with the release in push(). Release: pairs with the acquire in closed().
    Node* const newest = head_.exchange(closed_mark(), std::memory_order_acq_rel);
    assert(newest != closed_mark());
    return newest;
  }
  [[nodiscard]] static Node* oldest_first(Node* newest) noexcept {
    Node* oldest = nullptr;
    while (newest != nullptr) {
      Node* const before = newest->link;
      newest->link = oldest;
      oldest = std::exchange(newest, before);
    }
    return oldest;
  }

 private:
  /// An address that no node has.
  static Node* closed_mark() noexcept {
    return reinterpret_cast<Node*>(std::uintptr_t{1});  // NOLINT(performance-no-int-to-ptr)
  }

  typename Atomics::template atomic<Node*> head_{nullptr};
};

}  // namespace hocket::detail
