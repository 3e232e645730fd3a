// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <cstdint>
#include <functional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include <hocket/hocket.hpp>

namespace tools {

/// Launches of one kernel in one size on one device.
struct measured_launch {
  std::string device;
  std::string kernel;
  std::string size;  ///< for people: elements, or the side of a matrix
  hocket::launch_work done;
  bool is_wide = false;
  hocket::nanoseconds predicted{0};             ///< by the rates of the device
  std::vector<hocket::nanoseconds> times = {};  ///< of each launch but the first, if there are more
};

/// Copies of one size from one memory to another.
struct measured_copy {
  std::string from;
  std::string to;
  std::uint64_t bytes = 0;
  hocket::nanoseconds predicted{0};
  std::vector<hocket::nanoseconds> times = {};
};

/// A link as its copies show it: the time of a copy is the latency and its bytes at the rate.
struct measured_link {
  std::string from;
  std::string to;
  double bytes_per_second = 0;
  hocket::nanoseconds latency{0};
};

struct calibration {
  std::vector<hocket::device_info> devices;
  std::vector<measured_launch> launches;
  std::vector<measured_copy> copies;
  std::vector<std::string> problems;  ///< why some devices were not measured to the end
  bool was_interrupted = false;
};

/// The lower middle one; there must be one.
[[nodiscard]] hocket::nanoseconds median(std::vector<hocket::nanoseconds> times);

/// In the order in which they were measured. A link of which one size was measured is left out.
[[nodiscard]] std::vector<measured_link> links_of(const std::vector<measured_copy>& copies);

/// Measures the devices of the runtime, which keeps a trace, one after the other: copies, launches
/// of an empty kernel and of built-in ones, until the time has passed or each was measured often.
/// Small copies and launches are measured also where that takes longer.
/// show is called before each with what comes. A stop is obeyed between two of them.
[[nodiscard]] calibration measure(hocket::runtime& rt, hocket::nanoseconds time,
                                  const std::stop_token& stop,
                                  const std::function<void(std::string_view)>& show);

}  // namespace tools
