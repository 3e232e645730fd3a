// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <variant>

#include "explain.hpp"
#include "simulate.hpp"
#include "top.hpp"
#include "torture.hpp"

namespace tools {

/// What `hocket` is asked to do, and on which machine.
struct request {
  enum class command { devices, doctor, calibrate, explain, simulate, top, torture };
  command what = command::devices;
  bool json = false;
  std::string sim = {};      ///< the configuration of simulated devices
  std::string devices = {};  ///< names, separated by commas; empty: see runtime_options::devices
  double seconds = 10;       ///< for calibrate
  std::string machine = {};  ///< the machine file that calibrate writes; empty for none
  explanation explained = {};
  simulation simulated = {};
  top_request shown = {};
  torture_request tried = {};
};

/// What --help and --version ask for.
struct text_to_print {
  std::string text;
};

/// Throws usage_error for wrong use.
[[nodiscard]] std::variant<request, text_to_print> parse(std::span<const char* const> arguments,
                                                         std::string_view version);

}  // namespace tools
