// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "sweep.hpp"

#include <algorithm>
#include <cmath>

namespace hocket::bench {

namespace {

constexpr double half = 0.5;
constexpr double shortest_kernel = 16;  // nanoseconds; nobody is at the half there

struct point {
  double length;      // of a task
  double efficiency;  // part of the peak rate
};

point point_at(const sweep_limits& limits, std::uint64_t iterations, double wall_time) {
  const double length =
      wall_time * static_cast<double>(limits.threads) / static_cast<double>(limits.tasks);
  const double kernel = static_cast<double>(iterations) * limits.nanoseconds_per_iteration;
  return {length, kernel / length};
}

/// Where the line between both crosses the half; lengths are logarithmic.
double crossing(const point& below, const point& above) {
  const double part = (half - below.efficiency) / (above.efficiency - below.efficiency);
  return below.length * std::pow(above.length / below.length, part);
}

}  // namespace

double metg50(const sweep_limits& limits,
              const std::function<double(std::uint64_t iterations)>& wall_time) {
  auto iterations =
      static_cast<std::uint64_t>(std::max(1.0, shortest_kernel / limits.nanoseconds_per_iteration));
  point before = point_at(limits, iterations, wall_time(iterations));
  while (before.efficiency < half) {
    iterations *= 2;
    if (static_cast<double>(iterations) * limits.nanoseconds_per_iteration > limits.longest_kernel)
      break;
    const point now = point_at(limits, iterations, wall_time(iterations));
    if (now.efficiency >= half) return crossing(before, now);
    before = now;
  }
  return before.length;
}

}  // namespace hocket::bench
