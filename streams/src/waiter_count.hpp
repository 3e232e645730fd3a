// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <cstddef>

#include <hocket/execution/inbox.hpp>

namespace hocket {

/// How many waiters are registered on a timeline, or about to be: a waiter either sees the value
/// that it waits for, or is seen by the thread that advances the timeline to it. The list of
/// waiters itself has a lock, which that thread takes only if there may be some.
template <class Atomics = real_atomics>
class waiter_count {
 public:
  /// Calls advance(), and returns whether there may be waiters. They are in the list when the
  /// caller has taken its lock.
  template <class Advance>
  [[nodiscard]] bool advance(const Advance& advance) noexcept {
    advance();
    // A change by nothing: a load could come before what advance() stores. Of this and the change
    // in add_unless() the later one reads what the earlier one has written. Release, if this is the
    // earlier one, for what advance() stores; acquire, if it is the later one.
    return count_.fetch_add(0, std::memory_order_acq_rel) != 0;
  }

  /// Counts a waiter unless reached() holds, and returns whether it counts. Under the lock of the
  /// list, where the caller registers the waiter then.
  template <class Reached>
  [[nodiscard]] bool add_unless(const Reached& reached) noexcept {
    // See advance().
    count_.fetch_add(1, std::memory_order_acq_rel);
    if (!reached()) return true;
    remove(1);
    return false;
  }

  /// So many waiters have left the list.
  void remove(std::size_t waiters) noexcept {
    // A count that is too large for a moment costs a look at the list: relaxed.
    count_.fetch_sub(waiters, std::memory_order_relaxed);
  }

 private:
  typename Atomics::template atomic<std::size_t> count_{0};
};

}  // namespace hocket
