// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#include <hocket/kernels/elementwise.hpp>

#include <hocket/core/error.hpp>
#include <hocket/core/shape.hpp>

namespace hocket::detail {

void require_equal_extents(const std::string& kernel, const launch_shape& shape) {
  for (std::size_t i = 1; i < shape.size(); ++i) {
    if (shape[i] == shape[0]) continue;
    throw usage_error("Kernel \"" + kernel + "\" needs buffers of equal extents, but buffer 1 is " +
                      to_string(shape[0]) + " and buffer " + std::to_string(i + 1) + " is " +
                      to_string(shape[i]) + ".");
  }
}

}  // namespace hocket::detail
