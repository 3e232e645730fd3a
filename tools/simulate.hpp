// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <string>
#include <vector>

#include <CLI/CLI.hpp>

namespace tools {

/// A program that is to be run on a simulated machine.
struct simulation {
  std::string machine;               ///< a machine file, or the name of a machine that is built in
  std::vector<std::string> program;  ///< with its arguments
  bool executes = true;              ///< else kernels only take their time
  bool timed = false;                ///< they take it on the real clock
  bool summary = false;
  std::string policy;
  std::string trace;  ///< the file
};

/// Adds the command `simulate`.
CLI::App& add_simulate(CLI::App& app, simulation& into);

/// Replaces the command by the program, which gets the machine by its environment. Returns the exit
/// code only if the program cannot be run: 127 if there is none, 126 if it is no program. Throws
/// usage_error for a machine or policy that there is not.
[[nodiscard]] int simulate(const simulation& asked);

}  // namespace tools
