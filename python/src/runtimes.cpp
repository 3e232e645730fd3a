// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "runtimes.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <utility>

#include "element_types.hpp"
#include "failures.hpp"
#include "futures.hpp"

namespace hocket::python {

namespace {

runtime_ref make_runtime(const runtime_options& options, threads_ref threads) {
  const without_gil released;
  return {new runtime(options),
          [threads = std::move(threads)](runtime* gone) { delete_without_gil(gone, *threads); }};
}

/// How long a thread waits before it looks whether Ctrl-C was pressed.
constexpr nanoseconds time_between_looks = std::chrono::milliseconds(50);

/// For a thread that has released the GIL: throws what a handler of signals raises.
void look_for_signals() {
  const with_gil acquired;
  if (PyErr_CheckSignals() != 0) throw nb::python_error();
}

/// That so many seconds are over.
struct limit_reached {};

/// Waits for all tasks. Returns false if so many seconds have passed before; none: there is no
/// limit.
bool wait_for_all(open_runtime& home, const nb::object& seconds) {
  const runtime_ref rt = home.get();
  const auto begin = std::chrono::steady_clock::now();
  const nanoseconds limit =
      seconds.is_none() ? nanoseconds::max() : duration_of(seconds, "The limit of a wait");
  const python_threads::blocked waits(*home.threads());
  const without_gil released;
  try {
    rt->wait([&] {
      look_for_signals();
      if (std::chrono::steady_clock::now() - begin >= limit) throw limit_reached();
    });
  } catch (const limit_reached&) {
    return false;
  }
  return true;
}

}  // namespace

open_runtime::open_runtime(const runtime_options& options, threads_ref threads)
    : threads_(std::move(threads)),
      is_virtual_(options.clock == clock_kind::simulated),
      runtime_(make_runtime(options, threads_)) {}

runtime_ref open_runtime::get() const {
  const std::lock_guard lock(guard_);
  if (runtime_ == nullptr) {
    throw usage_error("The runtime was closed; it takes no more work.");
  }
  return runtime_;
}

bool open_runtime::is_closed() const {
  const std::lock_guard lock(guard_);
  return runtime_ == nullptr;
}

void open_runtime::close() {
  runtime_ref gone;
  std::vector<std::shared_ptr<void>> before;
  const std::lock_guard lock(guard_);
  gone.swap(runtime_);
  before.swap(kept_);
}

void open_runtime::keep_until_close(std::shared_ptr<void> what) {
  const std::lock_guard lock(guard_);
  if (runtime_ == nullptr) throw usage_error("The runtime was closed; it takes no more work.");
  kept_.push_back(std::move(what));
}

void open_runtime::let_go_of(const std::shared_ptr<void>& what) {
  const std::lock_guard lock(guard_);
  std::erase(kept_, what);
}

void open_runtime::abandon() {
  const std::lock_guard lock(guard_);
  [[maybe_unused]] const auto* const kept = new runtime_ref(std::move(runtime_));
}

bool wait_for_task(const open_runtime& home, const detail::task_state_ptr& task,
                   const nb::object& seconds) {
  const future<void> waited(task);
  if (waited.done()) {
    const without_gil released;
    waited.wait();  // which counts as a look at how it ended
    return true;
  }
  nanoseconds left =
      seconds.is_none() ? nanoseconds::max() : duration_of(seconds, "The timeout of a future");
  const python_threads::blocked waits(*home.threads());
  if (home.is_virtual()) {
    // Time passes by events alone, and the tasks run in this thread.
    const without_gil released;
    if (left != nanoseconds::max()) return waited.wait_for(left);
    waited.wait();
    return true;
  }
  if (waits.is_of_pool() && left == nanoseconds::max()) {
    // Ctrl-C is for the main thread. A wait in one go is known as one that does not end by itself,
    // so that functions which wait for each other are found.
    const without_gil released;
    waited.wait();
    return true;
  }
  for (;;) {
    const nanoseconds now = std::min(left, time_between_looks);
    {
      const without_gil released;
      if (waited.wait_for(now)) return true;
    }
    if (PyErr_CheckSignals() != 0) throw nb::python_error();
    if (left != nanoseconds::max()) left -= now;
    if (left <= nanoseconds::zero()) return waited.done();
  }
}

namespace {

struct device_of_runtime {
  device_info info;
};

std::vector<device_of_runtime> devices_of(open_runtime& home) {
  const runtime_ref rt = home.get();
  const without_gil released;
  std::vector<device_of_runtime> made;
  for (device_info& each : rt->devices()) made.push_back({std::move(each)});
  return made;
}

nb::list names_of_types(const std::vector<element_type>& types) {
  nb::list names;
  for (const element_type each : types) names.append(name_of(each));
  return names;
}

void bind_devices(nb::module_& to) {
  nb::class_<device_of_runtime>(to, "Device", "One device of a runtime.")
      .def_prop_ro(
          "name", [](const device_of_runtime& d) { return d.info.name; },
          "The name by which options choose it, as in \"NUMA0\" or \"OpenCL0\".")
      .def_prop_ro(
          "backend", [](const device_of_runtime& d) { return d.info.backend; },
          "The backend that speaks to it: \"cpu\", \"opencl\", \"vulkan\", \"cuda\" or \"sim\".")
      .def_prop_ro(
          "description", [](const device_of_runtime& d) { return d.info.description; },
          "Model and driver, for people.")
      .def_prop_ro(
          "memory_bytes", [](const device_of_runtime& d) { return d.info.memory_bytes; },
          "How many bytes of its memory tasks may use.")
      .def_prop_ro(
          "lanes", [](const device_of_runtime& d) { return d.info.lanes; },
          "How many tasks run there at a time.")
      .def_prop_ro(
          "shares_host_memory",
          [](const device_of_runtime& d) { return d.info.shares_host_memory; },
          "True if nothing is copied to it, because it uses the memory of the host.")
      .def_prop_ro(
          "lacks", [](const device_of_runtime& d) { return names_of_types(d.info.lacks); },
          "The names of the element types that its kernels cannot use.")
      .def("__repr__", [](const device_of_runtime& d) {
        return "<hocket.Device " + d.info.name + ": " + d.info.description + ">";
      });
}

void change_device(open_runtime& home, const std::string& name,
                   void (runtime::*what)(const device_handle&)) {
  const runtime_ref rt = home.get();
  const python_threads::blocked waits(*home.threads());
  const without_gil released;
  ((*rt).*what)(rt->device(name));
}

task_future drain(const open_runtime_ref& home, const std::string& name) {
  const runtime_ref rt = home->get();
  const without_gil released;
  return {home, rt->drain(rt->device(name)).state()};
}

}  // namespace

void bind_runtimes(nb::module_& to) {
  bind_devices(to);
  to.def("keep_gil_for_the_end", &keep_gil_for_the_end,
         "No other thread comes back from a call of this module.");
  nb::class_<python_threads>(to, "Threads", "The threads that call Python functions of tasks.")
      .def(nb::init<std::size_t>(), nb::arg("limit"))
      .def("expect", &python_threads::expect, nb::arg("comes"),
           "A thread is about to be made, or with False: it could not be made.")
      .def("run_next", &python_threads::run_next, nb::arg("start_another"), nb::arg("is_new"),
           "Waits for a job and runs it; False after stop().")
      .def("stop", &python_threads::stop, "Takes no more jobs.");
  nb::class_<open_runtime>(to, "OpenRuntime", nb::is_weak_referenceable(),
                           "The runtime behind hocket.Runtime.")
      .def(
          "__init__",
          [](open_runtime* self, const threads_ref& threads, const nb::dict& options) {
            new (self) open_runtime(runtime_options_of(options), threads);
          },
          nb::arg("threads"), nb::arg("options"))
      .def_prop_ro("closed", &open_runtime::is_closed, "True after close().")
      .def("has_views", &open_runtime::has_views, "True if a view or a tensor is open.")
      .def_prop_ro("simulated", &open_runtime::is_virtual, "True on the virtual clock.")
      .def("close", &open_runtime::close, nb::call_guard<without_gil>(),
           "Lets go of the runtime, which waits for its tasks.")
      .def("abandon", &open_runtime::abandon, "Keeps the runtime from ending with the process.")
      .def("wait", &wait_for_all, nb::arg("limit") = nb::none(),
           "Waits for all tasks, for so many seconds at most; False if these are over. Raises the "
           "first failure that nothing has looked at.")
      .def(
          "stop", [](open_runtime& self) { self.get()->stop(); },
          "Cancels the tasks that have not started.")
      .def("devices", &devices_of, "The devices in use.")
      .def(
          "now",
          [](open_runtime& self) {
            return std::chrono::duration<double>(self.get()->now()).count();
          },
          "Seconds since the runtime began, on its clock.")
      .def("drain", &drain, nb::arg("device"), "Takes a device out of use.")
      .def(
          "resume",
          [](open_runtime& self, const std::string& name) {
            change_device(self, name, &runtime::resume);
          },
          nb::arg("device"), "Takes a drained device into use again.")
      .def(
          "remove",
          [](open_runtime& self, const std::string& name) {
            change_device(self, name, &runtime::remove);
          },
          nb::arg("device"), "Lets go of the driver of a drained or lost device.")
      .def(
          "reopen",
          [](open_runtime& self, const std::string& name) {
            change_device(self, name, &runtime::reopen);
          },
          nb::arg("device"), "Connects a lost or removed device again.");
}

}  // namespace hocket::python
