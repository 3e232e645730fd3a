// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "scopes.hpp"

#include <nanobind/stl/shared_ptr.h>

namespace hocket::python {

open_scope::open_scope(const task_target& in, const scope_options& options)
    : in_(in),
      scope_(new task_scope(*in.to, options), [threads = in.home->threads()](task_scope* gone) {
        delete_without_gil(gone, *threads);
      }) {}

const std::shared_ptr<task_scope>& open_scope::get() const {
  if (scope_ == nullptr) throw usage_error("The scope has ended; it takes no more tasks.");
  return scope_;
}

void open_scope::close() {
  if (scope_ == nullptr) return;
  {
    const std::shared_ptr<task_scope> last = scope_;
    const python_threads::blocked waits(*in_.home->threads(), std::nothrow);
    const without_gil released;
    try {
      last->wait();
    } catch (const std::exception&) {
      // The end of the scope waits for the rest.
    }
  }
  scope_.reset();
  in_.to.reset();
  in_.in.reset();
}

void bind_scopes(nb::module_& to) {
  nb::class_<open_scope>(to, "OpenScope", "The scope behind hocket.Scope.")
      .def(
          "__init__",
          [](open_scope* self, const nb::handle& into, const nb::dict& options) {
            new (self) open_scope(target_of(into), scope_options_of(options));
          },
          nb::arg("into"), nb::arg("options"))
      .def(
          "end",
          [](const open_scope& self) {
            return task_future{self.home(), self.get()->done().state()};
          },
          "Ends when no task is left, and fails as the first that nothing has looked at.")
      .def(
          "cancel", [](const open_scope& self) { self.get()->cancel(); },
          "Cancels the tasks that have not started.")
      .def(
          "is_cancelled",
          [](const open_scope& self) { return self.get()->stop_token().stop_requested(); },
          "True if its tasks are asked to stop.")
      .def("close", &open_scope::close, "Waits for the tasks; takes no more of them.");
}

}  // namespace hocket::python
