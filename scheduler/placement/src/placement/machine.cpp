// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "placement/machine.hpp"

#include <algorithm>

#include <hocket/kernels/program.hpp>

namespace hocket::placement {

bool machine::device_node::runs_somehow(const kernel_definition& kernel) const {
  if (!kernel.sequence.empty()) {
    return std::all_of(kernel.sequence.begin(), kernel.sequence.end(),
                       [&](const kernel_part& part) { return runs(*part.kernel); });
  }
  const auto has = [&](kernel_format format) {
    if (format == kernel_format::host) return kernel.has(format);
    const kernel_source* const source = source_for(kernel, format, style);
    if (source == nullptr) return false;
    return std::none_of(lacks.begin(), lacks.end(),
                        [&](element_type type) { return uses_type(kernel, *source, type); });
  };
  return std::any_of(formats.begin(), formats.end(), has);
}

}  // namespace hocket::placement
