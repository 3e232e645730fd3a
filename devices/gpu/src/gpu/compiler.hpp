// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <cstddef>
#include <string>

#include <hocket/kernels/program.hpp>

namespace hocket::gpu {

/// A vendor's compiler of kernels, which needs neither a driver nor a device. Any thread.
class compiler {
 public:
  compiler() = default;
  virtual ~compiler() = default;
  compiler(const compiler&) = delete;
  compiler& operator=(const compiler&) = delete;

  /// The whole text of a program for it. Its function is hocket_main.
  [[nodiscard]] virtual std::string program(const kernel_definition& kernel,
                                            const kernel_source& source, std::size_t pass,
                                            const program_variant& variant) const = 0;

  /// Everything that a compiled program depends on besides its text.
  [[nodiscard]] virtual std::string identity(const std::string& architecture) const = 0;

  /// A program that the driver loads, or the reason that the compiler gives against the text.
  struct compiled {
    std::string binary;
    std::string log;  ///< empty if it compiled
  };
  /// Architecture: of a device, as the vendor names it.
  [[nodiscard]] virtual compiled compile(const std::string& text,
                                         const std::string& architecture) const = 0;
};

}  // namespace hocket::gpu
