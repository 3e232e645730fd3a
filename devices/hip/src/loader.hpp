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

namespace hocket::hip {

/// The functions of the library of products, rocBLAS.
struct blas_api {
#define HOCKET_ROCBLAS_DECLARE(name, ...) std::type_identity_t<__VA_ARGS__> name = nullptr
  HOCKET_ROCBLAS_FUNCTIONS(HOCKET_ROCBLAS_DECLARE);
#undef HOCKET_ROCBLAS_DECLARE
};

/// Opens libamdhip64, or the file that is given. Fails with no_device if it is not installed, or
/// lacks a function.
[[nodiscard]] result<std::shared_ptr<const gpu::api>> load_driver(
    const std::optional<std::string>& file);

/// Opens the libhiprtc that goes with a driver of this version (60032830 for ROCm 6.0), or the file
/// that is given. The driver's library has the functions too where there is no other. A version of
/// 0 goes with every compiler.
[[nodiscard]] result<std::shared_ptr<const gpu::compiler_functions>> load_compiler(
    const std::optional<std::string>& file, int driver_version);

/// Opens rocBLAS, or the file that is given. Fails with no_device if it is not installed. May take
/// a second.
[[nodiscard]] result<std::shared_ptr<const blas_api>> load_blas(
    const std::optional<std::string>& file);

}  // namespace hocket::hip
