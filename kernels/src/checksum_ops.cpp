// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#include <array>
#include <cmath>

#include <hocket/core/never_destroyed.hpp>
#include <hocket/kernels/checksum_ops.hpp>
#include <hocket/kernels/elementwise.hpp>
#include <hocket/kernels/ranges.hpp>

#include "device/bodies.hpp"
#include "rows.hpp"

namespace hocket::ops::detail {

using hocket::detail::require_extents;
using hocket::detail::row;

namespace {

/// How many elements one piece of a wide body has.
constexpr std::size_t checksum_grain = 32768;

/// How many columns are summed at a time, and how many sums of a row the compiler keeps apart so
/// that it can vectorise them.
constexpr std::size_t columns_together = 64;
constexpr std::size_t sums_of_row = 16;

template <class T>
struct checksum_vectors {
  buffer_view<const T> x, w;
  buffer_view<T> y, z;
};

template <class T>
void sum_row(const T* elements, std::size_t columns, const checksum_vectors<T>& of,
             std::size_t at) {
  std::array<T, sums_of_row> sums{};
  std::array<T, sums_of_row> bounds{};
  const T* const x = of.x.data();
  const T* const w = of.w.data();
  const std::size_t whole = columns - columns % sums_of_row;
  for (std::size_t j = 0; j < whole; j += sums_of_row) {
    for (std::size_t c = 0; c < sums_of_row; ++c) {
      sums[c] += elements[j + c] * x[j + c];
      bounds[c] += std::fabs(elements[j + c]) * w[j + c];
    }
  }
  for (std::size_t j = whole; j < columns; ++j) {
    sums[j - whole] += elements[j] * x[j];
    bounds[j - whole] += std::fabs(elements[j]) * w[j];
  }
  for (std::size_t c = 1; c < sums_of_row; ++c) {
    sums[0] += sums[c];
    bounds[0] += bounds[c];
  }
  of.y(at) = sums[0];
  of.z(at) = bounds[0];
}

template <class T>
void sum_rows(lane_group& lanes, const buffer_view<const T, 2>& a, const checksum_vectors<T>& of) {
  const std::size_t columns = a.extent(1);
  hocket::detail::for_ranges(lanes, a.extent(0), hocket::detail::rows_of(checksum_grain, columns),
                             [&](std::size_t begin, std::size_t end) {
                               for (std::size_t i = begin; i < end; ++i) {
                                 sum_row(row(a, i), columns, of, i);
                               }
                             });
}

template <class T>
void sum_some_columns(const buffer_view<const T, 2>& a, const checksum_vectors<T>& of,
                      std::size_t first, std::size_t count) {
  std::array<T, columns_together> sums{};
  std::array<T, columns_together> bounds{};
  for (std::size_t i = 0; i < a.extent(0); ++i) {
    const T* const elements = row(a, i) + first;
    const T factor = of.x(i);
    const T weight = of.w(i);
    for (std::size_t j = 0; j < count; ++j) {
      sums[j] += elements[j] * factor;
      bounds[j] += std::fabs(elements[j]) * weight;
    }
  }
  for (std::size_t j = 0; j < count; ++j) {
    of.y(first + j) = sums[j];
    of.z(first + j) = bounds[j];
  }
}

template <class T>
void sum_columns(lane_group& lanes, const buffer_view<const T, 2>& a,
                 const checksum_vectors<T>& of) {
  hocket::detail::for_ranges(lanes, a.extent(1), columns_together,
                             [&](std::size_t begin, std::size_t end) {
                               for (std::size_t j = begin; j < end; j += columns_together) {
                                 sum_some_columns(a, of, j, std::min(columns_together, end - j));
                               }
                             });
}

void check_vectors(const std::string& name, bool of_columns, const launch_shape& shape) {
  const std::size_t given = shape[0][of_columns ? 0 : 1];
  const std::size_t made = shape[0][of_columns ? 1 : 0];
  for (const std::size_t at : {1U, 2U}) {
    require_extents(name, "a factor", shape[at], "its matrix asks for one", {given});
    require_extents(name, "a checksum", shape[at + 2], "its matrix asks for one", {made});
  }
}

}  // namespace

template <bool OfColumns>
template <class T>
auto checksum_op<OfColumns>::instance() -> const type<T>& {
  static const never_destroyed<type<T>> made = [] {
    const std::string name = OfColumns ? "column_checksums" : "row_checksums";
    const auto body = [](lane_group& lanes, buffer_view<const T, 2> a, buffer_view<const T> x,
                         buffer_view<const T> w, buffer_view<T> y, buffer_view<T> z) {
      const checksum_vectors<T> of{x, w, y, z};
      if constexpr (OfColumns) {
        sum_columns(lanes, a, of);
      } else {
        sum_rows(lanes, a, of);
      }
    };
    return type<T>(name, host_body{body})
        .check([name](const launch_shape& shape) { check_vectors(name, OfColumns, shape); })
        .cost([](const launch_shape& shape) {
          const auto elements = static_cast<double>(volume(shape[0]));
          return launch_work{4 * elements, elements * sizeof(T)};
        })
        .wide([](const launch_shape& shape) {
          return static_cast<double>(volume(shape[0]) * sizeof(T)) >= hocket::detail::wide_bytes;
        })
        .with(hocket::detail::checksum_bodies(element_type_of<T>, OfColumns));
  }();
  return made;
}

#define HOCKET_INSTANTIATE(OF_COLUMNS)                                                             \
  template const checksum_op<OF_COLUMNS>::type<float>& checksum_op<OF_COLUMNS>::instance<float>(); \
  template const checksum_op<OF_COLUMNS>::type<double>& checksum_op<OF_COLUMNS>::instance<double>();
HOCKET_INSTANTIATE(false)
HOCKET_INSTANTIATE(true)
#undef HOCKET_INSTANTIATE

}  // namespace hocket::ops::detail
