// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "runtime/copied_values.hpp"

#include <cstring>

#include <hocket/kernels/loop_nest.hpp>

namespace hocket::detail {

void copy_values(const buffer_argument& from, const buffer_argument& to) {
  const loop_nest<2> nest(to.extents, {&to.strides, &from.strides});
  const std::size_t size = size_of(to.type);
  nest.for_runs(0, nest.size(), [&](const auto& offset, std::size_t count) {
    auto* const target = static_cast<std::byte*>(to.base) + offset[0] * size;
    const auto* const source = static_cast<const std::byte*>(from.base) + offset[1] * size;
    if (nest.dense()) {
      std::memcpy(target, source, count * size);
      return;
    }
    for (std::size_t i = 0; i < count; ++i) {
      std::memcpy(target + i * nest.run_strides()[0] * size,
                  source + i * nest.run_strides()[1] * size, size);
    }
  });
}

}  // namespace hocket::detail
