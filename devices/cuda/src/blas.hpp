// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include <hocket/kernels/source.hpp>
#include <hocket/streams/command.hpp>

#include "loader.hpp"

namespace hocket::cuda {

/// The library of products of a driver, which is opened when a kernel first wants it. Any thread.
class blas_library {
 public:
  /// file: none where the library is looked for; "no": it is not used.
  /// allows_tf32: floats may be rounded to 11 significant bits before they are multiplied.
  blas_library(std::optional<std::string> file, bool allows_tf32, int driver_version)
      : file_(std::move(file)), allows_tf32_(allows_tf32), driver_version_(driver_version) {}

  [[nodiscard]] bool allows_tf32() const noexcept { return allows_tf32_; }

  /// Null where it is not installed, or is not used. Fails where a file was named and cannot be
  /// opened.
  [[nodiscard]] result<std::shared_ptr<const blas_api>> functions();

 private:
  const std::optional<std::string> file_;
  const bool allows_tf32_;
  const int driver_version_;
  std::mutex guard_;  // for what follows
  std::optional<result<std::shared_ptr<const blas_api>>> opened_;
};

/// Makes products in one stream. Not for two threads at a time; its context is current in each
/// call, and where it is destroyed.
class blas {
 public:
  /// Takes a tenth of a second or so, and memory of the device.
  [[nodiscard]] static result<std::unique_ptr<blas>> make(std::shared_ptr<const blas_api> functions,
                                                          const std::string& device,
                                                          bool allows_tf32);
  ~blas() {
    if (handle_ != nullptr) (void)functions_->cublasDestroy_v2(handle_);
  }
  /// The driver is gone: there is nothing to give back.
  void abandon() noexcept { handle_ = nullptr; }
  blas(const blas&) = delete;
  blas& operator=(const blas&) = delete;

  /// True if the library has products of that type, one of those of the kernels of products, for
  /// devices of that architecture.
  [[nodiscard]] static bool multiplies(element_type type, int architecture) noexcept;

  /// Hands a product over. It runs in stream order.
  [[nodiscard]] failure multiply(const matrix_product& what, const launch_command& launch,
                                 stream_handle stream) const;

 private:
  blas(std::shared_ptr<const blas_api> functions, blas_handle made, std::string device)
      : functions_(std::move(functions)), handle_(made), device_(std::move(device)) {}
  [[nodiscard]] failure failure_of(blas_code of, const std::string& doing) const;

  std::shared_ptr<const blas_api> functions_;
  blas_handle handle_;
  std::string device_;
};

}  // namespace hocket::cuda
