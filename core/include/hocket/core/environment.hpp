// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <hocket/core/duration.hpp>

namespace hocket {

/// The value of an environment variable; nothing if it is unset or empty.
[[nodiscard]] std::optional<std::string> environment_variable(const char* name);

/// Parses a whole number. what names the option or variable in the message of the usage_error that
/// is thrown for anything else, for a number below min or above max.
[[nodiscard]] std::uint64_t parse_number(std::string_view what, std::string_view text,
                                         std::uint64_t min, std::uint64_t max);

/// Parses bytes: "4096", "64K", "512M", "2G" (powers of 1024). Throws usage_error.
[[nodiscard]] std::uint64_t parse_bytes(std::string_view what, std::string_view text);

/// Parses a time of more than zero: "500ms", "10s", "2m", "1h". Throws usage_error.
[[nodiscard]] nanoseconds parse_duration(std::string_view what, std::string_view text);

/// Splits at a character; empty parts are kept. An empty text has no parts.
[[nodiscard]] std::vector<std::string> split(std::string_view text, char separator);

}  // namespace hocket
