// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "top_text.hpp"

#include <algorithm>
#include <cmath>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <boost/json.hpp>

#include "output.hpp"

namespace tools {

namespace {

namespace json = boost::json;

constexpr std::string_view indent = "  ";

std::string bytes_or_zero(std::uint64_t bytes) { return bytes == 0 ? "0 B" : bytes_text(bytes); }

std::string bytes_rate(double bytes) {
  constexpr double most = 9e18;  // which llround() can return
  return bytes_or_zero(static_cast<std::uint64_t>(std::llround(std::min(bytes, most)))) + "/s";
}

/// Names come from files: nothing in them moves the cursor.
std::string printable(std::string text) {
  std::ranges::replace_if(
      text, [](char c) { return c < ' ' || c > '~'; }, '?');
  return text;
}

std::string rate_text(double rate) {
  return rate < 100 && rate != std::floor(rate) ? fmt::format("{:.1f}", rate)
                                                : fmt::format("{:.0f}", rate);
}

/// Nothing for a device in use.
std::string state_text(const device_rates& of) {
  if (of.state.empty()) return of.alive ? "" : " (lost)";
  return of.state == "in use" ? "" : " (" + printable(of.state) + ")";
}

std::vector<std::string> row_of(const device_rates& of, bool are_placed) {
  const auto count = [&](std::uint64_t number) {
    return are_placed ? std::to_string(number) : std::string("-");
  };
  return {std::string(indent) + printable(of.name) + state_text(of),
          fmt::format("{:.0f} %", 100 * of.busy),
          rate_text(of.kernels_per_second),
          count(of.queued),
          count(of.in_flight),
          fmt::format("{} of {}", bytes_or_zero(of.used_bytes), bytes_text(of.memory_bytes)),
          bytes_rate(of.bytes_in_per_second),
          bytes_rate(of.bytes_out_per_second)};
}

std::string title_of(const runtime_rates& of) {
  std::string text = fmt::format("{} {}", of.from.process, printable(of.program));
  if (of.from.runtime > 1) text += fmt::format(", runtime {}", of.from.runtime);
  text += fmt::format(": {} tasks/s, {} pending", rate_text(of.tasks_per_second), of.pending);
  if (of.devices.empty()) text += ", no device in use";
  return text;
}

json::object to_json(const device_rates& of, bool are_placed) {
  const auto count = [&](std::uint64_t number) {
    return are_placed ? json::value(number) : json::value(nullptr);
  };
  return {{"name", of.name},
          {"backend", of.backend},
          {"alive", of.alive},
          {"state", of.state.empty() ? json::value(nullptr) : json::value(of.state)},
          {"busy", of.busy},
          {"kernels_per_second", of.kernels_per_second},
          {"queued", count(of.queued)},
          {"in_flight", count(of.in_flight)},
          {"used_bytes", of.used_bytes},
          {"memory_bytes", of.memory_bytes},
          {"bytes_in_per_second", of.bytes_in_per_second},
          {"bytes_out_per_second", of.bytes_out_per_second}};
}

}  // namespace

std::vector<std::string> top_lines(const std::vector<runtime_rates>& all) {
  std::vector<std::vector<std::string>> rows{
      {"DEVICE", "BUSY", "KERNELS/S", "QUEUED", "IN FLIGHT", "MEMORY", "IN", "OUT"}};
  for (const runtime_rates& of : all) {
    for (const device_rates& each : of.devices) rows.push_back(row_of(each, of.are_placed));
  }
  const std::string text = table(rows);
  std::vector<std::string> lines;
  std::size_t begin = 0;
  const auto next = [&] {
    const std::size_t end = text.find('\n', begin);
    lines.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  };
  next();
  for (const runtime_rates& of : all) {
    lines.push_back(title_of(of));
    for (std::size_t i = 0; i < of.devices.size(); ++i) next();
  }
  return lines;
}

std::string top_page(const std::string& title, const std::vector<std::string>& lines,
                     page_size size) {
  // To the top left; each line erases what is behind it, and the page what is below.
  std::string page = "\x1b[H";
  const auto add = [&](const std::string& line, colour with) {
    page += painted(line.substr(0, size.columns), with) + "\x1b[K";
  };
  add(title, colour::none);
  const std::size_t room = size.lines > 1 ? size.lines - 1 : 0;
  for (std::size_t i = 0; i < std::min(lines.size(), room); ++i) {
    page += "\r\n";
    const bool is_of_process = i > 0 && !lines[i].starts_with(indent);
    add(lines[i], is_of_process ? colour::green : colour::none);
  }
  return page + "\x1b[J";
}

json::value to_json(const std::vector<runtime_rates>& all) {
  json::array runtimes;
  for (const runtime_rates& of : all) {
    json::array devices;
    for (const device_rates& each : of.devices) devices.push_back(to_json(each, of.are_placed));
    runtimes.push_back(json::object{{"pid", of.from.process},
                                    {"program", of.program},
                                    {"runtime", of.from.runtime},
                                    {"tasks_per_second", of.tasks_per_second},
                                    {"ended", of.ended},
                                    {"pending", of.pending},
                                    {"placed", of.are_placed},
                                    {"devices", std::move(devices)}});
  }
  return json::object{{"runtimes", std::move(runtimes)}};
}

}  // namespace tools
