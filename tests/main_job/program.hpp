// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <string>

#include <boost/json.hpp>

#include "child_program.hpp"

namespace main_job {

using hocket::testing::arguments;
using hocket::testing::content_of;
using hocket::testing::outcome;
using hocket::testing::run_redirected;
using hocket::testing::scratch_folder;
using hocket::testing::operator+;

/// A run of train_digits that is under way.
class running : public hocket::testing::running {
 public:
  explicit running(const arguments& options) : hocket::testing::running(TRAIN_DIGITS, options) {}
};

[[nodiscard]] outcome run(const arguments& options);

/// Runs it with --quiet and --json, and returns the JSON; expects that it ends well.
[[nodiscard]] boost::json::object report_of(arguments options);

struct sizes {
  std::string hidden = "48,48,48,48";
  std::string batch = "64";
  std::string epochs = "3";
};

/// Options for digits that somebody made up, easy to tell apart, and a network to go with them: a
/// run takes a fraction of a second. The digits are written into the folder.
[[nodiscard]] arguments small_job(const scratch_folder& folder, const sizes& how = {});

}  // namespace main_job
