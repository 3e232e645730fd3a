// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <cstdint>

namespace hocket::detail {

/// Turns a priority (higher first) into a rank (lower first). Unlike a minus sign, this is defined
/// for the lowest priority.
[[nodiscard]] constexpr std::int64_t rank_of(std::int64_t priority) noexcept { return ~priority; }

}  // namespace hocket::detail
