// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#include <limits>

#include <hocket/kernels/ops.hpp>
#include <hocket/kernels/reduction.hpp>

#include "arithmetic.hpp"

namespace hocket::ops::detail {

template <class T>
auto sum_op::instance() -> const type<T>& {
  static const auto made = reduction("sum", 0, [](auto a, auto b) {
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
  static const auto made = reduction("max", least, [](auto a, auto b) {
                             return select((a > b) | (a != a), a, b);
                           }).template resolve<in_buffer<T, any_rank>>();
  return made;
}

#define HOCKET_INSTANTIATE(T)                            \
  template const sum_op::type<T>& sum_op::instance<T>(); \
  template const max_op::type<T>& max_op::instance<T>();
HOCKET_INSTANTIATE(float)
HOCKET_INSTANTIATE(double)
HOCKET_INSTANTIATE(std::int32_t)
HOCKET_INSTANTIATE(std::uint32_t)
HOCKET_INSTANTIATE(std::int64_t)
HOCKET_INSTANTIATE(std::uint64_t)
#undef HOCKET_INSTANTIATE

}  // namespace hocket::ops::detail
