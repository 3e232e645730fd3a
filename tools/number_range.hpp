// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <charconv>
#include <cstdint>
#include <limits>
#include <string>
#include <system_error>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <hocket/core/printable.hpp>

namespace tools {

/// Lets numbers from least to most pass. CLI::Range lets NaN pass as well.
[[nodiscard]] inline CLI::Validator between(double least, double most) {
  return CLI::Validator(
      [least, most](std::string& text) {
        double value = 0;
        const bool is_number = CLI::detail::lexical_cast(text, value);
        if (is_number && value >= least && value <= most) return std::string();
        return fmt::format("\"{}\" is no number from {} to {}", text, least, most);
      },
      fmt::format("FLOAT in [{} - {}]", least, most));
}

/// Lets whole numbers of 64 bits pass that have no sign. CLI11 makes another number of one that has
/// a minus or is too large.
[[nodiscard]] inline CLI::Validator whole_number() {
  return CLI::Validator(
      [](std::string& text) {
        std::uint64_t value = 0;
        const char* const end = text.data() + text.size();
        const auto [stop, problem] = std::from_chars(text.data(), end, value);
        if (problem == std::errc() && stop == end) return std::string();
        return fmt::format("\"{}\" is no whole number from 0 to {}", hocket::printable(text),
                           std::numeric_limits<std::uint64_t>::max());
      },
      "UINT");
}

}  // namespace tools
