// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <type_traits>

#include <hocket/core/float16.hpp>

namespace hocket {

namespace detail {

/// The type that operators compute a T in: float for a number of float16 and narrower ones.
template <class T>
using computed_t = std::conditional_t<is_narrow_float<T>, float, T>;

/// The type of a choice between two numbers. A literal does not widen it: a floating type wins over
/// an integer, and a variable over a temporary of the same class.
template <class A, class B>
consteval auto choice_type() {
  using a = std::remove_cvref_t<A>;
  using b = std::remove_cvref_t<B>;
  constexpr bool a_floats = std::is_floating_point_v<computed_t<a>>;
  constexpr bool b_floats = std::is_floating_point_v<computed_t<b>>;
  constexpr bool a_stays = std::is_lvalue_reference_v<A>;
  constexpr bool b_stays = std::is_lvalue_reference_v<B>;
  if constexpr (a_floats != b_floats) {
    return std::type_identity<std::conditional_t<a_floats, a, b>>{};
  } else if constexpr (a_stays != b_stays) {
    return std::type_identity<std::conditional_t<a_stays, a, b>>{};
  } else if constexpr (std::is_same_v<a, b>) {
    return std::type_identity<a>{};
  } else {
    return std::type_identity<std::common_type_t<computed_t<a>, computed_t<b>>>{};
  }
}

template <class A, class B>
using choice = typename decltype(choice_type<A, B>())::type;

template <class T>
concept number =
    std::is_arithmetic_v<std::remove_cvref_t<T>> || is_narrow_float<std::remove_cvref_t<T>>;

}  // namespace detail

/// a where the condition holds, else b, without a branch: the form of an `if` in a lambda that is
/// also traced for devices. select(x > 0, x, 0) has the type of x.
template <detail::number A, detail::number B>
[[nodiscard]] constexpr detail::choice<A&&, B&&> select(bool condition, A&& a, B&& b) noexcept {
  using type = detail::choice<A&&, B&&>;
  return condition ? static_cast<type>(a) : static_cast<type>(b);
}

}  // namespace hocket
