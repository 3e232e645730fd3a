// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <string>
#include <vector>

#include <CLI/CLI.hpp>

namespace examples {

/// Reads the command line into what the options of `line` refer to. False if it asks for help,
/// which is printed then. Throws usage_error for wrong options, with the value and what is allowed.
[[nodiscard]] bool read_command_line(CLI::App& line, int argc, const char* const* argv);

/// An option that takes one of some words, which the help lists.
CLI::Option* add_choice(CLI::App& line, const std::string& name, std::string& into,
                        const std::vector<std::string>& words, const std::string& what);

/// An option that takes a text, such as the name of a file, and refuses an empty one: that is an
/// unset variable of a script more often than a wish.
CLI::Option* add_text(CLI::App& line, const std::string& name, std::string& into,
                      const std::string& what);

/// An option that takes a whole number from least to most.
void add_number(CLI::App& line, const std::string& name, std::size_t& into, std::size_t least,
                std::size_t most, const std::string& what);

/// The option --json: a file for the results, "-" for standard output.
void add_json_option(CLI::App& line, std::string& into);

/// Prints a text for people on standard output and writes the JSON where one is asked for. If the
/// JSON goes to standard output, it goes there alone and the text to standard error.
void publish(const std::string& text, const std::string& json, const std::string& file);

}  // namespace examples
