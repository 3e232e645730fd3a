// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#include <algorithm>
#include <string>

#include <hocket/kernels/ops.hpp>
#include <hocket/kernels/ranges.hpp>

#include "device/bodies.hpp"
#include "element_lists.hpp"
#include "rows.hpp"

namespace hocket::ops::detail {

using hocket::detail::row;

namespace {

constexpr const char* transpose_name = "transpose";

/// The edge of a tile, so that the lines that it reads and those that it writes stay in the
/// smallest cache.
constexpr std::size_t tile_edge = 32;

/// How many elements one piece of a wide body has.
constexpr std::size_t piece_elements = 65536;

template <class T>
void transpose_tile(const buffer_view<const T, 2>& from, const buffer_view<T, 2>& to, std::size_t i,
                    std::size_t j) {
  const std::size_t last_i = std::min(i + tile_edge, from.extent(0));
  const std::size_t last_j = std::min(j + tile_edge, from.extent(1));
  const T* const read = from.data();
  const std::size_t stride = from.stride(0);
  for (std::size_t q = j; q < last_j; ++q) {
    T* const written = row(to, q);
    for (std::size_t p = i; p < last_i; ++p) written[p] = read[p * stride + q];
  }
}

template <class T>
void transpose_all(lane_group& lanes, buffer_view<const T, 2> from, buffer_view<T, 2> to) {
  const std::size_t rows = to.extent(0), columns = to.extent(1);
  const std::size_t tiles = (rows + tile_edge - 1) / tile_edge;
  const std::size_t grain = hocket::detail::rows_of(piece_elements, tile_edge * columns);
  hocket::detail::for_ranges(lanes, tiles, grain, [&](std::size_t begin, std::size_t end) {
    for (std::size_t j = begin * tile_edge; j < std::min(end * tile_edge, rows); j += tile_edge) {
      for (std::size_t i = 0; i < columns; i += tile_edge) transpose_tile(from, to, i, j);
    }
  });
}

}  // namespace

template <class T>
auto transpose_op::instance() -> const type<T>& {
  static const type<T> made =
      type<T>(transpose_name, host_body{transpose_all<T>})
          .check([](const launch_shape& shape) {
            hocket::detail::require_extents(transpose_name, "a transpose", shape[1],
                                            "its matrix asks for one", {shape[0][1], shape[0][0]});
          })
          .wide([](const launch_shape& shape) {
            return static_cast<double>(2 * volume(shape[0]) * sizeof(T)) >=
                   hocket::detail::wide_bytes;
          })
          .with(hocket::detail::transpose_bodies(element_type_of<T>));
  return made;
}

#define HOCKET_INSTANTIATE(T) template const transpose_op::type<T>& transpose_op::instance<T>();
HOCKET_FOR_STORABLE(HOCKET_INSTANTIATE)
#undef HOCKET_INSTANTIATE

}  // namespace hocket::ops::detail
