// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include <hocket/scheduler/report.hpp>

namespace tools {

/// A run as a trace with decisions tells it. Every number in it was checked: devices, streams and
/// buffers are there, regions lie in their buffers, and nothing ends before it began.
struct recorded_run : hocket::traced_run {
  hocket::runtime_report report;  ///< without the names of devices
  std::vector<std::string> stream_names;
  std::unordered_map<std::uint64_t, std::size_t> places;  ///< of tasks, by their ids

  /// Null for a task that the trace does not have.
  [[nodiscard]] const hocket::traced_task* find(hocket::task_id id) const {
    const auto at = places.find(id.value);
    return at == places.end() ? nullptr : &tasks[at->second];
  }
  [[nodiscard]] const std::string& name_of(hocket::device_id device) const {
    return devices[device.value].name;
  }
  /// Empty for a buffer that no task of the trace used.
  [[nodiscard]] std::string label_of(hocket::data_id buffer) const;
};

/// True if the task ran on a device and ended well: only then it has all times.
[[nodiscard]] inline bool ran(const hocket::traced_task& t) {
  return t.kind == hocket::traced_kind::launch && t.device.valid() && t.stream.valid() && !t.failed;
}

/// Reads the decisions from the file of a trace. Throws error for what is no such file, or is not
/// whole.
[[nodiscard]] recorded_run read_trace(const std::string& path);

/// Parses a trace that was read. Messages name its source.
[[nodiscard]] recorded_run parse_trace(std::string_view text, const std::string& source);

}  // namespace tools
