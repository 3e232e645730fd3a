// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "heart/machine.hpp"

#include <algorithm>

#include <hocket/kernels/program.hpp>

namespace hocket::heart {

bool machine::device_node::runs(const kernel_definition& kernel) const {
  if (!kernel.sequence.empty()) {
    return std::all_of(kernel.sequence.begin(), kernel.sequence.end(),
                       [&](const kernel_part& part) { return runs(*part.kernel); });
  }
  const auto missing = [&](element_type type) {
    return std::find(lacks.begin(), lacks.end(), type) != lacks.end();
  };
  const auto has = [&](kernel_format format) {
    if (format == kernel_format::host) return kernel.has(format);
    const kernel_source* const source = source_for(kernel, format, style);
    if (source == nullptr) return false;
    const auto used = types_used(kernel, *source);
    return std::none_of(used.begin(), used.end(), missing);
  };
  return std::any_of(formats.begin(), formats.end(), has);
}

}  // namespace hocket::heart
