// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "device_work.hpp"

#include <chrono>

#include <fmt/format.h>

namespace examples {

std::vector<hocket::device_report> work_between(const hocket::runtime_report& begin,
                                                const hocket::runtime_report& end) {
  std::vector<hocket::device_report> work = end.devices;
  for (std::size_t i = 0; i < begin.devices.size(); ++i) {
    const hocket::device_report& before = begin.devices[i];
    work[i].kernels -= before.kernels;
    work[i].flops -= before.flops;
    work[i].busy -= before.busy;
    work[i].bytes_in -= before.bytes_in;
    work[i].bytes_out -= before.bytes_out;
  }
  return work;
}

std::string table_of(const std::vector<hocket::device_report>& work, double seconds) {
  constexpr double megabyte = 1e6;
  std::string text = fmt::format("{:<12}{:>8}{:>8}{:>14}{:>10}{:>10}\n", "device", "tasks", "busy",
                                 "arithmetic", "MB in", "MB out");
  double flops = 0;
  for (const hocket::device_report& each : work) flops += each.flops;
  for (const hocket::device_report& each : work) {
    const double time = seconds * static_cast<double>(each.lanes);
    const double busy = time > 0 ? seconds_of(each.busy) / time : 0;
    const double share = flops > 0 ? each.flops / flops : 0;
    text +=
        fmt::format("{:<12}{:>8}{:>6.0f} %{:>12.1f} %{:>10.1f}{:>10.1f}\n", each.name, each.kernels,
                    100 * busy, 100 * share, static_cast<double>(each.bytes_in) / megabyte,
                    static_cast<double>(each.bytes_out) / megabyte);
  }
  return text;
}

boost::json::array json_of(const std::vector<hocket::device_report>& work) {
  boost::json::array all;
  for (const hocket::device_report& each : work) {
    all.push_back({{"name", each.name},
                   {"backend", each.backend},
                   {"tasks", each.kernels},
                   {"flops", each.flops},
                   {"busy_seconds", seconds_of(each.busy)},
                   {"bytes_in", each.bytes_in},
                   {"bytes_out", each.bytes_out}});
  }
  return all;
}

double seconds_of(hocket::nanoseconds time) { return std::chrono::duration<double>(time).count(); }

}  // namespace examples
