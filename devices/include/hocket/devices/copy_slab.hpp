// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <array>
#include <cstddef>
#include <functional>

#include <hocket/streams/command.hpp>

namespace hocket {

/// What APIs copy in one command at most: a number of slices of a number of rows of bytes, the
/// distances of which are the same at both ends.
struct copy_slab {
  using triple = std::array<std::size_t, 3>;  ///< bytes of a row, rows, slices

  triple origin{0, 0, 0};
  triple region{1, 1, 1};
  std::size_t row_pitch = 0;
  std::size_t slice_pitch = 0;

  /// True if its bytes lie together, from offset() on.
  [[nodiscard]] bool is_run() const noexcept { return region[1] == 1 && region[2] == 1; }
  [[nodiscard]] std::size_t offset() const noexcept {
    return origin[0] + origin[1] * row_pitch + origin[2] * slice_pitch;
  }
};

/// Calls piece for slabs that are the box together, in order, as few as its shape allows, until it
/// returns false. The box is not empty.
void for_each_slab(const copy_command& what, const std::function<bool(const copy_slab&)>& piece);

}  // namespace hocket
