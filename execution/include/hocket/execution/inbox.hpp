// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <atomic>
#include <cassert>
#include <cstddef>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>

namespace hocket {

/// The atomics a lock-free piece is built from. Tests put others in their place, which search all
/// interleavings and check that every plain access is ordered.
struct real_atomics {
  template <class T>
  using atomic = std::atomic<T>;
  template <class T>
  using plain = T;
};

/// Memory of the heap for one T, as an inbox asks for it.
struct heap_memory {
  template <class T>
  [[nodiscard]] static void* take_for() {
    return ::operator new(sizeof(T));
  }
  template <class T>
  static void give_back_for(void* place) noexcept {
    ::operator delete(place);
  }
};

/// Values from many producers to one consumer at a time, first in first out for each producer.
/// Pushing is lock-free and takes memory once. The inbox also knows whether it has a consumer: who
/// pushes into one that is not attended becomes its consumer, until leave() succeeds.
template <class T, class Atomics = real_atomics, class Memory = heap_memory>
class inbox {
 public:
  inbox() noexcept : head_(&away_) {}
  inbox(const inbox&) = delete;
  inbox& operator=(const inbox&) = delete;
  ~inbox() {
    while (!leave()) (void)pop();
  }

  /// Returns true if nobody attended the inbox: the caller is its consumer now.
  [[nodiscard]] bool push(T&& value) {
    auto fresh = std::make_unique<node>(std::move(value));
    link* seen = head_.load(std::memory_order_relaxed);
    do {
      fresh->next = seen == &away_ ? nullptr : seen;
      // Release: pairs with the acquire in pop(), which reads the node. Acquire: pairs with the
      // release in leave(), so that the new consumer sees what the last one did.
    } while (!head_.compare_exchange_weak(seen, fresh.get(), std::memory_order_acq_rel,
                                          std::memory_order_relaxed));
    (void)fresh.release();
    return seen == &away_;
  }

  /// The caller becomes the consumer, if there is none, and has nothing to allocate for a value
  /// that it can deal with itself. Returns whether it did; then nothing was left.
  [[nodiscard]] bool poll() noexcept {
    link* seen = &away_;
    // As in push(). Release: pairs with the acquire of a push() that comes while the caller
    // attends; its thread sees what the caller did before, although no value passes between them.
    // Where it fails nothing is read: relaxed.
    return head_.load(std::memory_order_relaxed) == seen &&
           head_.compare_exchange_strong(seen, nullptr, std::memory_order_acq_rel,
                                         std::memory_order_relaxed);
  }

  /// Only for the consumer: stops attending if nothing is left, and returns whether it did.
  [[nodiscard]] bool leave() noexcept {
    if (ready_ != nullptr) return false;
    link* seen = head_.load(std::memory_order_relaxed);
    if (seen == &away_) return true;
    // Release: pairs with the acquire in push(). Where it fails nothing is read: relaxed.
    return seen == nullptr && head_.compare_exchange_strong(seen, &away_, std::memory_order_release,
                                                            std::memory_order_relaxed);
  }

  /// Only for the consumer: true if nothing is left at the moment. It goes on attending.
  [[nodiscard]] bool empty() const noexcept {
    // Relaxed: pop() reads what is found.
    return ready_ == nullptr && head_.load(std::memory_order_relaxed) == nullptr;
  }

  /// For any thread. False once a consumer has left: it then touches the inbox no more.
  [[nodiscard]] bool attended() const noexcept {
    // Pairs with the release in leave().
    return head_.load(std::memory_order_acquire) != &away_;
  }

  /// Only for the consumer, after leave() has returned false.
  [[nodiscard]] T pop() noexcept(std::is_nothrow_move_constructible_v<T>) {
    if (ready_ == nullptr) {
      // Pairs with the release in push(). Later pushes continue the release sequence of earlier
      // ones, so that reading the newest head makes all of the list visible.
      ready_ = reversed(head_.exchange(nullptr, std::memory_order_acquire));
    }
    assert(ready_ != nullptr);
    const std::unique_ptr<node> first(static_cast<node*>(static_cast<link*>(ready_)));
    ready_ = static_cast<link*>(first->next);
    return std::move(first->value);
  }

 private:
  struct link {
    typename Atomics::template plain<link*> next = nullptr;
  };
  struct node : link {
    explicit node(T&& v) : value(std::move(v)) {}
    static void* operator new(std::size_t) { return Memory::template take_for<node>(); }
    static void operator delete(void* place) noexcept {
      Memory::template give_back_for<node>(place);
    }
    T value;
  };

  static link* reversed(link* newest) noexcept {
    link* oldest = nullptr;
    while (newest != nullptr) {
      link* const before = newest->next;
      newest->next = oldest;
      oldest = std::exchange(newest, before);
    }
    return oldest;
  }

  // The address of away_ stands for "nobody attends"; null for "attended, and nothing new".
  link away_;
  alignas(64) typename Atomics::template atomic<link*> head_;
  // What the consumer has taken out of head_, oldest first; it is touched by the consumer alone.
  alignas(64) typename Atomics::template plain<link*> ready_ = nullptr;
};

}  // namespace hocket
