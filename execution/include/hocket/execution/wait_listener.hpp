// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

namespace hocket {

/// Learns that the code for which it was set begins to wait.
class wait_listener {
 public:
  virtual ~wait_listener() = default;
  /// Before the first executor::wait that has something to wait for, by who waits.
  virtual void begins_to_wait() noexcept = 0;
};

// For what the calling stack does from here on. It goes with an item that is suspended, is not that
// of items which are run meanwhile, and is gone once it was told. Null: nobody's.
// Not inlined: the compiler must not keep the address of one thread's variable.
void set_wait_listener(wait_listener* listener) noexcept;

/// By executors, before a wait.
void tell_wait_listener() noexcept;

}  // namespace hocket
