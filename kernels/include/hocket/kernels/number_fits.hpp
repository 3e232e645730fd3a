// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <concepts>
#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>
#include <utility>

#include <hocket/core/dtype.hpp>

namespace hocket::detail {

/// The number as whole text.
[[nodiscard]] std::string number_text(long long value);
[[nodiscard]] std::string number_text(unsigned long long value);
[[nodiscard]] std::string number_text(double value);

/// "0 to 255" of u8. Precondition: the type is one of whole numbers.
[[nodiscard]] std::string limits_of(element_type type);

/// The number as one of three types that hold all numbers of its kind.
template <class Number>
[[nodiscard]] constexpr auto widened(Number value) {
  if constexpr (!std::is_integral_v<Number>) {
    return static_cast<double>(value);
  } else if constexpr (std::is_signed_v<Number>) {
    return static_cast<long long>(value);
  } else {
    return static_cast<unsigned long long>(value);
  }
}

template <class To>
[[nodiscard]] constexpr bool holds(double value) {
  constexpr int digits = std::numeric_limits<To>::digits;
  constexpr double end = 2.0 * static_cast<double>(To{1} << (digits - 1));
  // Its fraction is cut off. Not true of a NaN.
  return std::is_signed_v<To> ? value >= -end && value < end : value > -1 && value < end;
}
template <class To, std::integral Wide>
[[nodiscard]] constexpr bool holds(Wide value) {
  return std::in_range<To>(value);
}

/// False for a whole number type that does not hold the number. Floating types hold any number,
/// rounded, or as an infinity.
template <class Number>
[[nodiscard]] constexpr bool number_fits(Number value, element_type to) {
  if (to == element_type_of<Number>) return true;
  switch (to) {
    case element_type::i8:
      return holds<std::int8_t>(widened(value));
    case element_type::u8:
      return holds<std::uint8_t>(widened(value));
    case element_type::i16:
      return holds<std::int16_t>(widened(value));
    case element_type::u16:
      return holds<std::uint16_t>(widened(value));
    case element_type::i32:
      return holds<std::int32_t>(widened(value));
    case element_type::u32:
      return holds<std::uint32_t>(widened(value));
    case element_type::i64:
      return holds<std::int64_t>(widened(value));
    case element_type::u64:
      return holds<std::uint64_t>(widened(value));
    default:
      return true;
  }
}

}  // namespace hocket::detail
