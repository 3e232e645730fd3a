// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#include <array>

#include <hocket/core/never_destroyed.hpp>
#include <hocket/kernels/elementwise.hpp>
#include <hocket/kernels/ops.hpp>

#include "arithmetic.hpp"
#include "element_lists.hpp"

namespace hocket::ops::detail {

using hocket::detail::product_of;
using hocket::detail::sum_of;

namespace {

/// The cost of a launch with several operations for each element. The object owns nothing, so that
/// tasks need not let go of the kernel when they end.
struct cost_of_operations {
  std::array<parameter, 4> buffers{};
  double operations = 1;

  launch_work operator()(const launch_shape& shape) const {
    launch_work cost;
    for (std::size_t i = 0; i < shape.size(); ++i) {
      cost.add_buffer(volume(shape[i]), buffers[i].type, buffers[i].mode);
    }
    cost.flops *= operations;
    return cost;
  }
};

template <class Kernel>
Kernel with_operations(const Kernel& of, double operations) {
  cost_of_operations cost{.operations = operations};
  std::size_t buffers = 0;
  for (const parameter& each : of.definition()->parameters) {
    if (each.is == parameter::kind::buffer) cost.buffers.at(buffers++) = each;
  }
  return of.cost(cost);
}

}  // namespace

template <class T>
auto fill_op::instance() -> const type<T>& {
  static const never_destroyed made = elementwise("fill", [](auto value, auto& x) {
                                        x = value;
                                      }).template resolve<T, out_buffer<T, any_rank>>();
  return made;
}

template <class T>
auto copy_op::of_numbers() -> const type<T>& {
  static const never_destroyed made =
      elementwise("copy", [](const auto& x, auto& y) {
        y = x;
      }).template resolve<in_buffer<T, any_rank>, out_buffer<T, any_rank>>();
  return made;
}

template <class T>
auto axpy_op::instance() -> const type<T>& {
  // Of integers it wraps around; a number in 16 bits is rounded once.
  const auto step = [](auto a, const auto& x, auto& y) {
    if constexpr (std::is_same_v<computed_t<T>, T>) {
      y = sum_of(y, product_of(a, x));
    } else {
      y += a * x;
    }
  };
  static const never_destroyed made = with_operations(
      elementwise("axpy", step)
          .template resolve<computed_t<T>, in_buffer<T, any_rank>, inout_buffer<T, any_rank>>(),
      2);
  return made;
}

template <class T>
auto add_op::instance() -> const type<T>& {
  static const never_destroyed made =
      elementwise("add", [](const auto& x, const auto& y, auto& z) { z = sum_of(x, y); })
          .template resolve<in_buffer<T, any_rank>, in_buffer<T, any_rank>,
                            out_buffer<T, any_rank>>();
  return made;
}

template <class T>
auto mul_op::instance() -> const type<T>& {
  static const never_destroyed made =
      elementwise("mul", [](const auto& x, const auto& y, auto& z) { z = product_of(x, y); })
          .template resolve<in_buffer<T, any_rank>, in_buffer<T, any_rank>,
                            out_buffer<T, any_rank>>();
  return made;
}

template <class T>
auto sgd_momentum_op::instance() -> const type<T>& {
  static const never_destroyed made = with_operations(
      elementwise("sgd_momentum",
                  [](auto rate, auto momentum, const auto& gradient, auto& velocity, auto& weight) {
                    const auto next = momentum * velocity + gradient;
                    velocity = next;
                    weight -= rate * next;
                  })
          .template resolve<T, T, in_buffer<T, any_rank>, inout_buffer<T, any_rank>,
                            inout_buffer<T, any_rank>>(),
      4);
  return made;
}

#define HOCKET_INSTANTIATE_STORABLE(T)                     \
  template const fill_op::type<T>& fill_op::instance<T>(); \
  template const copy_op::type<T>& copy_op::of_numbers<T>();
HOCKET_FOR_STORABLE(HOCKET_INSTANTIATE_STORABLE)

#define HOCKET_INSTANTIATE_COMPUTABLE(T)                   \
  template const axpy_op::type<T>& axpy_op::instance<T>(); \
  template const add_op::type<T>& add_op::instance<T>();   \
  template const mul_op::type<T>& mul_op::instance<T>();
HOCKET_FOR_COMPUTABLE(HOCKET_INSTANTIATE_COMPUTABLE)

template const sgd_momentum_op::type<float>& sgd_momentum_op::instance<float>();
template const sgd_momentum_op::type<double>& sgd_momentum_op::instance<double>();

}  // namespace hocket::ops::detail
