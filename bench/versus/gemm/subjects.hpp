// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <cstddef>
#include <string>

#include <hocket/hocket.hpp>

#include <harness/command.hpp>

namespace hocket::bench {

/// One product of two square matrices of floats.
struct product {
  std::size_t size;
  std::size_t calls;  ///< that one sample makes, one after the other
};

/// Through a runtime, pinned to the device.
[[nodiscard]] contender hocket_gemm(const product& what, const std::string& device);

/// The library itself, with so many threads of its own.
[[nodiscard]] contender openblas_gemm(const product& what, std::size_t threads);

/// A kernel written for this by hand, through the API alone.
[[nodiscard]] contender cublas_gemm(const product& what);
[[nodiscard]] contender opencl_gemm(const product& what);
[[nodiscard]] contender clblast_gemm(const product& what);
[[nodiscard]] contender vulkan_gemm(const product& what, const device_info& device);

}  // namespace hocket::bench
