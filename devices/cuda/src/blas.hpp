// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "gpu/opened_once.hpp"
#include "gpu/products.hpp"
#include "loader.hpp"

namespace hocket::cuda {

/// The products of cuBLAS, for a driver of some version.
class blas_library final : public gpu::product_library {
 public:
  /// file: none where the library is looked for; "no": it is not used.
  /// allows_tf32: floats may be rounded to 11 significant bits before they are multiplied.
  blas_library(std::optional<std::string> file, bool allows_tf32, int driver_version)
      : library_(std::move(file),
                 [driver_version](const auto& named) { return load_blas(named, driver_version); }),
        allows_tf32_(allows_tf32) {}

  /// cuBLAS has products of bfloat16 from compute_80 on.
  [[nodiscard]] bool multiplies(element_type type, const std::string& architecture) const override;
  [[nodiscard]] result<bool> open() override { return library_.is_there(); }
  [[nodiscard]] result<std::unique_ptr<gpu::product_stream>> start(
      const std::string& device) override;

 private:
  gpu::opened_once<blas_api> library_;
  const bool allows_tf32_;
};

}  // namespace hocket::cuda
