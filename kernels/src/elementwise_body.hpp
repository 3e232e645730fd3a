// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include <hocket/core/dtype.hpp>
#include <hocket/kernels/elementwise_lambda.hpp>

namespace hocket::detail {

/// One lambda of a body, and which of the body's arrays and scalars its parameters are.
struct elementwise_step {
  std::shared_ptr<const elementwise_lambda> lambda;
  std::vector<std::size_t> arrays;
  std::vector<std::size_t> scalars;
};

/// The host body of elementwise kernels, of one lambda or of several. Its arrays are the buffers of
/// a launch, and after them the locals, which nobody else sees.
class elementwise_body {
 public:
  elementwise_body(std::vector<elementwise_step> steps, std::vector<element_type> locals);

  void operator()(const host_launch& launch) const;

 private:
  class execution;

  void run_dense(const host_launch& launch) const;

  std::vector<elementwise_step> steps_;
  std::vector<element_type> locals_;
};

/// Whether a launch of an elementwise kernel with these parameters takes the whole node.
[[nodiscard]] std::function<body_width(const launch_shape&)> elementwise_width(
    const std::vector<parameter>& parameters);

}  // namespace hocket::detail
