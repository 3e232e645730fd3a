// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <array>
#include <string>
#include <vector>

#include <hocket/core/access.hpp>
#include <hocket/kernels/source.hpp>

#include "define.hpp"

/// The bodies of built-in kernels in the languages of devices. `real` is float or double; texts
/// call it REAL, and know by macros what else differs.
namespace hocket::detail {

[[nodiscard]] std::vector<kernel_source> bias_forward_bodies(element_type real, bool relu);
[[nodiscard]] std::vector<kernel_source> bias_backward_bodies(element_type real, access_mode mode);
[[nodiscard]] std::vector<kernel_source> bias_relu_backward_bodies(element_type real,
                                                                   access_mode mode);

[[nodiscard]] std::vector<kernel_source> softmax_forward_bodies(element_type real);
[[nodiscard]] std::vector<kernel_source> softmax_backward_bodies(element_type real);
[[nodiscard]] std::vector<kernel_source> count_correct_bodies(element_type real);

[[nodiscard]] std::vector<kernel_source> checksum_bodies(element_type real, bool of_columns);

[[nodiscard]] std::vector<kernel_source> transpose_bodies(element_type of);

/// How a gemm ends: where its product goes.
enum class gemm_end {
  overwrites,  ///< C = A B
  adds,        ///< C += A B
  scales       ///< C = alpha A B + beta C
};

/// What a product multiplies.
struct gemm_form {
  element_type of;  ///< its elements
  bool transpose_a, transpose_b;
  gemm_end end;
  bool is_lower_square = false;  ///< B is A transposed; of C only the lower triangle is made
  bool is_batch = false;         ///< of several products, whose number is the first index
  bool widens = false;           ///< C is of the type that is computed with
};
[[nodiscard]] std::vector<kernel_source> gemm_bodies(const gemm_form& form);

/// The lower triangle of C = alpha A A^T + beta C.
[[nodiscard]] std::vector<kernel_source> syrk_bodies(element_type real);

/// The triangle is on the left of what is solved for or on its right; its first or its last line
/// gives the first results.
struct trsm_form {
  element_type real;
  bool right, backward;
};
[[nodiscard]] std::vector<kernel_source> trsm_bodies(const trsm_form& form);

/// Mean and norm are reductions; these are the others of array_ops.hpp.
[[nodiscard]] std::vector<kernel_source> extreme_place_bodies(element_type of, bool greatest);
[[nodiscard]] std::vector<kernel_source> scan_bodies(element_type of, bool inclusive);
[[nodiscard]] std::vector<kernel_source> sort_bodies(element_type of);
[[nodiscard]] std::vector<kernel_source> random_uniform_bodies(element_type of);
[[nodiscard]] std::vector<kernel_source> random_normal_bodies();

/// The styles of devices that run work-items in lanes and cannot combine loads.
[[nodiscard]] inline std::vector<device_style> lane_styles() {
  return {device_style::cpu_lanes, device_style::cpu_switching};
}
[[nodiscard]] inline std::vector<device_style> cpu_styles() {
  return {device_style::cpu_compiler, device_style::cpu_lanes, device_style::cpu_switching};
}

/// READ(v) and WRITE(v): an element as a number to compute with, and back.
[[nodiscard]] std::string read_macros(element_type of);

/// REAL, and EXP, LOG and NOT_A_NUMBER of it; REAL16, a vector, in OpenCL C.
[[nodiscard]] std::string real_macros(element_type real, kernel_format format);

/// The formats that built-in kernels have bodies in.
inline constexpr std::array body_formats{kernel_format::opencl_c, kernel_format::glsl,
                                         kernel_format::cuda_c};

/// True if devices of other styles than gpu read the format.
[[nodiscard]] constexpr bool has_cpu_styles(kernel_format format) noexcept {
  return format != kernel_format::cuda_c;
}

/// A body for GPUs and one for the other devices of each format: make(format, for_gpus).
template <class Make>
std::vector<kernel_source> for_both(const Make& make) {
  std::vector<kernel_source> made;
  for (const kernel_format format : body_formats) {
    made.push_back(make(format, true));
    made.back().styles = {device_style::gpu};
    if (!has_cpu_styles(format)) continue;
    made.push_back(make(format, false));
    made.back().styles = cpu_styles();
  }
  return made;
}

/// Adds a body of one pass for some styles, in each format that devices of one of them read.
void add_bodies(std::vector<kernel_source>& to, element_type real,
                const std::vector<std::string>& names, const kernel_pass& pass,
                const std::string& functions, const std::vector<device_style>& styles);

}  // namespace hocket::detail
