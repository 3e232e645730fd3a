// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "command_line.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <hocket/core/environment.hpp>
#include <hocket/core/error.hpp>

#include "files.hpp"
#include "standard_streams.hpp"

namespace examples {

bool read_command_line(CLI::App& line, int argc, const char* const* argv) {
  constexpr std::size_t column_of_descriptions = 26;
  line.get_formatter()->column_width(column_of_descriptions);
  line.set_help_flag("-h,--help", "Print this and end");
  try {
    line.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    write_file("-", line.help());
    return false;
  } catch (const CLI::ParseError& problem) {
    throw hocket::usage_error(fmt::format("{}; --help prints the options.", problem.what()));
  }
  return true;
}

CLI::Option* add_choice(CLI::App& line, const std::string& name, std::string& into,
                        const std::vector<std::string>& words, const std::string& what) {
  return line
      .add_option_function<std::string>(
          name,
          [=, &into](const std::string& text) {
            if (std::ranges::find(words, text) == words.end()) {
              throw hocket::usage_error(fmt::format("{} is \"{}\"; it must be one of {}.", name,
                                                    text, fmt::join(words, ", ")));
            }
            into = text;
          },
          fmt::format("{}: {}", what, fmt::join(words, ", ")))
      ->type_name("NAME");
}

CLI::Option* add_text(CLI::App& line, const std::string& name, std::string& into,
                      const std::string& what) {
  return line.add_option_function<std::string>(
      name,
      [=, &into](const std::string& text) {
        if (text.empty()) {
          throw hocket::usage_error(
              fmt::format("{} is \"\"; it must have a text, or be left out.", name));
        }
        into = text;
      },
      what);
}

void add_number(CLI::App& line, const std::string& name, std::size_t& into, std::size_t least,
                std::size_t most, const std::string& what) {
  line.add_option_function<std::string>(
          name,
          [=, &into](const std::string& text) {
            into = hocket::parse_number(name, text, least, most);
          },
          fmt::format("{} (default: {})", what, into))
      ->type_name("N");
}

void add_json_option(CLI::App& line, std::string& into) {
  add_text(line, "--json", into, "Write the results as JSON; - is standard output")
      ->type_name("FILE");
}

void publish(const std::string& text, const std::string& json, const std::string& file) {
  if (file == "-") {
    say(text);
  } else {
    write_file("-", text);
  }
  if (!file.empty()) write_file(file, json + "\n");
}

}  // namespace examples
