// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <cstdint>
#include <map>
#include <string>

namespace hocket::testing {

/// The functions that the stand-in drivers of CUDA and HIP have for tests.
class standin_driver {
 public:
  /// The library is opened by its name, as the backend opens it. Where that is another driver, or
  /// there is none, the object is false.
  explicit standin_driver(const char* library);

  explicit operator bool() const noexcept { return calls_ != nullptr; }

  /// How often a function was called. Zero with another driver.
  [[nodiscard]] std::uint64_t calls(const std::string& function) const {
    return calls_ == nullptr ? 0 : calls_(function.c_str());
  }
  /// The calls of all functions that were called.
  [[nodiscard]] std::map<std::string, std::uint64_t> calls() const;
  /// Objects of the driver that there are.
  [[nodiscard]] std::uint64_t live() const { return live_(); }
  /// Objects that contexts had when they ended without a failure.
  [[nodiscard]] std::uint64_t left() const { return left_(); }
  /// Counts begin at zero, and the plan of faults is this one.
  void begin(const std::string& plan) const { begin_(plan.c_str()); }
  /// Ends what programs have left, while there is no runtime: lost devices are there again.
  void restart() const { restart_(); }
  /// Streams that calls of the function hold go on.
  void release(const std::string& function) const { release_(function.c_str()); }

 private:
  std::uint64_t (*calls_)(const char*) = nullptr;
  std::uint64_t (*live_)() = nullptr;
  std::uint64_t (*left_)() = nullptr;
  void (*begin_)(const char*) = nullptr;
  void (*restart_)() = nullptr;
  void (*release_)(const char*) = nullptr;
};

}  // namespace hocket::testing
