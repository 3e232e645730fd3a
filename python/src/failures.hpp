// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <nanobind/nanobind.h>

#include <hocket/core/error.hpp>
#include <stdexcept>
#include <string>

#include "python_threads.hpp"

namespace hocket::python {

/// What a Python function of a task raised, on its way through the tasks of the runtime.
class python_failure : public std::runtime_error {
 public:
  python_failure(const std::string& what, kept_object raised)
      : std::runtime_error(what), raised_(std::move(raised)) {}
  [[nodiscard]] const kept_object& raised() const noexcept { return raised_; }

 private:
  kept_object raised_;
};

/// The exception that is being handled, as a failure of a task. With the GIL, in a handler.
[[nodiscard]] python_failure failure_of(nb::python_error& raised, const threads_ref& threads);

/// The exception of Python that stands for the failure: the one that a function raised, or one of
/// hocket. With the GIL.
[[nodiscard]] nb::object exception_of(const failure& why);
[[noreturn]] void raise_failure(const failure& why);

/// Turns exceptions of Hocket into those of the package from here on.
void translate_exceptions();

}  // namespace hocket::python
