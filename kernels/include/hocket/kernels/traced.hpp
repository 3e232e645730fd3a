// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <concepts>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <utility>

#include <hocket/kernels/expression.hpp>
#include <hocket/kernels/select.hpp>

namespace hocket {

/// What a generic lambda is given in place of a T while it is traced: it records what is done with
/// it. A plain value: assigning to it changes what the variable stands for. A number beside it
/// takes its type, unless that would cut a fraction off.
template <class T>
class traced;

namespace detail {

template <class T>
struct traced_type {
  static constexpr bool is_traced = false;
};
template <class T>
struct traced_type<traced<T>> {
  static constexpr bool is_traced = true;
  using type = T;
};

/// The traced type of a number, from which a class may be derived.
template <number_element T>
traced<T> as_traced(const traced<T>&);
template <class T>
concept traced_number = requires(const std::remove_cvref_t<T>& value) {
  as_traced(value);
};
template <class T>
concept operand = traced_number<T> || number<T>;

template <class T>
consteval auto element_behind() {
  using plain = std::remove_cvref_t<T>;
  if constexpr (traced_number<T>) {
    using found = decltype(as_traced(std::declval<const plain&>()));
    return std::type_identity<typename traced_type<found>::type>{};
  } else {
    return std::type_identity<plain>{};
  }
}
/// T of a traced<T>, and of a plain number itself.
template <class T>
using element_behind_t = typename decltype(element_behind<T>())::type;

/// The type of a op b: that of C++, but a number that is not traced widens no floating type.
template <class A, class B>
consteval auto common_element() {
  using a = computed_t<element_behind_t<A>>;
  using b = computed_t<element_behind_t<B>>;
  if constexpr (std::is_floating_point_v<a> && !traced_number<B>) {
    return std::type_identity<a>{};
  } else if constexpr (std::is_floating_point_v<b> && !traced_number<A>) {
    return std::type_identity<b>{};
  } else {
    return std::type_identity<decltype(a{} + b{})>{};
  }
}
template <class A, class B>
using common_element_t = typename decltype(common_element<A, B>())::type;

/// The expression of a traced value or of a number, converted to T.
template <class T, class A>
[[nodiscard]] expression as_expression(const A& value) {
  if constexpr (traced_number<A>) {
    return converted(element_type_of<T>, value.recorded());
  } else if constexpr (std::is_same_v<T, bool>) {
    return make_truth(static_cast<bool>(value));
  } else {
    return make_literal(scalar_argument::of(static_cast<T>(value)));
  }
}

}  // namespace detail

/// A condition. It converts to no bool: a traced lambda chooses by select().
template <>
class traced<bool> {
 public:
  traced(bool value) : expression_(detail::make_truth(value)) {}  // NOLINT(*-explicit-*)
  explicit traced(detail::expression recorded) : expression_(std::move(recorded)) {}

  [[nodiscard]] const detail::expression& recorded() const noexcept { return expression_; }

  [[nodiscard]] friend traced operator!(const traced& a) {
    return traced(detail::apply(detail::operation::invert, {}, {a.expression_}));
  }
  /// Both sides are always computed.
  [[nodiscard]] friend traced operator&&(const traced& a, const traced& b) {
    return traced(detail::apply(detail::operation::both, {}, {a.expression_, b.expression_}));
  }
  [[nodiscard]] friend traced operator||(const traced& a, const traced& b) {
    return traced(detail::apply(detail::operation::either, {}, {a.expression_, b.expression_}));
  }
  [[nodiscard]] friend traced operator&(const traced& a, const traced& b) { return a && b; }
  [[nodiscard]] friend traced operator|(const traced& a, const traced& b) { return a || b; }

 private:
  detail::expression expression_;
};

template <class T>
class traced {
 public:
  traced(detail::number auto value)  // NOLINT(*-explicit-*)
      : expression_(detail::as_expression<T>(value)) {}
  template <class U>
  requires(!std::same_as<T, U> && !std::same_as<U, bool>)  //
      traced(const traced<U>& value)                       // NOLINT(*-explicit-*)
      : expression_(detail::as_expression<T>(value)) {}
  explicit traced(detail::expression recorded) : expression_(std::move(recorded)) {}

  [[nodiscard]] const detail::expression& recorded() const noexcept { return expression_; }

  traced& operator+=(const detail::operand auto& b) { return *this = *this + b; }
  traced& operator-=(const detail::operand auto& b) { return *this = *this - b; }
  traced& operator*=(const detail::operand auto& b) { return *this = *this * b; }
  traced& operator/=(const detail::operand auto& b) { return *this = *this / b; }
  traced& operator%=(const detail::operand auto& b) { return *this = *this % b; }
  traced& operator&=(const detail::operand auto& b) { return *this = *this & b; }
  traced& operator|=(const detail::operand auto& b) { return *this = *this | b; }
  traced& operator^=(const detail::operand auto& b) { return *this = *this ^ b; }
  traced& operator<<=(const detail::operand auto& b) { return *this = *this << b; }
  traced& operator>>=(const detail::operand auto& b) { return *this = *this >> b; }

