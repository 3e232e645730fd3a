// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "gpu/products.hpp"
#include "loader.hpp"

namespace hocket::cuda {

/// The products of cuBLAS, for a driver of some version.
class blas_library final : public gpu::product_library {
 public:
  /// file: none where the library is looked for; "no": it is not used.
  /// allows_tf32: floats may be rounded to 11 significant bits before they are multiplied.
  blas_library(std::optional<std::string> file, bool allows_tf32, int driver_version)
      : file_(std::move(file)), allows_tf32_(allows_tf32), driver_version_(driver_version) {}

  /// cuBLAS has products of bfloat16 from compute_80 on.
  [[nodiscard]] bool multiplies(element_type type, const std::string& architecture) const override;
  [[nodiscard]] result<bool> open() override;
  [[nodiscard]] result<std::unique_ptr<gpu::product_stream>> start(
      const std::string& device) override;

 private:
  [[nodiscard]] result<std::shared_ptr<const blas_api>> functions();

  const std::optional<std::string> file_;
  const bool allows_tf32_;
  const int driver_version_;
  std::mutex guard_;  // for what follows
  std::optional<result<std::shared_ptr<const blas_api>>> opened_;
};

}  // namespace hocket::cuda
