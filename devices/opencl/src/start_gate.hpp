// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include "context.hpp"

namespace hocket::opencl {

/// Keeps commands of a queue from starting while others are enqueued behind them. On a device that
/// is made of the host's cores the commands that run and the thread that enqueues fight over the
/// driver's locks, and its threads fall asleep between any two.
class start_gate {
 public:
  explicit start_gate(const context& in) : in_(in) {}

  /// Commands that wait for event() do not start before open(). Where the driver has no such event
  /// they do.
  void close();
  void open();

  [[nodiscard]] bool is_closed() const noexcept { return static_cast<bool>(event_); }
  [[nodiscard]] cl_event event() const noexcept { return event_.get(); }

 private:
  const context& in_;
  handle<cl_event> event_;
};

}  // namespace hocket::opencl
