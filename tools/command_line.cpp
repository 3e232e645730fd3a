// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "command_line.hpp"

#include <vector>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <hocket/core/error.hpp>

namespace tools {

namespace {

void add_common(CLI::App& command, request& into) {
  command.add_flag("--json", into.json, "Print JSON");
  command
      .add_option("--sim", into.sim,
                  "Add simulated devices, such as 2,memory=256M (see devices/sim/README.md)")
      ->type_name("CONFIG");
}

}  // namespace

std::variant<request, text_to_print> parse(std::span<const char* const> arguments,
                                           std::string_view version) {
  request asked;
  CLI::App app{"Looks at the machine as Hocket sees it.", "hocket"};
  app.set_help_flag("-h,--help", "Print this and end");
  const std::string version_text = fmt::format("hocket {}", version);
  app.set_version_flag("--version", version_text, "Print the version and end");
  app.require_subcommand(1);
  CLI::App& devices = *app.add_subcommand("devices", "List the devices that programs can use");
  add_common(devices, asked);
  devices
      .add_option("--devices", asked.devices,
                  "Only these, such as NUMA0,Sim0 (default: HOCKET_VISIBLE_DEVICES, then all)")
      ->type_name("LIST");
  CLI::App& doctor =
      *app.add_subcommand("doctor", "Check that Hocket works here, and say what to do if not");
  add_common(doctor, asked);
  // CLI11 takes them last first.
  std::vector<std::string> reversed(arguments.rbegin(), arguments.rend());
  try {
    app.parse(std::move(reversed));
  } catch (const CLI::CallForHelp&) {
    return text_to_print{app.help()};
  } catch (const CLI::CallForVersion&) {
    return text_to_print{version_text + "\n"};
  } catch (const CLI::ParseError& problem) {
    throw hocket::usage_error(fmt::format("{}; --help prints what there is.", problem.what()));
  }
  asked.what = doctor.parsed() ? request::command::doctor : request::command::devices;
  return asked;
}

}  // namespace tools
