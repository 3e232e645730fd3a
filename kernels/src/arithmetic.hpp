// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <type_traits>

namespace hocket::detail {

/// a + b and a * b; integers wrap around without overflow in the sense of the language.
template <class T>
[[nodiscard]] constexpr T sum_of(T a, T b) noexcept {
  if constexpr (std::is_integral_v<T>) {
    using bits = std::make_unsigned_t<T>;
    return static_cast<T>(static_cast<bits>(a) + static_cast<bits>(b));
  } else {
    return a + b;
  }
}
template <class T>
[[nodiscard]] constexpr T product_of(T a, T b) noexcept {
  if constexpr (std::is_integral_v<T>) {
    using bits = std::make_unsigned_t<T>;
    return static_cast<T>(static_cast<bits>(a) * static_cast<bits>(b));
  } else {
    return a * b;
  }
}

}  // namespace hocket::detail
