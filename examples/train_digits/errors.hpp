// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <exception>
#include <string>

namespace train {

/// How the program ends, and what it says on standard error; nothing if the message is empty.
struct ending {
  int exit_code = 0;
  std::string message;
};

/// 2 for wrong use, 130 if the run was interrupted, else 1. The message is one line that begins
/// with "train_digits: ".
[[nodiscard]] ending ending_of(const std::exception_ptr& thrown, bool interrupted);

}  // namespace train
