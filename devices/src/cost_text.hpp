// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <hocket/devices/cost_store.hpp>

namespace hocket {

/// Bytes of a file of costs: a larger one is neither written nor read.
inline constexpr std::uint64_t largest_costs = std::uint64_t{8} << 20U;

/// True if a file may have it: amounts are finite and not negative, and it takes some time.
[[nodiscard]] bool is_sound(const launch_cost& cost);
[[nodiscard]] bool is_sound(const copy_cost& cost);

/// The content of a file of costs: a line with the version of the format and a digest of the rest,
/// which is JSON. All of them are sound. Costs that do not fit into so many bytes behind those
/// before them are left out.
[[nodiscard]] std::string to_text(const cost_table& costs, std::uint64_t max_bytes = largest_costs);

/// Nothing if the text is not whole, or of another version.
[[nodiscard]] std::optional<cost_table> parse_costs(std::string_view text);

}  // namespace hocket
