// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <hocket/core/duration.hpp>
#include <hocket/core/trace.hpp>
#include <hocket/devices/copy_check_counts.hpp>
#include <hocket/devices/fault_plan.hpp>
#include <hocket/scheduler/traced_run.hpp>

namespace hocket {

/// How long a device stood idle while tasks were pending, and why. Without a trace and
/// HOCKET_SUMMARY, a runtime with one device does not know.
struct device_idle {
  nanoseconds no_task{0};  ///< none could start: earlier ones had not ended
  nanoseconds data{0};     ///< what its tasks read was on the way
  nanoseconds memory{0};   ///< its memory was full
  nanoseconds choice{0};   ///< tasks that could start were to run on other devices
  nanoseconds turn{0};     ///< its tasks waited for their turn
};

/// The state of a device. Tasks are placed only on one in use.
enum class device_state : std::uint8_t {
  in_use,       ///< tasks are placed there
  draining,     ///< it takes no more tasks, and is not empty yet: see runtime::drain
  drained,      ///< it is empty, and takes no task before runtime::resume
  quarantined,  ///< its commands failed one after another; it is probed after a while
  hung,         ///< one of its commands does not end; it is lost when its driver lets go of them
  lost,         ///< with what it had, before runtime::reopen
  removed,      ///< its driver is let go of, before runtime::reopen: see runtime::remove
};
/// As in "in use".
[[nodiscard]] std::string_view to_string(device_state state) noexcept;

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
  bool alive = true;  ///< it is neither lost nor removed
  device_state state = device_state::in_use;
  std::uint64_t kernels = 0;
  double flops = 0;
  nanoseconds busy{0};  ///< running kernels, summed over its lanes
  std::uint64_t bytes_in = 0;
  std::uint64_t bytes_out = 0;
  std::uint64_t peak_bytes = 0;    ///< of its memory
  std::uint64_t used_bytes = 0;    ///< of its memory, now
  std::uint64_t memory_bytes = 0;  ///< that tasks may use of its memory
  std::size_t queued = 0;          ///< tasks that wait in its queue; 0 where tasks run in place
  std::size_t in_flight = 0;       ///< commands it was given that have not ended; 0 likewise
  device_idle idle;
};

/// What all devices have done. Bounds are of the kernels that have ended, by what was measured and,
/// where nothing was, by the rates of devices; they leave out copies. Tasks that ran in place are
/// not in them.
struct runtime_report {
  time_stamp now{};  ///< on the clock of the runtime
  std::vector<device_report> devices;
  nanoseconds makespan{0};       ///< from the begin of the first kernel to the end of the last
  nanoseconds area_bound{0};     ///< all lanes work all the time, each at what suits it
  nanoseconds critical_path{0};  ///< the longest chain; 0 without a trace and HOCKET_SUMMARY
  std::size_t repeated_runs =
      0;                         ///< of recorded graphs: they repeat the schedule of an earlier one
  std::size_t batched_runs = 0;  ///< of those: their tasks were submitted in batches

  // With runtime_options::speculation.
  std::size_t duplicates = 0;      ///< launches that took too long, and were run a second time
  std::size_t duplicates_won = 0;  ///< of these, the second run was the task's

  // With resilience_kind::survive.
  std::size_t recoveries = 0;        ///< times that all that was lost or failed was made again
  std::size_t given_up = 0;          ///< times that some of it could not be
  std::size_t repeated_tasks = 0;    ///< tasks that ran again for that, or restored content
  std::size_t quarantines = 0;       ///< times that a device was quarantined
  std::size_t readmissions = 0;      ///< times that one was used again after that
  std::size_t retried_commands = 0;  ///< launches and copies that failed, and were tried again

  copy_check_counts copies;  ///< that were compared: see runtime_options::integrity

  fault_counts faults;  ///< that were injected: see runtime_options::faults

  /// No schedule of the same tasks takes less time than this.
  [[nodiscard]] nanoseconds bound() const { return std::max(area_bound, critical_path); }
};

/// The report in one line, as HOCKET_SUMMARY=1 prints it when a runtime ends.
[[nodiscard]] std::string summary(const runtime_report& report);

/// A trace with the names that its numbers stand for. Functions that ran as host tasks come last,
/// as if on a further device, "host tasks", with as many streams as ran at the same time.
struct trace_snapshot {
  std::vector<trace_record> records;
  std::vector<std::string> record_names;  ///< one for each record
  std::vector<std::string> device_names;
  std::vector<std::string> stream_names;
  std::uint64_t dropped = 0;  ///< older spans that the ring did not keep

  runtime_report report;  ///< with trace_decisions
  traced_run run;         ///< likewise
};

/// The trace in the JSON form that Perfetto and Chrome open: a process for each device, a thread
/// for each stream, an arrow from each task to the one that it held up last. Times in microseconds.
[[nodiscard]] std::string to_chrome_json(const trace_snapshot& trace);

/// Writes the trace to a file. Throws error, naming the file, if it cannot be written whole; a file
/// that was begun is removed.
void write_trace(const trace_snapshot& trace, const std::string& path);

}  // namespace hocket
