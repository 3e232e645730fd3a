// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <type_traits>

namespace hocket {

/// The type of one element of a buffer.
enum class element_type : std::uint8_t { f32, f64, i8, u8, i16, u16, i32, u32, i64, u64 };

[[nodiscard]] constexpr std::size_t size_of(element_type type) noexcept {
  switch (type) {
    case element_type::i8:
    case element_type::u8:
      return 1;
    case element_type::i16:
    case element_type::u16:
      return 2;
    case element_type::f32:
    case element_type::i32:
    case element_type::u32:
      return 4;
    case element_type::f64:
    case element_type::i64:
    case element_type::u64:
      return 8;
  }
  return 0;
}

/// The name of the type as it is written in C++: "float", "double", "int8", "uint8" and so on.
[[nodiscard]] std::string_view to_string(element_type type) noexcept;

namespace detail {
template <class T>
consteval element_type element_type_for() {
  if constexpr (std::is_same_v<T, float>)
    return element_type::f32;
  else if constexpr (std::is_same_v<T, double>)
    return element_type::f64;
  else if constexpr (std::is_integral_v<T> && std::is_signed_v<T> && sizeof(T) == 1)
    return element_type::i8;
  else if constexpr (std::is_integral_v<T> && !std::is_signed_v<T> && sizeof(T) == 1)
    return element_type::u8;
  else if constexpr (std::is_integral_v<T> && std::is_signed_v<T> && sizeof(T) == 2)
    return element_type::i16;
  else if constexpr (std::is_integral_v<T> && !std::is_signed_v<T> && sizeof(T) == 2)
    return element_type::u16;
  else if constexpr (std::is_integral_v<T> && std::is_signed_v<T> && sizeof(T) == 4)
    return element_type::i32;
  else if constexpr (std::is_integral_v<T> && !std::is_signed_v<T> && sizeof(T) == 4)
    return element_type::u32;
  else if constexpr (std::is_integral_v<T> && std::is_signed_v<T> && sizeof(T) == 8)
    return element_type::i64;
  else if constexpr (std::is_integral_v<T> && !std::is_signed_v<T> && sizeof(T) == 8)
    return element_type::u64;
}
}  // namespace detail

/// What a buffer may hold: float, double and the integers of 8 to 64 bits, but not bool.
template <class T>
concept element = std::is_same_v<T, std::remove_cv_t<T>> && !std::is_same_v<T, bool> &&
                  (std::is_same_v<T, float> || std::is_same_v<T, double> || std::is_integral_v<T>);

template <element T>
inline constexpr element_type element_type_of = detail::element_type_for<T>();

}  // namespace hocket
