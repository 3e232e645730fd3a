// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <vector>

#include <hocket/core/never_destroyed.hpp>
#include <hocket/kernels/array_ops.hpp>
#include <hocket/kernels/ranges.hpp>

#include "device/bodies.hpp"
#include "element_lists.hpp"

namespace hocket::ops::detail {

namespace {

/// How many elements one lane sorts by itself. Sorted runs are merged in pairs, all pairs of one
/// length side by side.
constexpr std::size_t sorted_run = 32768;

/// The order of the texts for devices, in which all elements that differ in a bit differ: -0 comes
/// before 0, and every NaN after all numbers. Of numbers with a sign the bits are in the opposite
/// order.
template <class T>
auto sort_key(T element) {
  if constexpr (std::is_integral_v<T>) {
    return element;
  } else {
    using bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
    constexpr int digits = std::numeric_limits<T>::digits;
    constexpr bits sign = bits{1} << (8 * sizeof(T) - 1), nans = (bits{1} << (digits - 1)) - 1;
    const auto own = std::bit_cast<bits>(element);
    return ((own & sign) != 0 ? ~own : own | sign) - nans;
  }
}
constexpr auto is_before = [](const auto& a, const auto& b) { return sort_key(a) < sort_key(b); };

template <class T>
void sort_all(lane_group& lanes, T* first, std::size_t count) {
  const auto runs = (count + sorted_run - 1) / sorted_run;
  hocket::detail::for_ranges(lanes, runs, 1, [&](std::size_t begin, std::size_t end) {
    for (std::size_t r = begin; r < end; ++r) {
      std::sort(first + r * sorted_run, first + std::min((r + 1) * sorted_run, count), is_before);
    }
  });
  if (runs < 2) return;
  std::vector<T> other(count);
  T *from = first, *to = other.data();
  for (std::size_t length = sorted_run; length < count; length *= 2, std::swap(from, to)) {
    const std::size_t pairs = (count + 2 * length - 1) / (2 * length);
    hocket::detail::for_ranges(lanes, pairs, 1, [&](std::size_t begin, std::size_t end) {
      for (std::size_t p = begin; p < end; ++p) {
        const std::size_t at = p * 2 * length, middle = std::min(at + length, count);
        const std::size_t last = std::min(at + 2 * length, count);
        std::merge(from + at, from + middle, from + middle, from + last, to + at, is_before);
      }
    });
  }
  if (from != first) std::copy(from, from + count, first);
}

}  // namespace

template <class T>
auto sort_op::instance() -> const type<T>& {
  const auto body = [](lane_group& lanes, const buffer_view<T>& x) {
    if (x.contiguous()) return sort_all(lanes, x.data(), x.size());
    std::vector<T> dense;
    x.for_each([&](const T& each) { dense.push_back(each); });
    sort_all(lanes, dense.data(), dense.size());
    auto next = dense.begin();
    x.for_each([&](T& each) { each = *next++; });
  };
  static const never_destroyed<type<T>> made =
      type<T>("sort", host_body{body})
          .wide([](const launch_shape& shape) { return volume(shape[0]) > sorted_run; })
          .cost([](const launch_shape& shape) {
            const auto count = static_cast<double>(volume(shape[0]));
            return launch_work{16 * count * std::max(1, size_class(count)), 2 * count * sizeof(T)};
          })
          .positional()
          .with(hocket::detail::sort_bodies(element_type_of<T>));
  return made;
}

#define HOCKET_INSTANTIATE(T) template const sort_op::type<T>& sort_op::instance<T>();
HOCKET_FOR_FULL_WIDTH(HOCKET_INSTANTIATE)
#undef HOCKET_INSTANTIATE

}  // namespace hocket::ops::detail
