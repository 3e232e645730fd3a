// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <stop_token>
#include <string>
#include <vector>

namespace train {

struct child_result {
  int exit_code = 0;   ///< 128 + the signal's number where a signal ended it, as in a shell
  std::string output;  ///< what it wrote to standard output and standard error
};

/// Runs a program, found by PATH, without a shell, and waits for its end. A stop request ends it. A
/// program that cannot be started is an error that names it.
[[nodiscard]] child_result run_child(const std::vector<std::string>& command,
                                     const std::stop_token& stop = {});

}  // namespace train
