// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "command_line.hpp"

#include <vector>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <hocket/core/error.hpp>

#include "common/command_line.hpp"
#include "number_range.hpp"

namespace tools {

namespace {

void add_common(CLI::App& command, request& into) {
  command.add_flag("--json", into.json, "Print JSON");
  examples::add_text(command, "--sim", into.sim,
                     "Add simulated devices, such as 2,memory=256M (see devices/sim/README.md)")
      ->type_name("CONFIG");
}

void add_devices(CLI::App& command, request& into) {
  examples::add_text(command, "--devices", into.devices,
                     "Only these, such as NUMA0,Sim0 (default: HOCKET_VISIBLE_DEVICES, then all)")
      ->type_name("LIST");
}

CLI::App& add_calibrate(CLI::App& app, request& into) {
  CLI::App& command = *app.add_subcommand(
      "calibrate", "Measure what kernels and copies take, for programs to begin with");
  add_common(command, into);
  add_devices(command, into);
  command
      .add_option("--seconds", into.seconds, "Measure for so many seconds at most (default: 10)")
      ->type_name("N")
      ->check(between(0.1, 3600));
  examples::add_text(command, "--machine", into.machine,
                     "Write a machine file of what was measured (see docs/machines.md)")
      ->type_name("FILE");
  return command;
}

/// CLI11 says of a wrong command only that one is required.
void check_command(const CLI::App& app, std::span<const char* const> arguments) {
  if (arguments.empty() || std::string_view(arguments.front()).starts_with('-')) return;
  std::string names;
  for (const CLI::App* const each : app.get_subcommands([](const CLI::App*) { return true; })) {
    if (each->get_name() == arguments.front()) return;
    names += (names.empty() ? "" : ", ") + each->get_name();
  }
  throw hocket::usage_error(
      fmt::format("There is no command \"{}\"; there are {}.", arguments.front(), names));
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
  add_devices(devices, asked);
  CLI::App& calibrate = add_calibrate(app, asked);
  CLI::App& doctor =
      *app.add_subcommand("doctor", "Check that Hocket works here, and say what to do if not");
  add_common(doctor, asked);
  const CLI::App& explain = add_explain(app, asked.explained);
  const CLI::App& simulate = add_simulate(app, asked.simulated);
  const CLI::App& top = add_top(app, asked.shown);
  const CLI::App& torture = add_torture(app, asked.tried);
  check_command(app, arguments);
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
  if (calibrate.parsed()) asked.what = request::command::calibrate;
  if (explain.parsed()) asked.what = request::command::explain;
  if (simulate.parsed()) asked.what = request::command::simulate;
  if (top.parsed()) asked.what = request::command::top;
  if (torture.parsed()) asked.what = request::command::torture;
  return asked;
}

}  // namespace tools
