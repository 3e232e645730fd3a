// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <atomic>
#include <csignal>
#include <stop_token>
#include <thread>

namespace examples {

/// What a shell expects of a program that Ctrl-C ended.
inline constexpr int exit_code_of_interrupt = 130;

/// While it lives, the first SIGINT or SIGTERM is a request to stop, and the second ends the
/// process at once with 130. It must be made before any other thread of the program: threads
/// inherit that these signals are left to it.
class interrupt {
 public:
  interrupt();
  ~interrupt();
  interrupt(const interrupt&) = delete;
  interrupt& operator=(const interrupt&) = delete;

  [[nodiscard]] std::stop_token token() const noexcept { return source_.get_token(); }
  [[nodiscard]] bool requested() const noexcept { return source_.stop_requested(); }

 private:
  void wait_for_signals();

  sigset_t signals_{};
  sigset_t before_{};
  struct sigaction interrupt_before_ {};
  struct sigaction termination_before_ {};
  std::stop_source source_;
  std::atomic<bool> closing_{false};
  std::thread waiter_;
};

}  // namespace examples
