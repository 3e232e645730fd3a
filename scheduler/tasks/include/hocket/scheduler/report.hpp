// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <hocket/core/duration.hpp>
#include <hocket/core/trace.hpp>

namespace hocket {

/// What one device has done.
///
/// ```cpp
/// runtime rt({.trace_capacity = 1000});
/// const buffer<float> x{rt, 100, "x"};
/// rt.submit(ops::fill, 1.0f, writes(x)).get();
/// for (const device_report& each : rt.report().devices) std::printf("%s\n", each.name.c_str());
/// std::printf("%zu characters\n", to_chrome_json(rt.trace()).size());  // to be opened in Perfetto
/// ```
struct device_report {
  std::string name;
  std::string backend;
  std::size_t lanes = 1;
  bool alive = true;
  std::uint64_t kernels = 0;
  double flops = 0;
  nanoseconds busy{0};  ///< running kernels, summed over its lanes
  std::uint64_t bytes_in = 0;
  std::uint64_t bytes_out = 0;
  std::uint64_t peak_bytes = 0;  ///< of its memory
};

struct runtime_report {
  time_stamp now{};  ///< on the clock of the runtime
  std::vector<device_report> devices;
};

/// A trace with the names that its numbers stand for. Functions that ran as host tasks come last,
/// as if on a further device, "host tasks", with as many streams as ran at the same time.
struct trace_snapshot {
  std::vector<trace_record> records;
  std::vector<std::string> record_names;  ///< one for each record
  std::vector<std::string> device_names;
  std::vector<std::string> stream_names;
  std::uint64_t dropped = 0;  ///< older spans that the ring did not keep
};

/// The trace in the JSON form that Perfetto and Chrome open: a process for each device, a thread
/// for each stream, an arrow from each task to the one that it held up last. Times in microseconds.
[[nodiscard]] std::string to_chrome_json(const trace_snapshot& trace);

/// Writes the trace to a file. Throws error, naming the file, if it cannot be written whole; a file
/// that was begun is removed.
void write_trace(const trace_snapshot& trace, const std::string& path);

}  // namespace hocket
