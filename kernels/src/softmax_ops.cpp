// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#include <cmath>

#include <hocket/core/never_destroyed.hpp>
#include <hocket/kernels/ops.hpp>
#include <hocket/kernels/ranges.hpp>

#include "device/bodies.hpp"
#include "rows.hpp"

namespace hocket::ops::detail {

using hocket::detail::for_ranges;
using hocket::detail::require_extents;
using hocket::detail::row;
using hocket::detail::rows_of;

namespace {

/// How many elements one piece of a wide body has, and from how many on a body is wide. An
/// exponential costs several nanoseconds.
constexpr std::size_t grain = 4096;
constexpr std::size_t wide_elements = 65536;
constexpr double operations_each = 20;

/// The label of a row, checked: a wrong one is an error in the data, found when the task runs.
std::size_t label_at(const std::string& kernel, const buffer_view<const std::int32_t>& labels,
                     std::size_t i, std::size_t classes) {
  const std::int32_t label = labels(i);
  if (label >= 0 && static_cast<std::size_t>(label) < classes) {
    return static_cast<std::size_t>(label);
  }
  throw error(failure(failure_code::task_failed, "Kernel \"" + kernel + "\" finds label " +
                                                     std::to_string(label) + " in row " +
                                                     std::to_string(i) + "; labels are from 0 to " +
                                                     std::to_string(classes - 1) + "."));
}

/// The largest value of a row; NaN if there is one.
template <class T>
T largest(const T* values, std::size_t count) {
  T found = values[0];
  for (std::size_t j = 1; j < count; ++j) {
    if (!(values[j] <= found) && found == found) found = values[j];
  }
  return found;
}

constexpr const char* forward_name = "softmax_cross_entropy_forward";
constexpr const char* backward_name = "softmax_cross_entropy_backward";
constexpr const char* count_name = "count_correct";

template <class T>
void forward(lane_group& lanes, buffer_view<const T, 2> logits,
             buffer_view<const std::int32_t> labels, buffer_view<T> loss) {
  const std::size_t classes = logits.extent(1);
  const auto rows = [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const std::size_t label = label_at(forward_name, labels, i, classes);
      const T* x = row(logits, i);
      // The largest exponent is zero, so that the sum neither overflows nor vanishes.
      const T top = largest(x, classes);
      T sum = 0;
      for (std::size_t j = 0; j < classes; ++j) sum += std::exp(x[j] - top);
      loss(i) = std::log(sum) - (x[label] - top);
    }
  };
  for_ranges(lanes, logits.extent(0), rows_of(grain, classes), rows);
}

template <class T>
void backward(lane_group& lanes, T scale, buffer_view<const T, 2> logits,
              buffer_view<const std::int32_t> labels, buffer_view<T, 2> dlogits) {
  const std::size_t classes = logits.extent(1);
  const auto rows = [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const std::size_t label = label_at(backward_name, labels, i, classes);
      const T* x = row(logits, i);
      T* dx = row(dlogits, i);
      const T top = largest(x, classes);
      T sum = 0;
      for (std::size_t j = 0; j < classes; ++j) {
        dx[j] = std::exp(x[j] - top);
        sum += dx[j];
      }
      for (std::size_t j = 0; j < classes; ++j) {
        dx[j] = scale * (dx[j] / sum - (j == label ? T{1} : T{0}));
      }
    }
  };
  for_ranges(lanes, logits.extent(0), rows_of(grain, classes), rows);
}

/// Whether the first largest value stands at the label; a row with NaN is never correct, because
/// each comparison with it is false.
template <class T>
bool is_correct(const T* x, std::size_t classes, std::size_t label) {
  bool correct = x[label] == x[label];
  for (std::size_t j = 0; j < label; ++j) correct = correct && x[label] > x[j];
  for (std::size_t j = label + 1; j < classes; ++j) correct = correct && x[label] >= x[j];
  return correct;
}

template <class T>
std::int64_t count_correct_rows(buffer_view<const T, 2> logits,
                                buffer_view<const std::int32_t> labels) {
  std::int64_t correct = 0;
  for (std::size_t i = 0; i < logits.extent(0); ++i) {
    const std::size_t label = label_at(count_name, labels, i, logits.extent(1));
    if (is_correct(row(logits, i), logits.extent(1), label)) ++correct;
  }
  return correct;
}

void check_labels(const std::string& name, const launch_shape& shape) {
  if (shape[0][0] > 0 && shape[0][1] == 0) {
    throw usage_error("Kernel \"" + name + "\" is given logits of " + to_string(shape[0]) +
                      "; there must be at least one class.");
  }
  require_extents(name, "labels", shape[1], "the rows of the logits ask for labels", {shape[0][0]});
}

bool is_large(const launch_shape& shape) { return volume(shape[0]) >= wide_elements; }

/// The cost where each logit takes part in an exponential.
template <class T>
launch_work cost_of(const launch_shape& shape, std::size_t written) {
  const std::size_t logits = volume(shape[0]);
  const std::size_t bytes = (logits + written) * sizeof(T) + volume(shape[1]) * sizeof(int);
  return {operations_each * static_cast<double>(logits), static_cast<double>(bytes)};
}

}  // namespace

template <class T>
auto softmax_cross_entropy_forward_op::instance() -> const type<T>& {
  static const never_destroyed<type<T>> made =
      type<T>(forward_name, host_body{forward<T>})
          .check([](const launch_shape& shape) {
            check_labels(forward_name, shape);
            require_extents(forward_name, "losses", shape[2],
                            "the rows of the logits ask for losses", {shape[0][0]});
          })
          .cost([](const launch_shape& shape) { return cost_of<T>(shape, volume(shape[2])); })
          .wide(is_large)
          .with(hocket::detail::softmax_forward_bodies(element_type_of<T>));
  return made;
}

template <class T>
auto softmax_cross_entropy_backward_op::instance() -> const type<T>& {
  static const never_destroyed<type<T>> made =
      type<T>(backward_name, host_body{backward<T>})
          .check([](const launch_shape& shape) {
            check_labels(backward_name, shape);
            require_extents(backward_name, "a gradient", shape[2], "the logits ask for one",
                            shape[0]);
          })
          .cost([](const launch_shape& shape) { return cost_of<T>(shape, volume(shape[2])); })
          .wide(is_large)
          .in_place()
          .with(hocket::detail::softmax_backward_bodies(element_type_of<T>));
  return made;
}

template <class T>
auto count_correct_op::instance() -> const type<T>& {
  static const never_destroyed<type<T>> made =
      type<T>(count_name, host_body{count_correct_rows<T>})
          .check([](const launch_shape& shape) { check_labels(count_name, shape); })
          .with(hocket::detail::count_correct_bodies(element_type_of<T>));
  return made;
}

#define HOCKET_INSTANTIATE(OP)                           \
  template const OP::type<float>& OP::instance<float>(); \
  template const OP::type<double>& OP::instance<double>();
HOCKET_INSTANTIATE(softmax_cross_entropy_forward_op)
HOCKET_INSTANTIATE(softmax_cross_entropy_backward_op)
HOCKET_INSTANTIATE(count_correct_op)
#undef HOCKET_INSTANTIATE

}  // namespace hocket::ops::detail
