// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <hocket/kernels/argument.hpp>
#include <hocket/kernels/definition.hpp>
#include <hocket/kernels/traced_source.hpp>

namespace hocket::detail {

/// Consecutive elements of the index space of an elementwise kernel. Buffers and scalars are in the
/// order of the lambda's parameters, each counted on its own.
struct elementwise_run {
  void* const* buffers;        ///< the first element of each
  const std::size_t* strides;  ///< the distance of its neighbours
  bool dense;                  ///< all of these are one
  const scalar_argument* scalars;
  std::size_t index;  ///< of the first element
  std::size_t count;
};

/// What an elementwise lambda does with elements: compiled for the host, and traced.
struct elementwise_lambda {
  std::function<void(const elementwise_run&)> run;
  std::vector<traced_result> results = {};  ///< none if the lambda is for the host alone
  bool takes_index = false;                 ///< as element_index
};

/// An elementwise kernel: on the host the lambda, in other formats what the results say.
[[nodiscard]] kernel_ref elementwise_definition(std::string name, std::vector<parameter> parameters,
                                                elementwise_lambda lambda);

}  // namespace hocket::detail
