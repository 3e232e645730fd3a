// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <cstdint>

#include <hocket/core/duration.hpp>

namespace hocket::placement {

/// The value is not negative.
[[nodiscard]] inline nanoseconds rounded(double count) noexcept {
  return nanoseconds(static_cast<std::int64_t>(count + 0.5));
}

[[nodiscard]] inline double count(nanoseconds time) noexcept {
  return static_cast<double>(time.count());
}

}  // namespace hocket::placement
