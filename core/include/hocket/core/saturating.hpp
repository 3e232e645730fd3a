// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <concepts>
#include <limits>

namespace hocket {

/// The sum, or the limit of the type that the sum is beyond.
template <std::integral Number>
[[nodiscard]] constexpr Number saturating_add(Number a, Number b) noexcept {
  Number sum{};
  if (!__builtin_add_overflow(a, b, &sum)) return sum;
  return b < Number{0} ? std::numeric_limits<Number>::min() : std::numeric_limits<Number>::max();
}

}  // namespace hocket
