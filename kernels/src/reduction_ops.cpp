// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#include <limits>

#include <hocket/core/never_destroyed.hpp>
#include <hocket/kernels/ops.hpp>
#include <hocket/kernels/reduction.hpp>

#include "arithmetic.hpp"
#include "element_lists.hpp"

namespace hocket::ops::detail {

namespace {

/// A number as reductions compute with it; numbers in 16 bits as floats.
constexpr auto widened = [](auto x) {
  using type = hocket::detail::element_behind_t<decltype(x)>;
  return cast<computed_t<type>>(x);
};

}  // namespace

template <class T>
auto sum_op::instance() -> const type<T>& {
  static const never_destroyed made = reduction("sum", 0, [](auto a, auto b) {
                                        return hocket::detail::sum_of(a, b);
                                      }).template resolve<in_buffer<T, any_rank>>();
  return made;
}

template <class T>
auto max_op::instance() -> const type<T>& {
  const auto least = []<class E>(E) {
    using limits = std::numeric_limits<E>;
    return limits::has_infinity ? -limits::infinity() : limits::lowest();
  };
  // a != a keeps a NaN on the left, and no comparison replaces one on the right. Without a branch
  // between the two conditions the loop is vectorised.
  static const never_destroyed made = reduction("max", least, [](auto a, auto b) {
                                        return select((a > b) | (a != a), a, b);
                                      }).template resolve<in_buffer<T, any_rank>>();
  return made;
}

template <class T>
auto min_op::instance() -> const type<T>& {
  const auto most = []<class E>(E) {
    using limits = std::numeric_limits<E>;
    return limits::has_infinity ? limits::infinity() : limits::max();
  };
  static const never_destroyed made = reduction("min", most, [](auto a, auto b) {
                                        return select((a < b) | (a != a), a, b);
                                      }).template resolve<in_buffer<T, any_rank>>();
  return made;
}

template <class T>
auto dot_op::instance() -> const type<T>& {
  static const never_destroyed made =
      transform_reduction(
          "dot", 0, [](auto a, auto b) { return hocket::detail::sum_of(a, b); },
          [](auto x, auto y) { return hocket::detail::product_of(widened(x), widened(y)); })
          .template resolve<in_buffer<T, any_rank>, in_buffer<T, any_rank>>();
  return made;
}

template <class T>
auto sum_of_squares_op::instance() -> const type<T>& {
  static const never_destroyed made =
      transform_reduction(
          "sum_of_squares", 0, [](auto a, auto b) { return a + b; }, [](auto x) { return x * x; })
          .template resolve<in_buffer<T, any_rank>>();
  return made;
}

template <class T>
auto max_magnitude_op::instance() -> const type<T>& {
  static const never_destroyed made =
      transform_reduction(
          "max_magnitude", 0, [](auto a, auto b) { return select((a > b) | (a != a), a, b); },
          [](auto x) { return abs(x); })
          .template resolve<in_buffer<T, any_rank>>();
  return made;
}

#define HOCKET_INSTANTIATE(T)                            \
  template const sum_op::type<T>& sum_op::instance<T>(); \
  template const max_op::type<T>& max_op::instance<T>(); \
  template const min_op::type<T>& min_op::instance<T>(); \
  template const dot_op::type<T>& dot_op::instance<T>();
HOCKET_FOR_COMPUTABLE(HOCKET_INSTANTIATE)
#undef HOCKET_INSTANTIATE

#define HOCKET_INSTANTIATE(OP)                           \
  template const OP::type<float>& OP::instance<float>(); \
  template const OP::type<double>& OP::instance<double>();
HOCKET_INSTANTIATE(sum_of_squares_op)
HOCKET_INSTANTIATE(max_magnitude_op)
#undef HOCKET_INSTANTIATE

}  // namespace hocket::ops::detail
