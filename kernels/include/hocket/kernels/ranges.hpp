// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <cstddef>
#include <functional>

#include <hocket/kernels/argument.hpp>

namespace hocket::detail {

/// From how many bytes read and written on a memory-bound body takes the whole node. Below it, one
/// core is done before the others would have started.
inline constexpr double wide_bytes = 1 << 20;

/// lane_group::for_ranges, without its cost where there is only one range.
template <class Piece>
void for_ranges(lane_group& lanes, std::size_t count, std::size_t grain, const Piece& piece) {
  if (count == 0) return;
  if (count <= grain) {
    piece(std::size_t{0}, count);
  } else {
    lanes.for_ranges(count, grain, std::ref(piece));
  }
}

}  // namespace hocket::detail
