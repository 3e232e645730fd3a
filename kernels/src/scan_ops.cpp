// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <vector>

#include <hocket/core/never_destroyed.hpp>
#include <hocket/kernels/array_ops.hpp>
#include <hocket/kernels/loop_nest.hpp>
#include <hocket/kernels/ranges.hpp>

#include "arithmetic.hpp"
#include "device/bodies.hpp"
#include "element_lists.hpp"

namespace hocket::ops::detail {

namespace {

using hocket::detail::sum_of;

/// How many elements are summed one after the other. The sums of such blocks are added in order, so
/// that the bits do not depend on the lanes.
constexpr std::size_t scan_block = 16384;

template <bool Inclusive, class T>
class scanner {
 public:
  scanner(const strided_view<const T>& x, const strided_view<T>& y)
      : from_(x.data()), to_(y.data()), nest_(x.extents(), {&x.strides(), &y.strides()}) {}

  void run(lane_group& lanes) const {
    const std::size_t blocks = (nest_.size() + scan_block - 1) / scan_block;
    if (blocks == 0) return;
    std::vector<T> before(blocks);
    // Sums are made before the first element is written: x may be y. Nothing needs the last one.
    hocket::detail::for_ranges(lanes, blocks - 1, 1, [&](std::size_t begin, std::size_t end) {
      for (std::size_t b = begin; b < end; ++b) before[b] = sum(b);
    });
    T sum{};
    for (T& each : before) {
      const T next = sum_of(sum, each);
      each = sum;
      sum = next;
    }
    hocket::detail::for_ranges(lanes, blocks, 1, [&](std::size_t begin, std::size_t end) {
      for (std::size_t b = begin; b < end; ++b) scan(b, before[b]);
    });
  }

 private:
  [[nodiscard]] T sum(std::size_t number) const {
    T sum{};
    for_elements(number, [&](const T& x, T&) { sum = sum_of(sum, x); });
    return sum;
  }

  void scan(std::size_t number, T sum) const {
    for_elements(number, [&](const T& x, T& y) {
      const T next = sum_of(sum, x);
      y = Inclusive ? next : sum;
      sum = next;
    });
  }

  template <class F>
  void for_elements(std::size_t number, const F& f) const {
    const std::size_t begin = number * scan_block, end = std::min(begin + scan_block, nest_.size());
    const auto& strides = nest_.run_strides();
    nest_.for_runs(begin, end, [&](const auto& offset, std::size_t count) {
      for (std::size_t i = 0; i < count; ++i) {
        f(from_[offset[0] + i * strides[0]], to_[offset[1] + i * strides[1]]);
      }
    });
  }

  const T* from_;
  T* to_;
  loop_nest<2> nest_;
};

}  // namespace

template <bool Inclusive>
template <class T>
auto scan_op<Inclusive>::instance() -> const type<T>& {
  constexpr const char* name = Inclusive ? "inclusive_scan" : "exclusive_scan";
  const auto body = [](lane_group& lanes, const strided_view<const T>& x,
                       const strided_view<T>& y) { scanner<Inclusive, T>(x, y).run(lanes); };
  static const never_destroyed<type<T>> made =
      type<T>(name, host_body{body})
          .check(
              [](const launch_shape& shape) { hocket::detail::require_equal_extents(name, shape); })
          .wide([](const launch_shape& shape) {
            return static_cast<double>(volume(shape[0])) * sizeof(T) >= hocket::detail::wide_bytes;
          })
          .in_place()
          .positional()
          .with(hocket::detail::scan_bodies(element_type_of<T>, Inclusive));
  return made;
}

#define HOCKET_INSTANTIATE(T)                                          \
  template const scan_op<true>::type<T>& scan_op<true>::instance<T>(); \
  template const scan_op<false>::type<T>& scan_op<false>::instance<T>();
HOCKET_FOR_FULL_WIDTH(HOCKET_INSTANTIATE)
#undef HOCKET_INSTANTIATE

}  // namespace hocket::ops::detail
