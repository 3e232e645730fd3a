// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "output.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>

#include <fmt/format.h>
#include <boost/json/serialize.hpp>

#include <hocket/core/environment.hpp>
#include <hocket/core/printable.hpp>
#include <hocket/core/valid_utf8.hpp>

#include "common/ending.hpp"
#include "common/standard_streams.hpp"

namespace tools {

std::string bytes_text(std::uint64_t bytes) {
  if (bytes == 0) return "unknown";
  constexpr std::array units{"B", "KiB", "MiB", "GiB", "TiB"};
  constexpr double step = 1024;
  auto value = static_cast<double>(bytes);
  std::size_t unit = 0;
  while (value >= step && unit + 1 < units.size()) {
    value /= step;
    ++unit;
  }
  return fmt::format("{:.4g} {}", value, units[unit]);
}

std::vector<std::string> format_names(const hocket::device_info& device) {
  const auto name = [](hocket::kernel_format format) -> std::string {
    switch (format) {
      case hocket::kernel_format::host:
        return "host";
      case hocket::kernel_format::opencl_c:
        return "opencl_c";
      case hocket::kernel_format::glsl:
        return "glsl";
      case hocket::kernel_format::cuda_c:
        return "cuda_c";
      case hocket::kernel_format::opencl_commands:
        return "opencl_commands";
      case hocket::kernel_format::vulkan_commands:
        return "vulkan_commands";
      case hocket::kernel_format::cuda_commands:
        return "cuda_commands";
      case hocket::kernel_format::hip_commands:
        return "hip_commands";
    }
    return "unknown";
  };
  std::vector<std::string> names;
  for (const hocket::kernel_format format : device.formats) names.push_back(name(format));
  return names;
}

std::string table(const std::vector<std::vector<std::string>>& rows) {
  std::vector<std::size_t> widths;
  for (const auto& row : rows) {
    widths.resize(row.size());
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  }
  std::string text;
  const auto whole = [](const std::string& cell) {
    return hocket::printable(cell, std::string::npos);
  };
  for (const auto& row : rows) {
    for (std::size_t i = 0; i + 1 < row.size(); ++i) {
      text += fmt::format("{:<{}}  ", whole(row[i]), widths[i]);
    }
    text += whole(row.back()) + "\n";
  }
  return text;
}

std::string painted(std::string_view text, colour with) {
  static constexpr std::array codes{0, 32, 33, 31};
  const bool plain = with == colour::none || ::isatty(STDOUT_FILENO) == 0 ||
                     hocket::environment_variable("NO_COLOR").has_value();
  if (plain) return std::string(text);
  return fmt::format("\x1b[{}m{}\x1b[0m", codes[static_cast<std::size_t>(with)], text);
}

progress_line::progress_line() : is_shown_(::isatty(STDERR_FILENO) == 1) {}

progress_line::~progress_line() {
  if (is_shown_) examples::say("\r\x1b[K");
}

void progress_line::show(std::string_view what) const {
  if (is_shown_) examples::say(fmt::format("\r\x1b[K{}", what));
}

void print(std::string_view text) {
  (void)std::fwrite(text.data(), 1, text.size(), stdout);
  examples::flush_output();
}

void print(const boost::json::value& json) {
  print(hocket::valid_utf8(boost::json::serialize(json)) + "\n");
}

}  // namespace tools
