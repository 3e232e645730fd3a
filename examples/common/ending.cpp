// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "ending.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <new>
#include <stdexcept>
#include <system_error>

#include <hocket/core/error.hpp>
#include <hocket/core/printable.hpp>

#include "interrupt.hpp"
#include "standard_streams.hpp"

namespace examples {

namespace {

constexpr int wrong_use = 2;
constexpr int failed = 1;

ending tell(std::string_view program, int exit_code, std::string message) {
  std::replace(message.begin(), message.end(), '\n', ' ');
  return {exit_code, hocket::printable(std::string(program) + ": " + message, std::string::npos)};
}

}  // namespace

ending ending_of(std::string_view program, const std::exception_ptr& thrown, bool interrupted) {
  // Whatever fails after a request to stop fails because of it.
  if (interrupted) return tell(program, exit_code_of_interrupt, "Interrupted.");
  try {
    std::rethrow_exception(thrown);
  } catch (const hocket::usage_error& wrong) {
    return tell(program, wrong_use, wrong.what());
  } catch (const std::bad_alloc&) {
    return tell(program, failed, "There is not enough memory.");
  } catch (const std::exception& problem) {
    return tell(program, failed, problem.what());
  } catch (...) {
    return tell(program, failed, "Something that is no exception was thrown.");
  }
}

int end_of_program(std::string_view program, bool interrupted) {
  const ending end = ending_of(program, std::current_exception(), interrupted);
  if (!end.message.empty()) say(end.message + "\n");
  return end.exit_code;
}

void flush_output() {
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return;
  const std::string why = std::generic_category().message(errno);
  throw hocket::error(
      hocket::failure(hocket::failure_code::io, "Standard output cannot be written: " + why + "."));
}

}  // namespace examples
