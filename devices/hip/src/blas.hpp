// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "gpu/opened_once.hpp"
#include "gpu/products.hpp"
#include "loader.hpp"

namespace hocket::hip {

/// The products of rocBLAS.
class blas_library final : public gpu::product_library {
 public:
  /// file: none where the library is looked for; "no": it is not used.
  explicit blas_library(std::optional<std::string> file)
      : library_(std::move(file), [](const auto& named) { return load_blas(named); }) {}

  [[nodiscard]] bool multiplies(element_type, const std::string&) const override { return true; }
  [[nodiscard]] result<bool> open() override { return library_.is_there(); }
  [[nodiscard]] result<std::unique_ptr<gpu::product_stream>> start(
      const std::string& device) override;

 private:
  gpu::opened_once<blas_api> library_;
};

}  // namespace hocket::hip
