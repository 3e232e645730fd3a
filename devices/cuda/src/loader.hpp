// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <type_traits>

#include <hocket/core/result.hpp>

#include "driver.hpp"
#include "gpu/compiler_functions.hpp"

namespace hocket::cuda {

/// The functions of NVRTC, which needs no driver.
struct compiler_api : gpu::compiler_functions {
#define HOCKET_NVRTC_DECLARE(name, ...) std::type_identity_t<__VA_ARGS__> name = nullptr
  HOCKET_NVRTC_FUNCTIONS(HOCKET_NVRTC_DECLARE);
#undef HOCKET_NVRTC_DECLARE
};

/// The functions of the library of products, cuBLAS.
struct blas_api {
#define HOCKET_CUBLAS_DECLARE(name, ...) std::type_identity_t<__VA_ARGS__> name = nullptr
  HOCKET_CUBLAS_FUNCTIONS(HOCKET_CUBLAS_DECLARE);
  HOCKET_CUBLAS_OVERLOADED(HOCKET_CUBLAS_DECLARE);
#undef HOCKET_CUBLAS_DECLARE
};

/// Opens libcuda.so.1, or the file that is given. Fails with no_device if it is not installed, or
/// lacks a function.
[[nodiscard]] result<std::shared_ptr<const gpu::api>> load_driver(
    const std::optional<std::string>& file);

/// Opens the compiler that goes with a driver of this version (12040 for CUDA 12.4), or the file
/// that is given. Programs of a newer compiler are not for the driver; a version of 0 goes with
/// every compiler.
[[nodiscard]] result<std::shared_ptr<const compiler_api>> load_compiler(
    const std::optional<std::string>& file, int driver_version);

/// Opens the library of products that goes with a driver of this version, or the file that is
/// given. Fails with no_device if it is not installed. May take some tenths of a second.
[[nodiscard]] result<std::shared_ptr<const blas_api>> load_blas(
    const std::optional<std::string>& file, int driver_version);

}  // namespace hocket::cuda
