// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <type_traits>

#include <hocket/kernels/traced.hpp>

namespace hocket::detail {

/// a + b and a * b of numbers or traced values; integers wrap around without overflow in the sense
/// of the language.
template <class T>
[[nodiscard]] constexpr T sum_of(T a, T b) noexcept {
  using type = element_behind_t<T>;
  if constexpr (std::is_integral_v<type>) {
    using bits = std::make_unsigned_t<type>;
    return cast<type>(cast<bits>(a) + cast<bits>(b));
  } else {
    return a + b;
  }
}
template <class T>
[[nodiscard]] constexpr T product_of(T a, T b) noexcept {
  using type = element_behind_t<T>;
  if constexpr (std::is_integral_v<type>) {
    using bits = std::make_unsigned_t<type>;
    return cast<type>(cast<bits>(a) * cast<bits>(b));
  } else {
    return a * b;
  }
}

}  // namespace hocket::detail
