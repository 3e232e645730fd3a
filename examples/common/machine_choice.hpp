// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <string>

#include <CLI/CLI.hpp>

#include <hocket/hocket.hpp>

namespace examples {

/// What a program runs on, as the command line says.
struct machine_choice {
  std::string devices;  ///< names, separated by commas; empty: all there are
  std::string machine;  ///< a machine file or the name of a machine; empty: this computer
  std::string policy;   ///< how devices are chosen; empty: the library's usual way

  /// Nothing is executed: only the virtual clock tells what the program takes.
  [[nodiscard]] bool simulated() const noexcept { return !machine.empty(); }

  /// Of the machine, for reports.
  [[nodiscard]] std::string name() const { return simulated() ? machine : "this computer"; }
};

/// The options --devices, --machine and --policy.
void add_machine_options(CLI::App& line, machine_choice& into);

/// Throws usage_error if there is no such machine.
[[nodiscard]] hocket::runtime_options options_for(const machine_choice& chosen);

/// The first device that runs C++, where data begin. Throws usage_error if there is none.
[[nodiscard]] hocket::device_handle host_device(hocket::runtime& rt);

}  // namespace examples
