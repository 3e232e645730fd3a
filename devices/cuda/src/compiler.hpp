// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <hocket/core/result.hpp>

#include "gpu/compiler.hpp"
#include "loader.hpp"

namespace hocket::cuda {

/// NVIDIA's compiler of CUDA C, which needs neither a driver nor a device. Any thread.
class compiler final : public gpu::compiler {
 public:
  explicit compiler(std::shared_ptr<const compiler_api> functions);

  /// The highest architecture it compiles for that a device of this one runs, as 10 * major +
  /// minor; 0 if there is none.
  [[nodiscard]] int architecture_for(int device) const;
  /// Its name: "compute_90".
  [[nodiscard]] static std::string name_of_architecture(int architecture);
  /// "13.0".
  [[nodiscard]] const std::string& version() const noexcept { return version_; }

  [[nodiscard]] std::string program(const kernel_definition& kernel, const kernel_source& source,
                                    std::size_t pass,
                                    const program_variant& variant) const override {
    return cuda_program(kernel, source, pass, variant);
  }
  [[nodiscard]] std::string identity(const std::string& architecture) const override;
  /// The binary is PTX.
  [[nodiscard]] compiled compile(const std::string& text,
                                 const std::string& architecture) const override;

 private:
  std::shared_ptr<const compiler_api> functions_;
  std::string version_;
  std::vector<int> architectures_;  // rising
};

}  // namespace hocket::cuda
