// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

namespace hocket {

/// Learns that the code that runs on its stack begins to wait. The listeners of one stack are
/// nested: each hears of the waits of all code that is called while it listens. They go with an
/// item that is suspended, and do not hear of items that are run meanwhile.
class wait_listener {
 public:
  wait_listener() = default;
  wait_listener(const wait_listener&) = delete;
  wait_listener& operator=(const wait_listener&) = delete;
  virtual ~wait_listener() = default;

  /// Becomes the innermost listener of the calling stack, until end_listening().
  void begin_listening() noexcept;
  /// Only for the innermost listener of the calling stack.
  void end_listening() noexcept;

  /// True if begins_to_wait() was called since begin_listening(), or since listen_again().
  [[nodiscard]] bool was_told() const noexcept { return told_; }
  void listen_again() noexcept { told_ = false; }

 protected:
  /// Called once, by the thread that is about to wait, before the first executor::wait that has
  /// something to wait for. The code may go on with another thread.
  virtual void begins_to_wait() noexcept = 0;

 private:
  friend void tell_wait_listeners() noexcept;

  wait_listener* outer_ = nullptr;
  bool told_ = false;
};

/// Called by executors before a wait: tells the listeners of the calling stack, the innermost
/// first.
void tell_wait_listeners() noexcept;

}  // namespace hocket
