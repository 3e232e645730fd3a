// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "futures.hpp"

#include <nanobind/stl/optional.h>

#include <hocket/scheduler/detail/continuation.hpp>
#include <utility>

#include "element_types.hpp"
#include "failures.hpp"

namespace hocket::python {

namespace {

/// Has a Python function called when a task has ended.
class call_at_end final : public detail::continuation {
 public:
  call_at_end(const nb::callable& function, threads_ref threads)
      : function_(function, threads), threads_(std::move(threads)) {}

  void run(detail::task_state& /*source*/, detail::ready_list& /*next*/) noexcept override {
    (void)threads_->post_brief([function = std::move(function_)] {
      try {
        function.get()();
      } catch (nb::python_error& e) {
        e.discard_as_unraisable("a callback of a hocket.Future");
      }
    });
    delete this;
  }

 private:
  kept_object function_;
  threads_ref threads_;
};

/// Calls the function, which is brief, in a thread of hocket at the end of the task, or returns
/// false if the task has ended.
bool call_when_done(const task_future& of, const nb::callable& function) {
  auto at_end = std::make_unique<call_at_end>(function, of.home->threads());
  if (!of.task->attach(*at_end)) return false;
  (void)at_end.release();
  return true;
}

/// Keeps an object until a task has ended.
class kept_until_end final : public detail::continuation {
 public:
  kept_until_end(const nb::object& object, threads_ref threads)
      : object_(object, std::move(threads)) {}

  void run(detail::task_state& /*source*/, detail::ready_list& /*next*/) noexcept override {
    delete this;
  }

 private:
  kept_object object_;
};

void keep_until_end(const task_future& of, const nb::object& object) {
  auto at_end = std::make_unique<kept_until_end>(object, of.home->threads());
  if (of.task->attach(*at_end)) (void)at_end.release();
}

failure error_of(const task_future& of) { return future<void>(of.task).error(); }

nb::object result_of(const task_future& of) {
  if (const failure why = error_of(of)) raise_failure(why);
  if (of.number) return to_python(of.task->value(), *of.number);
  return nb::none();
}

nb::object exception_at_end(const task_future& of) {
  const failure why = error_of(of);
  return why ? exception_of(why) : nb::object(nb::none());
}

}  // namespace

void bind_futures(nb::module_& to) {
  nb::class_<task_future>(to, "TaskHandle", "The task behind hocket.Future.")
      .def(
          "done", [](const task_future& f) { return f.task->done(); },
          "True if the task has ended.")
      .def(
          "wait",
          [](const task_future& f, const nb::object& timeout) {
            return wait_for_task(*f.home, f.task, timeout);
          },
          nb::arg("timeout").none(), "Waits; False if so many seconds have passed before.")
      .def(
          "cancel", [](const task_future& f) { f.task->request_cancel(); },
          nb::call_guard<without_gil>(), "Asks for the task not to run.")
      .def(
          "is_cancelled",
          [](const task_future& f) {
            return f.task->done() && f.task->error() &&
                   f.task->error().code() == failure_code::cancelled;
          },
          "True if the task was cancelled.")
      .def("result", &result_of, "The value of a task that has ended; raises its failure.")
      .def("exception", &exception_at_end, "The failure of a task that has ended, or None.")
      .def("call_when_done", &call_when_done, nb::arg("function"),
           "Has a brief function called in a thread of hocket; False if the task has ended.")
      .def("keep", &keep_until_end, nb::arg("object"), "Keeps the object until the task ends.")
      .def_prop_ro(
          "simulated", [](const task_future& f) { return f.home->is_virtual(); },
          "True on the virtual clock.")
      .def_prop_ro(
          "number_dtype",
          [](const task_future& f) -> std::optional<std::string> {
            if (!f.number) return std::nullopt;
            return name_of(*f.number);
          },
          "The name of the type of the number that a kernel returns; None if it returns none.")
      .def_prop_ro(
          "label", [](const task_future& f) { return std::string(f.task->label_text()); },
          "The name of the task in messages and traces.");
}

}  // namespace hocket::python
