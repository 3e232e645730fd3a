// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <array>
#include <span>
#include <string>
#include <vector>

#include <hocket/kernels/definition.hpp>
#include <hocket/kernels/expression.hpp>

namespace hocket::detail {

/// What a traced lambda leaves in a parameter that it may write.
struct traced_result {
  std::size_t parameter;
  expression value;
};

/// The formats that are made of traced lambdas.
inline constexpr std::array traced_formats{kernel_format::opencl_c, kernel_format::glsl,
                                           kernel_format::cuda_c};

/// The bodies of an elementwise kernel, in those of the formats that can express the results.
[[nodiscard]] std::vector<kernel_source> elementwise_sources(
    const std::vector<parameter>& parameters, const std::vector<traced_result>& results,
    std::span<const kernel_format> formats = traced_formats);

/// The bodies of a copy of elements of that type, whatever they are.
[[nodiscard]] std::vector<kernel_source> copy_bodies(element_type of);

/// The values that a reduction combines: each of the elements at one place of its inputs, which are
/// the parameters. A null value stands for the element of the only input.
struct traced_map {
  std::vector<element_type> inputs;
  expression value;
};

/// The bodies of a reduction; `combined` is of the parameters 0 and 1. The order of the elements
/// depends on their number and on the device's style.
/// `finish` is what the result is made of the combined value v, as text; it may use x_count.
[[nodiscard]] std::vector<kernel_source> reduction_sources(const scalar_argument& identity,
                                                           const expression& combined,
                                                           const traced_map& map,
                                                           const std::string& finish = "v");

/// PUT(k, v) and GET(k): how values of that type go to the words of `scratch` and come back.
[[nodiscard]] std::string scratch_macros(element_type type, kernel_format format);

}  // namespace hocket::detail
