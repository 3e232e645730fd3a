// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <memory>
#include <string>

#include "gpu/compiler.hpp"
#include "loader.hpp"

namespace hocket::hip {

/// AMD's compiler of HIP, which needs neither a driver nor a device. Any thread.
class compiler final : public gpu::compiler {
 public:
  explicit compiler(std::shared_ptr<const gpu::compiler_functions> functions);

  /// HIP is CUDA C for another compiler, which is told in the text that functions without an
  /// annotation are for the device.
  [[nodiscard]] std::string program(const kernel_definition& kernel, const kernel_source& source,
                                    std::size_t pass,
                                    const program_variant& variant) const override;
  [[nodiscard]] std::string identity(const std::string& architecture) const override;
  /// The binary is machine code. Architecture: "gfx90a:xnack-".
  [[nodiscard]] compiled compile(const std::string& text,
                                 const std::string& architecture) const override;

 private:
  std::shared_ptr<const gpu::compiler_functions> functions_;
  std::string version_;
};

}  // namespace hocket::hip