 private:
  detail::expression expression_;
};

namespace detail {

template <class T>
inline constexpr bool is_condition = std::is_same_v<element_behind_t<T>, bool>;

template <class A, class B>
concept traced_operands = operand<A> && operand<B> &&(traced_number<A> || traced_number<B>)&&  //
                          !is_condition<A> &&
                          !is_condition<B>;

/// Both are integers, at least one of them traced.
template <class A, class B>
concept traced_integers = traced_operands<A, B> && std::integral<element_behind_t<A>> &&
    std::integral<element_behind_t<B>>;

template <class A, class B>
[[nodiscard]] auto arithmetic(operation what, const A& a, const B& b) {
  using type = common_element_t<A, B>;
  return traced<type>(
      apply(what, element_type_of<type>, {as_expression<type>(a), as_expression<type>(b)}));
}

template <class A, class B>
[[nodiscard]] traced<bool> comparison(operation what, const A& a, const B& b) {
  using type = common_element_t<A, B>;
  return traced<bool>(apply(what, {}, {as_expression<type>(a), as_expression<type>(b)}));
}

/// The result has the type of what is shifted, as in C++.
template <class A, class B>
[[nodiscard]] auto shifted(operation what, const A& a, const B& count) {
  using type = decltype(+element_behind_t<A>{});
  return traced<type>(
      apply(what, element_type_of<type>, {as_expression<type>(a), as_expression<type>(count)}));
}

}  // namespace detail

template <class A, class B>
requires detail::traced_operands<A, B>
[[nodiscard]] auto operator+(const A& a, const B& b) {
  return detail::arithmetic(detail::operation::add, a, b);
}
template <class A, class B>
requires detail::traced_operands<A, B>
[[nodiscard]] auto operator-(const A& a, const B& b) {
  return detail::arithmetic(detail::operation::subtract, a, b);
}
template <class A, class B>
requires detail::traced_operands<A, B>
[[nodiscard]] auto operator*(const A& a, const B& b) {
  return detail::arithmetic(detail::operation::multiply, a, b);
}
template <class A, class B>
requires detail::traced_operands<A, B>
[[nodiscard]] auto operator/(const A& a, const B& b) {
  return detail::arithmetic(detail::operation::divide, a, b);
}
/// Of integers.
template <class A, class B>
requires detail::traced_operands<A, B> && std::integral<detail::common_element_t<A, B>>
[[nodiscard]] auto operator%(const A& a, const B& b) {
  return detail::arithmetic(detail::operation::remainder, a, b);
}
template <class A, class B>
requires detail::traced_integers<A, B>
[[nodiscard]] auto operator&(const A& a, const B& b) {
  return detail::arithmetic(detail::operation::bit_and, a, b);
}
template <class A, class B>
requires detail::traced_integers<A, B>
[[nodiscard]] auto operator|(const A& a, const B& b) {
  return detail::arithmetic(detail::operation::bit_or, a, b);
}
template <class A, class B>
requires detail::traced_integers<A, B>
[[nodiscard]] auto operator^(const A& a, const B& b) {
  return detail::arithmetic(detail::operation::bit_xor, a, b);
}
/// As in C++, the result is undefined for a count that is negative or not less than the bits of the
/// left side, which is at least an int.
template <class A, class B>
requires detail::traced_integers<A, B>
[[nodiscard]] auto operator<<(const A& a, const B& count) {
  return detail::shifted(detail::operation::shift_left, a, count);
}
template <class A, class B>
requires detail::traced_integers<A, B>
[[nodiscard]] auto operator>>(const A& a, const B& count) {
  return detail::shifted(detail::operation::shift_right, a, count);
}
template <std::integral T>
requires(!std::same_as<T, bool>) [[nodiscard]] auto operator~(const traced<T>& a) {
  using type = decltype(~T{});
  return traced<type>(detail::apply(detail::operation::bit_not, element_type_of<type>,
                                    {detail::as_expression<type>(a)}));
}
template <class T>
requires(!std::same_as<T, bool>) [[nodiscard]] auto operator-(const traced<T>& a) {
  using type = decltype(-T{});
  return traced<type>(detail::apply(detail::operation::negate, element_type_of<type>,
                                    {detail::as_expression<type>(a)}));
}
template <class T>
requires(!std::same_as<T, bool>) [[nodiscard]] auto operator+(const traced<T>& a) {
  return traced<decltype(+T{})>(a);
}

template <class A, class B>
requires detail::traced_operands<A, B>
[[nodiscard]] traced<bool> operator==(const A& a, const B& b) {
  return detail::comparison(detail::operation::equal, a, b);
}
template <class A, class B>
requires detail::traced_operands<A, B>
[[nodiscard]] traced<bool> operator!=(const A& a, const B& b) {
  return detail::comparison(detail::operation::not_equal, a, b);
}
template <class A, class B>
requires detail::traced_operands<A, B>
[[nodiscard]] traced<bool> operator<(const A& a, const B& b) {
  return detail::comparison(detail::operation::less, a, b);
}
template <class A, class B>
requires detail::traced_operands<A, B>
[[nodiscard]] traced<bool> operator<=(const A& a, const B& b) {
  return detail::comparison(detail::operation::less_equal, a, b);
}
template <class A, class B>
requires detail::traced_operands<A, B>
[[nodiscard]] traced<bool> operator>(const A& a, const B& b) { return b < a; }
template <class A, class B>
requires detail::traced_operands<A, B>
[[nodiscard]] traced<bool> operator>=(const A& a, const B& b) { return b <= a; }

namespace detail {

/// A reference of the same category to what a traced value stands for.
template <class A>
using element_reference =
    std::conditional_t<std::is_lvalue_reference_v<A>, element_behind_t<A>&, element_behind_t<A>&&>;

}  // namespace detail

/// select() where the condition is traced, or one of the values is.
template <detail::operand A, detail::operand B>
[[nodiscard]] auto select(const traced<bool>& condition, A&& a, B&& b) {
  using type = detail::choice<detail::element_reference<A&&>, detail::element_reference<B&&>>;
  return traced<type>(detail::apply(
      detail::operation::select, detail::expression_type_of<type>,
      {condition.recorded(), detail::as_expression<type>(a), detail::as_expression<type>(b)}));
}
template <class A, class B>
requires detail::traced_operands<A, B>
[[nodiscard]] auto select(bool condition, A&& a, B&& b) {
  using type = detail::choice<detail::element_reference<A&&>, detail::element_reference<B&&>>;
  return traced<type>(condition ? detail::as_expression<type>(a) : detail::as_expression<type>(b));
}

/// A conversion that a lambda may use on the host and traced: cast<float>(n). As in C++, the result
/// is undefined where an integer type cannot hold the value, and devices differ in it.
template <number_element T>
[[nodiscard]] constexpr T cast(detail::number auto value) noexcept {
  return static_cast<T>(value);
}
template <number_element T, detail::traced_number U>
[[nodiscard]] traced<T> cast(const U& value) {
  return traced<T>(detail::as_expression<T>(value));
}

namespace detail {
/// Of a float, on the host and traced.
template <class T, class Float>
[[nodiscard]] constexpr auto saturated(const Float& value) {
  const float greatest = std::numeric_limits<T>::max(), lowest = -greatest;
  return cast<T>(select(value > greatest, greatest, select(value < lowest, lowest, value)));
}
}  // namespace detail

/// The nearest number that T has, float16 or a narrower type: its greatest for all that are beyond
/// it, infinity among them. A NaN stays one. A conversion without it makes infinity or NaN of them.
///
///     const auto narrowed = elementwise("narrowed", [](const auto& x, auto scale, auto& y) {
///       y = saturate_cast<float8_e4m3>(x / scale);
///     });
template <class T>
requires detail::is_narrow_float<T>
[[nodiscard]] constexpr T saturate_cast(detail::number auto value) noexcept {
  return detail::saturated<T>(static_cast<float>(value));
}
template <class T, detail::traced_number U>
requires detail::is_narrow_float<T>
[[nodiscard]] traced<T> saturate_cast(const U& value) {
  return detail::saturated<T>(traced<float>(detail::as_expression<float>(value)));
}

/// The number of an element in a loop on the host. See element_index.
class host_index {
 public:
  constexpr explicit host_index(std::uint32_t value) noexcept : value_(value) {}
  constexpr operator std::uint32_t() const noexcept { return value_; }  // NOLINT(*-explicit-*)

 private:
  std::uint32_t value_;
};

/// The number of an element while a lambda is traced.
class traced_index : public traced<std::uint32_t> {
 public:
  traced_index() : traced<std::uint32_t>(detail::make_index()) {}
};

template <number_element T>
[[nodiscard]] constexpr T cast(host_index value) noexcept {
  return static_cast<T>(std::uint32_t{value});
}

/// What a last parameter of an elementwise lambda asks for that no argument is passed to: the
/// position of the element in the region, row by row, an unsigned number of 32 bits.
///
///     const auto ramp = elementwise("ramp", [](auto step, auto& y, element_index auto i) {
///       y = step * cast<float>(i);
///     });
template <class T>
concept element_index = std::same_as<T, host_index> || std::same_as<T, traced_index>;

}  // namespace hocket
