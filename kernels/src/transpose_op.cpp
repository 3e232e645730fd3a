// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>

#include <hocket/core/never_destroyed.hpp>
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

/// Vectors of the two compilers of this library, which have the same name for what permutes them.
using short_lanes = std::uint32_t __attribute__((vector_size(16)));
using long_lanes = std::uint64_t __attribute__((vector_size(16)));

/// Transposes a square of elements of four bytes, from one line of it to the next.
void transpose_square(const short_lanes* from, short_lanes* to) {
  const short_lanes a = __builtin_shufflevector(from[0], from[1], 0, 4, 1, 5);
  const short_lanes b = __builtin_shufflevector(from[0], from[1], 2, 6, 3, 7);
  const short_lanes c = __builtin_shufflevector(from[2], from[3], 0, 4, 1, 5);
  const short_lanes d = __builtin_shufflevector(from[2], from[3], 2, 6, 3, 7);
  to[0] = __builtin_shufflevector(a, c, 0, 1, 4, 5);
  to[1] = __builtin_shufflevector(a, c, 2, 3, 6, 7);
  to[2] = __builtin_shufflevector(b, d, 0, 1, 4, 5);
  to[3] = __builtin_shufflevector(b, d, 2, 3, 6, 7);
}

/// Transposes a square of elements of eight bytes.
void transpose_square(const long_lanes* from, long_lanes* to) {
  to[0] = __builtin_shufflevector(from[0], from[1], 0, 2);
  to[1] = __builtin_shufflevector(from[0], from[1], 1, 3);
}

template <class T>
struct vector_of {
  using type = std::conditional_t<sizeof(T) == sizeof(std::uint32_t), short_lanes, long_lanes>;
  static constexpr std::size_t size = sizeof(type) / sizeof(T);
};

/// Transposes as many rows and columns as whole squares cover, and returns their numbers.
template <class T>
std::pair<std::size_t, std::size_t> transpose_squares(const T* read, std::size_t stride, T* written,
                                                      std::size_t written_stride, std::size_t rows,
                                                      std::size_t columns) {
  using vector = typename vector_of<T>::type;
  constexpr std::size_t edge = vector_of<T>::size;
  const std::size_t whole_rows = rows / edge * edge, whole_columns = columns / edge * edge;
  for (std::size_t q = 0; q < whole_columns; q += edge) {
    for (std::size_t p = 0; p < whole_rows; p += edge) {
      std::array<vector, edge> before, after;
      for (std::size_t k = 0; k < edge; ++k) {
        std::memcpy(&before[k], read + (p + k) * stride + q, sizeof(vector));
      }
      transpose_square(before.data(), after.data());
      for (std::size_t k = 0; k < edge; ++k) {
        std::memcpy(written + (q + k) * written_stride + p, &after[k], sizeof(vector));
      }
    }
  }
  return {whole_rows, whole_columns};
}

template <class T>
void transpose_tile(const buffer_view<const T, 2>& from, const buffer_view<T, 2>& to, std::size_t i,
                    std::size_t j) {
  const std::size_t rows = std::min(tile_edge, from.extent(0) - i);
  const std::size_t columns = std::min(tile_edge, from.extent(1) - j);
  const std::size_t stride = from.stride(0);
  const T* const read = from.data() + i * stride + j;
  T* const written = row(to, j) + i;
  const std::size_t written_stride = to.stride(0);
  std::size_t whole_rows = 0, whole_columns = 0;
  if constexpr (sizeof(T) == sizeof(std::uint32_t) || sizeof(T) == sizeof(std::uint64_t)) {
    std::tie(whole_rows, whole_columns) =
        transpose_squares(read, stride, written, written_stride, rows, columns);
  }
  for (std::size_t q = 0; q < columns; ++q) {
    for (std::size_t p = q < whole_columns ? whole_rows : 0; p < rows; ++p) {
      written[q * written_stride + p] = read[p * stride + q];
    }
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
  static const never_destroyed<type<T>> made =
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
