// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "heart/machine.hpp"

#include <algorithm>

#include <hocket/kernels/program.hpp>

namespace hocket::heart {

bool machine::device_node::runs(const kernel_definition& kernel) const {
  const auto has = [&](kernel_format format) {
    if (format == kernel_format::host) return kernel.has(format);
    return source_for(kernel, format, style) != nullptr;
  };
  const auto missing = [&](element_type type) {
    return std::find(lacks.begin(), lacks.end(), type) != lacks.end();
  };
  return std::any_of(formats.begin(), formats.end(), has) &&
         !(kernel.result && missing(*kernel.result)) &&
         std::none_of(kernel.parameters.begin(), kernel.parameters.end(),
                      [&](const parameter& p) { return missing(p.type); });
}

}  // namespace hocket::heart
