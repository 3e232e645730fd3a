// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <string>

#include <hocket/core/result.hpp>

namespace hocket {

/// The shared library with the functions of an API, opened at run time. It stays loaded until the
/// program ends: drivers have threads that outlive every object of theirs.
class driver_library {
 public:
  /// api and packages are named in failures, which have the code no_device.
  struct names {
    std::string api;
    std::string file;
    std::string packages;  ///< of Debian, that have the file
  };
  [[nodiscard]] static result<driver_library> open(names of);

  /// Null if the library does not have it.
  template <class Function>
  [[nodiscard]] Function find(const char* name) const {
    return reinterpret_cast<Function>(address_of(name));
  }

  /// The library cannot be used. why continues its name.
  [[nodiscard]] failure unusable(const std::string& why) const;

 private:
  explicit driver_library(names of) : names_(std::move(of)) {}
  [[nodiscard]] void* address_of(const char* name) const;

  names names_;
  void* opened_ = nullptr;
};

}  // namespace hocket
