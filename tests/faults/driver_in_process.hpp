// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <map>
#include <string>

#include "drivers/pace.hpp"
#include "surroundings.hpp"

namespace hocket::testing {

/// The fake drivers as the only ones of this process, with a fault that the process can control.
/// Loaders read their surroundings once: there is one such object in a process, made before any
/// runtime.
class drivers_in_process {
 public:
  explicit drivers_in_process(const std::string& fault);

 private:
  surroundings around_;
};

/// One of the fake drivers, by its file.
class driver_in_process {
 public:
  explicit driver_in_process(const char* file);

  /// With the fault "memory": no memory is given out from now on, or is again.
  void refuse_memory(bool on) const { refuse_memory_(on); }

  /// With the fault "any": the nth call of the function from now on returns the code.
  void arm(const std::string& function, long nth, int code) const {
    arm_(function.c_str(), nth, code);
  }
  /// None fails any more; calls() begins anew.
  void disarm() const { arm_(nullptr, 0, 0); }
  /// With the fault "any", of the Vulkan driver: when it runs what is submitted, see pace.hpp.
  void set_pace(fake::pace how) const { set_pace_(static_cast<int>(how)); }
  /// How often each function was called since arm() or disarm().
  [[nodiscard]] std::map<std::string, long> calls() const;

 private:
  void (*refuse_memory_)(bool) = nullptr;
  void (*arm_)(const char*, long, int) = nullptr;
  void (*set_pace_)(int) = nullptr;  ///< null in other drivers
  void (*calls_)(void (*)(void*, const char*, long), void*) = nullptr;
};

}  // namespace hocket::testing
