// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <cmath>
#include <concepts>
#include <type_traits>

#include <hocket/kernels/traced.hpp>

/// The functions that a lambda may call on the host and traced, for floating numbers; abs, min and
/// max for integers as well. Devices round them in their own way. GLSL has only sqrt, abs, floor,
/// ceil, trunc, rint, fma, min, max, exp and log for double.
namespace hocket {

namespace detail {

template <class T>
concept real_number = std::floating_point<T> || is_narrow_float<T>;
template <class T>
concept traced_real = traced_number<T> && real_number<element_behind_t<T>>;

/// The type that functions of a traced value compute with and return.
template <class T>
using computed_behind_t = computed_t<element_behind_t<T>>;

template <class A>
[[nodiscard]] auto function(operation what, const A& a) {
  using type = computed_behind_t<A>;
  return traced<type>(apply(what, element_type_of<type>, {as_expression<type>(a)}));
}

}  // namespace detail

#define HOCKET_MATH_FUNCTION(NAME)                         \
  template <detail::real_number T>                         \
  [[nodiscard]] detail::computed_t<T> NAME(T x) noexcept { \
    return std::NAME(detail::computed_t<T>{x});            \
  }                                                        \
  template <detail::traced_real T>                         \
  [[nodiscard]] auto NAME(const T& x) {                    \
    return detail::function(detail::operation::NAME, x);   \
  }
HOCKET_MATH_FUNCTION(exp)
HOCKET_MATH_FUNCTION(exp2)
HOCKET_MATH_FUNCTION(log)
HOCKET_MATH_FUNCTION(log2)
HOCKET_MATH_FUNCTION(sqrt)
HOCKET_MATH_FUNCTION(sin)
HOCKET_MATH_FUNCTION(cos)
HOCKET_MATH_FUNCTION(tan)
HOCKET_MATH_FUNCTION(sinh)
HOCKET_MATH_FUNCTION(cosh)
HOCKET_MATH_FUNCTION(tanh)
HOCKET_MATH_FUNCTION(asin)
HOCKET_MATH_FUNCTION(acos)
HOCKET_MATH_FUNCTION(atan)
HOCKET_MATH_FUNCTION(floor)
HOCKET_MATH_FUNCTION(ceil)
HOCKET_MATH_FUNCTION(trunc)
HOCKET_MATH_FUNCTION(rint)
#undef HOCKET_MATH_FUNCTION

/// Of any number; a small integer becomes an int, as in C++. Of the least number of a type, whose
/// magnitude it does not hold, it is that number, on the host as on devices.
template <detail::number T>
[[nodiscard]] auto abs(T x) noexcept {
  if constexpr (std::is_unsigned_v<T>) {
    return +x;
  } else if constexpr (detail::real_number<T>) {
    return std::fabs(detail::computed_t<T>{x});
  } else {
    using type = decltype(+x);
    using bits = std::make_unsigned_t<type>;
    return x < 0 ? static_cast<type>(bits{0} - static_cast<bits>(x)) : type{x};
  }
}
template <detail::traced_number T>
[[nodiscard]] auto abs(const T& x) {
  using type = decltype(+detail::element_behind_t<T>{});
  if constexpr (std::is_unsigned_v<type>) {
    return traced<type>(x);
  } else if constexpr (std::is_floating_point_v<type>) {
    return detail::function(detail::operation::absolute, x);
  } else {
    return select(x < 0, -x, +x);
  }
}
template <detail::real_number T>
[[nodiscard]] auto fabs(T x) noexcept {
  return abs(x);
}
template <detail::traced_real T>
[[nodiscard]] auto fabs(const T& x) {
  return abs(x);
}

/// The lesser and the greater of two numbers; which of them, where one is NaN, is left open. A
/// literal has the type of the other.
template <detail::number A, detail::number B>
[[nodiscard]] constexpr auto min(A&& a, B&& b) noexcept {
  const auto first = static_cast<detail::choice<A&&, B&&>>(a);
  const auto second = static_cast<detail::choice<A&&, B&&>>(b);
  return second < first ? second : first;
}
template <detail::number A, detail::number B>
[[nodiscard]] constexpr auto max(A&& a, B&& b) noexcept {
  const auto first = static_cast<detail::choice<A&&, B&&>>(a);
  const auto second = static_cast<detail::choice<A&&, B&&>>(b);
  return first < second ? second : first;
}
template <class A, class B>
requires detail::traced_operands<A, B>
[[nodiscard]] auto min(A&& a, B&& b) {
  return select(b < a, std::forward<B>(b), std::forward<A>(a));
}
template <class A, class B>
requires detail::traced_operands<A, B>
[[nodiscard]] auto max(A&& a, B&& b) {
  return select(a < b, std::forward<B>(b), std::forward<A>(a));
}

/// x to the power y, x not negative. An exponent that is a literal has the type of x.
template <detail::real_number A, detail::number B>
[[nodiscard]] auto pow(A x, B y) noexcept {
  using type = detail::computed_t<A>;
  return std::pow(type{x}, static_cast<type>(y));
}
template <detail::traced_real A, detail::operand B>
[[nodiscard]] auto pow(const A& x, const B& y) {
  using type = detail::computed_behind_t<A>;
  return traced<type>(
      detail::apply(detail::operation::pow, element_type_of<type>,
                    {detail::as_expression<type>(x), detail::as_expression<type>(y)}));
}

/// x * y + z, rounded once where the device can.
template <detail::real_number A, detail::number B, detail::number C>
[[nodiscard]] auto fma(A x, B y, C z) noexcept {
  using type = detail::computed_t<A>;
  return std::fma(type{x}, static_cast<type>(y), static_cast<type>(z));
}
template <detail::traced_real A, detail::operand B, detail::operand C>
[[nodiscard]] auto fma(const A& x, const B& y, const C& z) {
  using type = detail::computed_behind_t<A>;
  return traced<type>(detail::apply(detail::operation::fma, element_type_of<type>,
                                    {detail::as_expression<type>(x), detail::as_expression<type>(y),
                                     detail::as_expression<type>(z)}));
}

}  // namespace hocket
