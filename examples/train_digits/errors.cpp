// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "errors.hpp"

#include <algorithm>
#include <new>
#include <stdexcept>

#include <hocket/core/error.hpp>

#include "interrupt.hpp"

namespace train {

namespace {

constexpr int wrong_use = 2;
constexpr int failed = 1;

ending tell(int exit_code, std::string message) {
  std::replace(message.begin(), message.end(), '\n', ' ');
  return {exit_code, "train_digits: " + message};
}

}  // namespace

ending ending_of(const std::exception_ptr& thrown, bool interrupted) {
  // Whatever fails after a request to stop fails because of it.
  if (interrupted) return tell(exit_code_of_interrupt, "Interrupted.");
  try {
    std::rethrow_exception(thrown);
  } catch (const hocket::usage_error& wrong) {
    return tell(wrong_use, wrong.what());
  } catch (const std::bad_alloc&) {
    return tell(failed, "There is not enough memory.");
  } catch (const std::exception& problem) {
    return tell(failed, problem.what());
  } catch (...) {
    return tell(failed, "Something that is no exception was thrown.");
  }
}

}  // namespace train
