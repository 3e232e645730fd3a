// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <cstddef>
#include <string>

namespace hocket::seeded {

/// Losses and other events that reach a program from outside. The thread of the program calls it.
class disturbance {
 public:
  disturbance() = default;
  disturbance(const disturbance&) = delete;
  disturbance& operator=(const disturbance&) = delete;
  virtual ~disturbance() = default;

  /// Called before each step: faults may come at any moment of what is under way.
  virtual void before_step() = 0;
  /// A step that asks for that: so many events happen, on the virtual clock.
  virtual void pass_time(std::size_t events) = 0;
  /// A step that asks for the loss of a device, by its number among those of the runtime.
  virtual void lose_device(std::size_t number) = 0;
  /// Called before the program waits for steps that may name a device.
  virtual void before_wait() {}
  /// True if devices may be out of use while steps are waited for: none of these names one then.
  [[nodiscard]] virtual bool rests_long() const { return false; }
  /// Called after the last step. Returns what is wrong with the events; empty if nothing is.
  [[nodiscard]] virtual std::string check() { return {}; }
  /// True if tasks may have failed because of what happened.
  [[nodiscard]] virtual bool may_show() const = 0;
};

}  // namespace hocket::seeded
