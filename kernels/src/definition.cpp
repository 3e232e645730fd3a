// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#include <hocket/kernels/definition.hpp>

#include <algorithm>

#include <hocket/core/shape.hpp>

namespace hocket {

bool kernel_definition::has(kernel_format format) const noexcept {
  if (format == kernel_format::host) return static_cast<bool>(host);
  return std::ranges::any_of(sources, [&](const kernel_source& s) { return s.format == format; });
}

launch_work kernel_definition::work_of(const launch_shape& shape) const {
  if (estimate) return estimate(shape);
  launch_work total;
  std::size_t next = 0;
  for (const parameter& p : parameters) {
    if (p.is == parameter::kind::buffer) total.add_buffer(volume(shape[next++]), p.type, p.mode);
  }
  return total;
}

body_width kernel_definition::width_of(const launch_shape& shape) const {
  return width ? width(shape) : body_width::serial;
}

}  // namespace hocket
