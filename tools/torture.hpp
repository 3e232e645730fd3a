// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include <CLI/CLI.hpp>

namespace tools {

/// Which seeds are tried, and how.
struct torture_request {
  std::optional<std::uint64_t> seeds;  ///< absent: as many as there is time for, or 10 000
  std::optional<double> minutes;
  std::uint64_t first = 1;
  std::string kind = "any";
  std::size_t tasks = 0;  ///< of each program; 0: as its seed says
  bool real = false;      ///< on the devices of this machine
  std::string devices;    ///< of these; empty for all
  std::string json;       ///< the file for the summary; "-" for standard output, empty for none
};

/// Adds the command `torture`.
CLI::App& add_torture(CLI::App& app, torture_request& into);

/// Returns the exit code: 1 if a seed fails, 130 if Ctrl-C ended the search. Throws usage_error for
/// wrong use.
[[nodiscard]] int torture(const torture_request& asked);

}  // namespace tools
