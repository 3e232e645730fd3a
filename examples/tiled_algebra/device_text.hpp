// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <vector>

#include <hocket/hocket.hpp>

namespace tiled {

enum class triangular_system;

/// The bodies of gemm, with the arguments factor, a, b, c, in CUDA C, OpenCL C and GLSL.
[[nodiscard]] std::vector<hocket::kernel_source> gemm_texts(bool transpose_b);

/// Of syrk, with the arguments a, c. Above the diagonal C is left as it is, up to a block.
[[nodiscard]] std::vector<hocket::kernel_source> syrk_texts();

/// Of trsm, with the arguments t, a.
[[nodiscard]] std::vector<hocket::kernel_source> trsm_texts(triangular_system solved);

}  // namespace tiled
