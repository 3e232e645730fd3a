// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#include <array>

#include <hocket/core/never_destroyed.hpp>
#include <hocket/kernels/elementwise.hpp>
#include <hocket/kernels/ops.hpp>
#include <hocket/kernels/ranges.hpp>

#include "device/bodies.hpp"
#include "rows.hpp"

namespace hocket::ops::detail {

using hocket::detail::dense_cursor;
using hocket::detail::for_ranges;
using hocket::detail::loop_over;
using hocket::detail::require_extents;
using hocket::detail::row;
using hocket::detail::rows_of;

namespace {

/// How many elements one piece of a wide forward body has.
constexpr std::size_t forward_grain = 32768;

/// How many columns one piece of a wide backward body sums, each over all rows in order.
constexpr std::size_t backward_columns = 64;

template <class T>
bool is_large(const launch_shape& shape, std::size_t matrices) {
  return static_cast<double>(matrices * volume(shape[0]) * sizeof(T)) >= hocket::detail::wide_bytes;
}

/// x, or zero where x is negative; a NaN stays one.
template <class T>
T rectified(T x) {
  return x <= T{0} ? T{0} : x;
}

template <bool Relu, class T>
void forward(lane_group& lanes, buffer_view<const T, 2> x, buffer_view<const T> bias,
             buffer_view<T, 2> y) {
  const std::size_t columns = x.extent(1);
  assert(bias.contiguous());
  const auto rows = [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const auto add = [](const T& value, const T& added, T& sum) {
        sum = Relu ? rectified(value + added) : value + added;
      };
      loop_over(columns, add, dense_cursor<const T>{row(x, i)}, dense_cursor<const T>{bias.data()},
                dense_cursor<T>{row(y, i)});
    }
  };
  for_ranges(lanes, x.extent(0), rows_of(forward_grain, columns), rows);
}

/// Adds the columns of a matrix, given by add_row(i, first column, columns, sums), to the bias's
/// gradient; overwrites that unless it is updated.
template <access_mode Mode, class T, class AddRow>
void sum_columns(lane_group& lanes, std::size_t rows, const buffer_view<T>& gradient,
                 const AddRow& add_row) {
  const auto columns = [&](std::size_t begin, std::size_t end) {
    for (std::size_t first = begin; first < end; first += backward_columns) {
      const std::size_t count = std::min(backward_columns, end - first);
      std::array<T, backward_columns> sums{};
      for (std::size_t i = 0; i < rows; ++i) add_row(i, first, count, sums.data());
      for (std::size_t j = 0; j < count; ++j) {
        T& target = gradient(first + j);
        target = Mode == access_mode::update ? target + sums[j] : sums[j];
      }
    }
  };
  for_ranges(lanes, gradient.extent(0), backward_columns, columns);
}

template <access_mode Mode, class T>
void backward(lane_group& lanes, buffer_view<const T, 2> dy, buffer_view<T> dbias) {
  sum_columns<Mode>(lanes, dy.extent(0), dbias,
                    [&](std::size_t i, std::size_t first, std::size_t count, T* sums) {
                      loop_over(
                          count, [](const T& value, T& sum) { sum += value; },
                          dense_cursor<const T>{row(dy, i) + first}, dense_cursor<T>{sums});
                    });
}

template <access_mode Mode, class T>
void relu_backward(lane_group& lanes, buffer_view<const T, 2> y, buffer_view<const T, 2> dy,
                   buffer_view<T, 2> dx, buffer_view<T> dbias) {
  const auto pass = [](const T& activation, const T& from, T& to, T& sum) {
    to = activation <= T{0} ? T{0} : from;
    sum += to;
  };
  sum_columns<Mode>(lanes, y.extent(0), dbias,
                    [&](std::size_t i, std::size_t first, std::size_t count, T* sums) {
                      loop_over(count, pass, dense_cursor<const T>{row(y, i) + first},
                                dense_cursor<const T>{row(dy, i) + first},
                                dense_cursor<T>{row(dx, i) + first}, dense_cursor<T>{sums});
                    });
}

constexpr const char* accumulate_suffix(access_mode mode) {
  return mode == access_mode::update ? "_accumulate" : "";
}

}  // namespace

template <bool Relu>
template <class T>
auto bias_forward_op<Relu>::instance() -> const type<T>& {
  static const never_destroyed<type<T>> made = [] {
    const std::string name = Relu ? "bias_relu_forward" : "bias_forward";
    return type<T>(name, host_body{forward<Relu, T>})
        .check([name](const launch_shape& shape) {
          require_extents(name, "a bias", shape[1], "the columns of its input ask for one",
                          {shape[0][1]});
          require_extents(name, "an output", shape[2], "its input asks for one", shape[0]);
        })
        .wide([](const launch_shape& shape) { return is_large<T>(shape, 2); })
        .in_place()
        .with(hocket::detail::bias_forward_bodies(element_type_of<T>, Relu));
  }();
  return made;
}

template <access_mode Mode>
template <class T>
auto bias_backward_op<Mode>::instance() -> const type<T>& {
  static const never_destroyed<type<T>> made = [] {
    const std::string name = std::string("bias_backward") + accumulate_suffix(Mode);
    return type<T>(name, host_body{backward<Mode, T>})
        .check([name](const launch_shape& shape) {
          require_extents(name, "a gradient of the bias", shape[1],
                          "the columns of its input ask for one", {shape[0][1]});
        })
        .wide([](const launch_shape& shape) { return is_large<T>(shape, 1); })
        .with(hocket::detail::bias_backward_bodies(element_type_of<T>, Mode));
  }();
  return made;
}

template <access_mode Mode>
template <class T>
auto bias_relu_backward_op<Mode>::instance() -> const type<T>& {
  static const never_destroyed<type<T>> made = [] {
    const std::string name = std::string("bias_relu_backward") + accumulate_suffix(Mode);
    return type<T>(name, host_body{relu_backward<Mode, T>})
        .check([name](const launch_shape& shape) {
          require_extents(name, "a gradient of the output", shape[1], "the output asks for one",
                          shape[0]);
          require_extents(name, "a gradient of the input", shape[2], "the output asks for one",
                          shape[0]);
          require_extents(name, "a gradient of the bias", shape[3],
                          "the columns of the output ask for one", {shape[0][1]});
        })
        .wide([](const launch_shape& shape) { return is_large<T>(shape, 3); })
        .in_place()
        .with(hocket::detail::bias_relu_backward_bodies(element_type_of<T>, Mode));
  }();
  return made;
}

#define HOCKET_INSTANTIATE(OP)                           \
  template const OP::type<float>& OP::instance<float>(); \
  template const OP::type<double>& OP::instance<double>();
HOCKET_INSTANTIATE(bias_forward_op<false>)
HOCKET_INSTANTIATE(bias_forward_op<true>)
HOCKET_INSTANTIATE(bias_backward_op<access_mode::write>)
HOCKET_INSTANTIATE(bias_backward_op<access_mode::update>)
HOCKET_INSTANTIATE(bias_relu_backward_op<access_mode::write>)
HOCKET_INSTANTIATE(bias_relu_backward_op<access_mode::update>)
#undef HOCKET_INSTANTIATE

}  // namespace hocket::ops::detail
