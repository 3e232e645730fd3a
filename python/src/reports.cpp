// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <nanobind/nanobind.h>
#include <nanobind/stl/vector.h>

#include <string>
#include <string_view>

#include "runtimes.hpp"

namespace hocket::python {

namespace {

double seconds(nanoseconds time) { return std::chrono::duration<double>(time).count(); }

runtime_report report_of(open_runtime& home) {
  const runtime_ref rt = home.get();
  const without_gil released;
  return rt->report();
}

std::string trace_json(open_runtime& home) {
  const runtime_ref rt = home.get();
  const without_gil released;
  return to_chrome_json(rt->trace());
}

void write_trace_of(open_runtime& home, const std::string& path) {
  const runtime_ref rt = home.get();
  const without_gil released;
  write_trace(rt->trace(), path);
}

void bind_device_reports(nb::module_& to) {
  using report = device_report;
  nb::class_<report>(to, "DeviceReport", "What one device has done.")
      .def_ro("name", &report::name, "As in \"NUMA0\".")
      .def_ro("backend", &report::backend, "As in \"cpu\".")
      .def_ro("lanes", &report::lanes, "How many tasks run there at a time.")
      .def_ro("alive", &report::alive, "False if the device is lost or removed.")
      .def_prop_ro(
          "state", [](const report& r) { return std::string(to_string(r.state)); },
          "As in \"in use\" or \"drained\".")
      .def_ro("kernels", &report::kernels, "How many kernels have ended there.")
      .def_ro("flops", &report::flops, "Arithmetic operations of these.")
      .def_prop_ro(
          "busy", [](const report& r) { return seconds(r.busy); },
          "Seconds of kernels, summed over its lanes.")
      .def_ro("bytes_in", &report::bytes_in, "Bytes copied to its memory.")
      .def_ro("bytes_out", &report::bytes_out, "Bytes copied from its memory.")
      .def_ro("peak_bytes", &report::peak_bytes, "Most bytes of its memory in use.")
      .def_ro("used_bytes", &report::used_bytes, "Bytes of its memory in use now.")
      .def_ro("memory_bytes", &report::memory_bytes, "Bytes of its memory that tasks may use.")
      .def_ro("queued", &report::queued, "Tasks that wait in its queue.")
      .def_ro("in_flight", &report::in_flight, "Commands that have not ended.");
}

}  // namespace

void bind_reports(nb::module_& to) {
  using report = runtime_report;
  bind_device_reports(to);
  nb::class_<report>(to, "Report", "What all devices of a runtime have done.")
      .def_ro("devices", &report::devices, "A DeviceReport for each device.")
      .def_prop_ro(
          "now", [](const report& r) { return seconds(r.now); }, "Seconds since the runtime began.")
      .def_prop_ro(
          "makespan", [](const report& r) { return seconds(r.makespan); },
          "Seconds from the begin of the first kernel to the end of the last.")
      .def_prop_ro(
          "bound", [](const report& r) { return seconds(r.bound()); },
          "Seconds that no schedule of the same tasks goes below.")
      .def_prop_ro(
          "critical_path", [](const report& r) { return seconds(r.critical_path); },
          "Seconds of the longest chain; 0 without a trace.")
      .def_ro("recoveries", &report::recoveries, "Times that lost content was made again.")
      .def_ro("repeated_tasks", &report::repeated_tasks, "Tasks that ran again for that.")
      .def_ro("retried_commands", &report::retried_commands, "Commands that were tried again.")
      .def_ro("quarantines", &report::quarantines, "Times that a device was quarantined.")
      .def_ro("duplicates", &report::duplicates, "Launches that were run a second time.")
      .def("__str__", [](const report& r) { return summary(r); });
  to.def("report", &report_of, nb::arg("runtime"), "The report of a runtime.");
  to.def("trace_json", &trace_json, nb::arg("runtime"), "The trace as JSON.");
  to.def("write_trace", &write_trace_of, nb::arg("runtime"), nb::arg("path"),
         "Writes the trace to a file.");
}

}  // namespace hocket::python
