// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "data/extents_check.hpp"

namespace hocket::detail {

bool asks_extents(const kernel_definition& kernel,
                  std::span<const borrowed_access> accesses) noexcept {
  try {
    launch_shape shape;
    shape.reserve(accesses.size());
    for (const borrowed_access& each : accesses) {
      const bool is_whole = each.part == nullptr;
      shape.push_back(is_whole ? (*each.data)->extents() : each.part->extents());
    }
    kernel.check(shape);
    return true;
  } catch (...) {
    return false;
  }
}

}  // namespace hocket::detail
