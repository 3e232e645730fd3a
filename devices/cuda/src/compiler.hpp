// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <hocket/core/result.hpp>

#include "loader.hpp"

namespace hocket::cuda {

/// NVIDIA's compiler of CUDA C, which needs neither a driver nor a device. Any thread.
class compiler {
 public:
  explicit compiler(std::shared_ptr<const compiler_api> functions);

  /// The highest architecture it compiles for that a device of this one runs, as 10 * major +
  /// minor; 0 if there is none.
  [[nodiscard]] int architecture_for(int device) const;

  /// Everything that a compiled program depends on besides its text.
  [[nodiscard]] std::string identity(int architecture) const;
  /// "13.0".
  [[nodiscard]] const std::string& version() const noexcept { return version_; }

  /// PTX of the text; else the failure is what the compiler says of it.
  struct compiled {
    std::string ptx;
    std::string log;  ///< empty if it compiled
  };
  [[nodiscard]] compiled compile(const std::string& text, int architecture) const;

 private:
  std::shared_ptr<const compiler_api> functions_;
  std::string version_;
  std::vector<int> architectures_;  // rising
};

}  // namespace hocket::cuda
