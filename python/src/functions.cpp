// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <nanobind/nanobind.h>

#include "function_call.hpp"
#include "futures.hpp"
#include "runtimes.hpp"

namespace hocket::python {

namespace {

task_future submit_function(const nb::handle& into, const nb::object& function,
                            const std::string& name, const nb::list& accesses,
                            const nb::list& numbers, const nb::dict& options) {
  const task_target target = target_of(into);
  const auto keeper = target.records ? function_keeper::python : function_keeper::call;
  const described_call made = describe_call(target, function, keeper, name, accesses, numbers);
  task_options how = task_options_of(options, *target.in);
  if (how.label.empty()) how.label = task_label(name);
  return target.submit([&](submitter& to) -> task_future {
    const auto call = made.call;
    if (made.arguments.empty()) {
      return {target.home, to.async(how, [call] { (void)call->run({}, {}); }).state()};
    }
    made.kernel->host = [call](const host_launch& launch) {
      (void)call->run(launch.buffers, launch.scalars);
    };
    return {target.home, detail::untyped_submitter(to).call(how, made.kernel, made.arguments)};
  });
}

}  // namespace

void bind_functions(nb::module_& to) {
  to.def("submit_function", &submit_function, nb::arg("into"), nb::arg("function"), nb::arg("name"),
         nb::arg("accesses"), nb::arg("numbers"), nb::arg("options"),
         "Submits a function, called with a list of ArrayView and a list of numbers. An access is "
         "(mode, BufferHandle), a number a TaskHandle or a ParameterHandle. Into a recording goes "
         "a weak reference to the function.");
}

}  // namespace hocket::python
