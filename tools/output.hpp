// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <boost/json/value.hpp>

#include <hocket/devices/device.hpp>

namespace tools {

/// Such as "256 MiB"; "unknown" for 0.
[[nodiscard]] std::string bytes_text(std::uint64_t bytes);

/// The languages that the kernels of a device are written in, best first.
[[nodiscard]] std::vector<std::string> format_names(const hocket::device_info& device);

/// Rows of equally many cells as aligned lines; the first row is the heading. Control characters
/// become question marks: names come from files and drivers.
[[nodiscard]] std::string table(const std::vector<std::vector<std::string>>& rows);

enum class colour { none, green, yellow, red };

/// The text in a colour, where standard output is a terminal and NO_COLOR is not set.
[[nodiscard]] std::string painted(std::string_view text, colour with);

/// A line on standard error, where that is a terminal, that is gone in the end.
class progress_line {
 public:
  progress_line();
  progress_line(const progress_line&) = delete;
  progress_line& operator=(const progress_line&) = delete;
  ~progress_line();
  void show(std::string_view what) const;

 private:
  bool is_shown_;
};

/// Writes to standard output. Throws error if not all of it can be written.
void print(std::string_view text);
void print(const boost::json::value& json);

}  // namespace tools
