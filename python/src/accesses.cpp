// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "accesses.hpp"

#include <string>
#include <vector>

#include "buffers.hpp"
#include "element_types.hpp"
#include "graphs.hpp"
#include "targets.hpp"

namespace hocket::python {

namespace {

std::string place_of(const kernel_definition& kernel, std::size_t i) {
  return "Argument " + std::to_string(i + 1) + " of \"" + kernel.name + "\"";
}

detail::untyped_argument argument_of(const kernel_definition& kernel, std::size_t i,
                                     const nb::handle& given) {
  const parameter& wanted = kernel.parameters[i];
  if (nb::isinstance<array_buffer>(given)) {
    return detail::untyped_access{nb::cast<const array_buffer&>(given).what, wanted.mode};
  }
  if (wanted.is == parameter::kind::buffer) {
    raise_type_error(place_of(kernel, i) + " is " + nb::cast<std::string>(nb::repr(given)) +
                     "; it has to be a hocket.Buffer of " + name_of(wanted.type) + ".");
  }
  if (nb::isinstance<task_future>(given)) {
    const auto& future = nb::cast<const task_future&>(given);
    if (!future.number) {
      raise_type_error(place_of(kernel, i) + " is the future of task \"" +
                       std::string(future.task->label_text()) +
                       "\", which returns no number; it has to be that of a number.");
    }
    return detail::untyped_future{future.task, *future.number};
  }
  if (nb::isinstance<parameter_handle>(given)) {
    return detail::untyped_parameter{nb::cast<const parameter_handle&>(given).which};
  }
  return detail::untyped_number{number_of(given, wanted.type, place_of(kernel, i))};
}

}  // namespace

task_future submit_kernel(const nb::handle& into, const kernel_ref& kernel,
                          const nb::list& arguments, const nb::dict& options) {
  if (arguments.size() != kernel->parameters.size()) {
    raise_type_error("\"" + kernel->name + "\" is given " + std::to_string(arguments.size()) +
                     " arguments; it takes " + std::to_string(kernel->parameters.size()) + ".");
  }
  const task_target target = target_of(into);
  std::vector<detail::untyped_argument> ready;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    ready.push_back(argument_of(*kernel, i, arguments[i]));
  }
  const task_options how = task_options_of(options, *target.in);
  return target.submit([&](submitter& to) -> task_future {
    return {target.home, detail::untyped_submitter(to).launch(how, kernel, ready), kernel->result};
  });
}

}  // namespace hocket::python
