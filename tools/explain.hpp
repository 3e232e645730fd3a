// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <string>

#include <CLI/CLI.hpp>

namespace tools {

/// A trace that is to be explained.
struct explanation {
  std::string trace;  ///< the file
  std::string task;   ///< the name or id of one task; empty: the whole run
  bool json = false;
  bool what_if = false;
};

/// Adds the command `explain`.
CLI::App& add_explain(CLI::App& app, explanation& into);

/// Prints what the trace says. Throws error for a file that is no trace with decisions, and
/// usage_error for a task that it does not have.
void explain(const explanation& asked);

}  // namespace tools
