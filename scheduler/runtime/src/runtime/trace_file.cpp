// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <map>

#include <boost/json.hpp>

#include <hocket/core/error.hpp>
#include <hocket/core/printable.hpp>
#include <hocket/core/valid_utf8.hpp>
#include <hocket/scheduler/report.hpp>

#include "placement/duplicate_table.hpp"
#include "placement/recovery_run.hpp"
#include "runtime/decision_json.hpp"

namespace hocket {

namespace {

namespace json = boost::json;

double microseconds(time_stamp t) { return static_cast<double>(t.count()) / 1e3; }

json::object name_of(const char* what, std::uint64_t process, std::uint64_t thread,
                     const std::string& name) {
  return {{"ph", "M"},
          {"name", what},
          {"pid", process},
          {"tid", thread},
          {"args", json::object{{"name", name}}}};
}

const char* category(trace_kind kind) {
  switch (kind) {
    case trace_kind::kernel:
      return "kernel";
    case trace_kind::host_task:
      return "host task";
    case trace_kind::transfer:
      return "transfer";
    case trace_kind::compilation:
      return "compilation";
    case trace_kind::wait:
      return "wait";
    case trace_kind::mark:
      return "mark";
  }
  return "";
}

std::string title(trace_kind kind, const std::string& name) {
  if (kind == trace_kind::transfer) return "copy for " + name;
  if (kind == trace_kind::compilation) return "compile " + name;
  if (kind == trace_kind::wait) return "wait before " + name;
  return name;
}

json::object span(const trace_record& r, const std::string& name) {
  const auto number = [](task_id id) {
    return id.valid() ? json::value(id.value) : json::value(nullptr);
  };
  const bool is_again = r.task.valid() && r.task.value >= placement::first_recovery_number;
  const bool is_duplicate =
      r.task.valid() && !is_again && r.task.value >= placement::first_duplicate_number;
  const task_id task =
      is_duplicate ? task_id{r.task.value - placement::first_duplicate_number} : r.task;
  json::object args{{"task", number(task)}};
  if (is_again) args["again"] = true;
  if (is_duplicate) args["duplicate"] = true;
  if (r.kind == trace_kind::wait) args["for"] = number(r.cause);
  if (r.kind == trace_kind::transfer) args["bytes"] = r.bytes;
  return {{"ph", "X"},
          {"name", title(r.kind, name)},
          {"cat", category(r.kind)},
          {"pid", r.device.value},
          {"tid", r.stream.value},
          {"ts", microseconds(r.begin)},
          {"dur", microseconds(r.end - r.begin)},
          {"args", std::move(args)}};
}

json::object arrow(const char* phase, const trace_record& r, time_stamp at, std::uint64_t id) {
  json::object made{
      {"ph", phase},           {"name", "then"},        {"cat", "dependency"},   {"id", id},
      {"pid", r.device.value}, {"tid", r.stream.value}, {"ts", microseconds(at)}};
  if (*phase == 'f') made["bp"] = "e";
  return made;
}

void add_names(json::array& events, const trace_snapshot& trace) {
  std::map<std::uint64_t, std::uint64_t> device_of_stream;
  for (const trace_record& r : trace.records) {
    device_of_stream.emplace(r.stream.value, r.device.value);
  }
  for (std::size_t d = 0; d < trace.device_names.size(); ++d) {
    events.push_back(name_of("process_name", d, 0, trace.device_names[d]));
  }
  for (const auto& [stream, device] : device_of_stream) {
    events.push_back(name_of("thread_name", device, stream, trace.stream_names[stream]));
  }
}

}  // namespace

std::string to_chrome_json(const trace_snapshot& trace) {
  json::array events;
  add_names(events, trace);
  std::map<task_id, const trace_record*> kernels;
  for (std::size_t i = 0; i < trace.records.size(); ++i) {
    const trace_record& r = trace.records[i];
    events.push_back(span(r, trace.record_names[i]));
    if (r.kind == trace_kind::kernel) kernels[r.task] = &r;
  }
  std::uint64_t arrows = 0;
  for (const trace_record& r : trace.records) {
    const auto cause = kernels.find(r.cause);
    if (r.kind != trace_kind::kernel || cause == kernels.end()) continue;
    events.push_back(arrow("s", *cause->second, cause->second->end, ++arrows));
    events.push_back(arrow("f", r, r.begin, arrows));
  }
  json::object made{{"traceEvents", std::move(events)},
                    {"displayTimeUnit", "ms"},
                    {"otherData", json::object{{"dropped", trace.dropped}}}};
  // Viewers pass over what they do not know.
  if (!trace.run.devices.empty()) made["hocket"] = detail::decision_json(trace);
  return valid_utf8(json::serialize(made));
}

void write_trace(const trace_snapshot& trace, const std::string& path) {
  const std::string text = to_chrome_json(trace);
  std::FILE* file = std::fopen(path.c_str(), "wb");
  if (file == nullptr) {
    throw error(failure(failure_code::io, "Trace file " + in_quotes(path) +
                                              " cannot be opened: " + std::strerror(errno) + "."));
  }
  errno = 0;
  bool whole = std::fwrite(text.data(), 1, text.size(), file) == text.size();
  whole = std::fclose(file) == 0 && whole;
  if (whole) return;
  const std::string reason = std::strerror(errno);
  // What is no regular file (a pipe, a device) was there before and stays.
  std::error_code ignored;
  if (std::filesystem::is_regular_file(path, ignored)) std::filesystem::remove(path, ignored);
  throw error(failure(failure_code::io, "Trace file " + in_quotes(path) +
                                            " cannot be written whole: " + reason + "."));
}

}  // namespace hocket
