// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#include <hocket/kernels/definition.hpp>

#include <algorithm>
#include <cmath>

#include <hocket/core/error.hpp>
#include <hocket/core/exact_text.hpp>
#include <hocket/core/shape.hpp>

namespace hocket {

namespace {

bool is_amount(double value) { return std::isfinite(value) && value >= 0; }

/// Ranks and times that are no numbers would leave tasks in no order.
const launch_work& checked(const std::string& kernel, const launch_work& cost) {
  if (is_amount(cost.flops) && is_amount(cost.bytes)) return cost;
  const bool is_flops = !is_amount(cost.flops);
  throw usage_error("Kernel \"" + kernel + "\" has a cost of " +
                    exact_text(is_flops ? cost.flops : cost.bytes) +
                    (is_flops ? " operations" : " bytes") +
                    ". What its cost function returns must be finite and not negative.");
}

}  // namespace

bool kernel_definition::has(kernel_format format) const noexcept {
  if (format == kernel_format::host) return static_cast<bool>(host);
  return std::ranges::any_of(sources, [&](const kernel_source& s) { return s.format == format; });
}

launch_work kernel_definition::work_of(const launch_shape& shape) const {
  if (estimate) return checked(name, estimate(shape));
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

namespace detail {

void require_equal_extents(const std::string& kernel, std::span<const index_list> shape) {
  for (std::size_t i = 1; i < shape.size(); ++i) {
    if (shape[i] == shape[0]) continue;
    throw usage_error("Kernel \"" + kernel + "\" needs buffers of equal extents, but buffer 1 is " +
                      to_string(shape[0]) + " and buffer " + std::to_string(i + 1) + " is " +
                      to_string(shape[i]) + ".");
  }
}

}  // namespace detail

}  // namespace hocket
