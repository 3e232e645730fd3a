// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "targets.hpp"

#include <nanobind/stl/shared_ptr.h>

#include <string>

#include "element_types.hpp"
#include "graphs.hpp"
#include "scopes.hpp"

namespace hocket::python {

task_target target_of(const nb::handle& given) {
  if (nb::isinstance<open_recording>(given)) {
    const auto& recording = nb::cast<const open_recording&>(given);
    return {recording.home(), recording.home()->get(), recording.get(), true};
  }
  if (nb::isinstance<open_scope>(given)) {
    const auto& scope = nb::cast<const open_scope&>(given);
    return {scope.home(), scope.home()->get(), scope.get()};
  }
  if (!nb::isinstance<open_runtime>(given)) {
    raise_type_error("A task is submitted to a runtime, not to " +
                     nb::cast<std::string>(nb::repr(given)) + ".");
  }
  auto home = nb::cast<open_runtime_ref>(given);
  runtime_ref in = home->get();
  return {std::move(home), in, in};
}

}  // namespace hocket::python
