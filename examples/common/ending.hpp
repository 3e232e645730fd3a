// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <exception>
#include <string>
#include <string_view>

namespace examples {

/// How a program ends, and what it says on standard error; nothing if the message is empty.
struct ending {
  int exit_code = 0;
  std::string message;
};

/// 2 for wrong use, 130 if the run was interrupted, else 1. The message is one line that begins
/// with the name of the program and a colon.
[[nodiscard]] ending ending_of(std::string_view program, const std::exception_ptr& thrown,
                               bool interrupted);

/// Prints the message of the exception that is being handled and returns the exit code. To be
/// called in a handler.
[[nodiscard]] int end_of_program(std::string_view program, bool interrupted = false);

/// Throws error if not all that the program has printed can be written to standard output. To be
/// called last: what is still buffered when a program ends is lost without a word.
void flush_output();

}  // namespace examples
