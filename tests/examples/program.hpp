// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <string>

#include <boost/json.hpp>

#include "child_program.hpp"

namespace examples_test {

using hocket::testing::arguments;
using hocket::testing::content_of;
using hocket::testing::outcome;
using hocket::testing::run_redirected;
using hocket::testing::running;
using hocket::testing::scratch_folder;
using hocket::testing::operator+;

/// Runs it with --json, and returns the JSON; expects that it ends well.
[[nodiscard]] boost::json::object report_of(const std::string& program, const arguments& options);

/// Expects that it ends so, with one line on standard error that has this part, and says nothing
/// else.
void expect_end(const std::string& program, const arguments& options, int exit_code,
                const std::string& part);

/// Expects what all examples make of wrong devices, machines, policies and options, and of standard
/// streams that cannot be written. `options` are those of a run that ends well.
void expect_wrong_use_is_refused(const std::string& program, const arguments& options);

/// The sum of a number over all devices of a report.
[[nodiscard]] double sum_over_devices(const boost::json::object& report, const std::string& key);

}  // namespace examples_test
