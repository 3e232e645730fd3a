// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "simulate.hpp"

#include <stdlib.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <filesystem>
#include <system_error>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <hocket/core/error.hpp>
#include <hocket/core/printable.hpp>
#include <hocket/devices/sim.hpp>
#include <hocket/scheduler/placement_policy.hpp>

#include "common/command_line.hpp"
#include "common/files.hpp"
#include "common/standard_streams.hpp"

namespace tools {

namespace {

constexpr int not_executable = 126, not_found = 127;

void set_variable(const char* name, const std::string& value) {
  if (::setenv(name, value.c_str(), 1) == 0) return;
  const std::string why = std::generic_category().message(errno);
  throw hocket::error(
      hocket::failure(hocket::failure_code::io, fmt::format("{} cannot be set: {}.", name, why)));
}

/// How the configuration of the backend names it. The program may change its folder.
std::string configured_name(const std::string& machine) {
  const auto built_in = hocket::built_in_machines();
  if (std::ranges::find(built_in, machine) != built_in.end()) return machine;
  std::string path = examples::absolute_path(machine).string();
  if (path.find(',') == std::string::npos) return path;
  throw hocket::usage_error("The machine file \"" + path +
                            "\" has a comma in its path, which stands between options in "
                            "HOCKET_BACKEND_SIM; it must have none.");
}

std::string names_of_devices(std::size_t count) {
  std::string names;
  for (std::size_t i = 0; i < count; ++i) names += fmt::format("{}Sim{}", i == 0 ? "" : ",", i);
  return names;
}

void check_program(const std::vector<std::string>& program) {
  if (program.empty()) {
    throw hocket::usage_error("simulate needs a PROGRAM behind the machine; --help prints more.");
  }
  if (program.front().starts_with('-')) {
    throw hocket::usage_error("simulate has no option \"" + program.front() +
                              "\"; --help prints what there is.");
  }
}

void check_policy(const std::string& policy) {
  const auto known = hocket::placement_policies();
  if (policy.empty() || std::ranges::find(known, policy) != known.end()) return;
  throw hocket::usage_error(
      fmt::format("--policy is \"{}\"; the policies are: {}.", policy, fmt::join(known, ", ")));
}

/// Does not return if the program begins.
int replace_by(std::vector<std::string> program) {
  std::vector<char*> arguments;
  for (std::string& each : program) arguments.push_back(each.data());
  arguments.push_back(nullptr);
  ::execvp(arguments.front(), arguments.data());
  const int why = errno;
  examples::say(fmt::format("hocket: The program {} cannot be run: {}.\n",
                            hocket::in_quotes(program.front()),
                            std::generic_category().message(why)));
  return why == ENOENT ? not_found : not_executable;
}

}  // namespace

CLI::App& add_simulate(CLI::App& app, simulation& into) {
  CLI::App& command = *app.add_subcommand("simulate", "Run a program on a simulated machine");
  command.prefix_command();
  command
      .add_option(
          "machine", into.machine,
          fmt::format("A machine file, or one of {}", fmt::join(hocket::built_in_machines(), ", ")))
      ->required()
      ->type_name("MACHINE");
  command.add_flag_callback(
      "--no-execute", [&into] { into.executes = false; },
      "Kernels and copies take their time and do nothing");
  command.add_flag("--timed", into.timed,
                   "They take that time of the real clock, not of the virtual one");
  examples::add_text(command, "--policy", into.policy, "How devices are chosen: sets HOCKET_POLICY")
      ->type_name("NAME");
  examples::add_text(command, "--trace", into.trace,
                     "Write a trace for `hocket explain`: sets HOCKET_TRACE")
      ->type_name("FILE");
  command.add_flag("--summary", into.summary, "Print a line when it ends: sets HOCKET_SUMMARY");
  command.footer("The PROGRAM and its arguments come behind the machine and all options.");
  command.callback([&command, &into] { into.program = command.remaining(); });
  return command;
}

int simulate(const simulation& asked) {
  const hocket::sim_machine machine = hocket::find_machine(asked.machine);
  check_program(asked.program);
  check_policy(asked.policy);
  set_variable("HOCKET_BACKENDS", "cpu,sim");
  set_variable("HOCKET_BACKEND_SIM",
               "machine=" + configured_name(asked.machine) + (asked.executes ? "" : ",execute=no"));
  set_variable("HOCKET_VISIBLE_DEVICES", names_of_devices(machine.devices.size()));
  set_variable("HOCKET_CLOCK", asked.timed ? "real" : "simulated");
  if (!asked.policy.empty()) set_variable("HOCKET_POLICY", asked.policy);
  if (!asked.trace.empty()) {
    set_variable("HOCKET_TRACE", examples::absolute_path(asked.trace).string());
  }
  if (asked.summary) set_variable("HOCKET_SUMMARY", "1");
  return replace_by(asked.program);
}

}  // namespace tools
