// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <cstdint>

namespace CLI {
class App;
}

namespace tools {

/// The options of `hocket top`.
struct top_request {
  bool once = false;
  bool json = false;          ///< once, as JSON
  double interval = 1;        ///< seconds
  std::uint64_t process = 0;  ///< only this one; 0: all
};

/// Adds the command with its options.
const CLI::App& add_top(CLI::App& app, top_request& into);

/// Prints what the devices of running programs do: again and again on a terminal, else once.
/// Returns the exit code. Throws error if no program exports its counters.
[[nodiscard]] int top(const top_request& asked);

}  // namespace tools
