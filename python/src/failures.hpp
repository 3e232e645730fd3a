// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <nanobind/nanobind.h>

#include <hocket/core/error.hpp>
#include <stdexcept>
#include <string>

#include "python_threads.hpp"

namespace hocket::python {

/// What a Python function of a task raised, on its way through the tasks of the runtime. It is in
/// an object that the future has as well: an exception that is raised gets references to what is
/// there, maybe to the future itself, and such a circle can be found by Python only if no link of
/// it is in C++.
class python_failure : public std::runtime_error {
 public:
  /// outcome: has the exception as its `raised`. With the GIL.
  python_failure(const std::string& what, const nb::object& outcome, const threads_ref& threads)
      : std::runtime_error(what), kept_(std::make_shared<kept>()) {
    kept_->outcome = kept_object(outcome, threads);
    kept_->reference = kept_object(nb::module_::import_("weakref").attr("ref")(outcome), threads);
  }

  /// The exception, to be raised; none if nothing in Python has it any more. With the GIL.
  [[nodiscard]] nb::object raised() const {
    const nb::object outcome = kept_->reference.get()();
    kept_->outcome = {};  // from here on the future alone keeps it
    return outcome.is_none() ? outcome : nb::object(outcome.attr("raised"));
  }

 private:
  struct kept {
    kept_object outcome;
    kept_object reference;
  };
  std::shared_ptr<kept> kept_;
};

/// What a function of a task left, as the failure of the task. With the GIL.
[[nodiscard]] python_failure failure_of(const nb::object& outcome, const threads_ref& threads);

/// The exception of Python that stands for the failure: the one that a function raised, or one of
/// hocket. With the GIL.
[[nodiscard]] nb::object exception_of(const failure& why);
[[noreturn]] void raise_failure(const failure& why);

/// Turns exceptions of Hocket into those of the package from here on.
void translate_exceptions();

}  // namespace hocket::python
