// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <string>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

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

}  // namespace tools
