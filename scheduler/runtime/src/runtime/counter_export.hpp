// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <vector>

#include <hocket/core/duration.hpp>
#include <hocket/devices/counter_files.hpp>
#include <hocket/execution/pump.hpp>
#include <hocket/scheduler/report.hpp>

namespace hocket::detail {

/// The counters that `hocket top` shows of a runtime.
struct runtime_counters {
  time_stamp now{};
  std::uint64_t ended = 0;    ///< tasks
  std::uint64_t pending = 0;  ///< tasks
  bool are_placed = false;    ///< tasks with data; false too while no device is connected
  std::vector<device_report> devices;
};

/// Writes the counters of a runtime to its file four times a second, in a thread of its own, which
/// reads what others count anyway.
class counter_export {
 public:
  using read_counters = std::function<runtime_counters()>;

  counter_export(std::uint64_t runtime, read_counters read);
  counter_export(const counter_export&) = delete;
  counter_export& operator=(const counter_export&) = delete;
  ~counter_export() = default;

  /// Returns when the thread has ended and the file is gone. Any thread, any number of times.
  void stop() noexcept;

 private:
  void write();
  void write_later(pump& thread);

  const read_counters read_;
  std::mutex stopping_;
  std::optional<counter_file> file_;
  std::optional<pump> thread_;  // last: its work uses the others
};

/// True if HOCKET_TOP asks for counters.
[[nodiscard]] bool wants_counters();

}  // namespace hocket::detail
