// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "bound.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

namespace hocket::bench {

namespace {

/// Seconds that a flop of each kernel takes on each device, whatever else the device does.
std::vector<std::vector<double>> seconds_of(const problem& what,
                                            const std::vector<device_info>& devices) {
  std::vector<std::vector<double>> made(what.kernels.size());
  for (std::size_t k = 0; k < made.size(); ++k) {
    for (const device_info& each : devices) made[k].push_back(1 / each.flops_of(what.kernels[k]));
  }
  return made;
}

/// The linear program: shares of each kernel's work for the devices, so that the busiest lane is
/// done as early as possible. By its dual with multiplicative weights: any prices of the devices'
/// time that add up to one give a bound, and the prices of busy devices are raised.
double area_of(const problem& what, const std::vector<device_info>& devices,
               const std::vector<std::vector<double>>& seconds) {
  constexpr int rounds = 20'000;
  std::vector<double> work(what.kernels.size());
  for (const problem::task& each : what.tasks) work[each.kernel] += each.flops;
  const std::size_t count = devices.size();
  std::vector<double> price(count, 1.0 / static_cast<double>(count));
  double best = 0;
  for (int round = 1; round <= rounds; ++round) {
    std::vector<double> busy(count);
    double bound = 0;
    for (std::size_t k = 0; k < work.size(); ++k) {
      const auto of = [&](std::size_t d) {
        return seconds[k][d] / static_cast<double>(devices[d].lanes);
      };
      std::size_t cheapest = 0;
      for (std::size_t d = 1; d < count; ++d) {
        if (price[d] * of(d) < price[cheapest] * of(cheapest)) cheapest = d;
      }
      bound += work[k] * price[cheapest] * of(cheapest);
      busy[cheapest] += work[k] * of(cheapest);
    }
    best = std::max(best, bound);
    const double most = *std::ranges::max_element(busy);
    const double step = 0.3 / std::sqrt(static_cast<double>(round));
    double sum = 0;
    for (std::size_t d = 0; d < count; ++d) {
      price[d] = std::max(1e-9, price[d] * std::exp(step * busy[d] / most));
      sum += price[d];
    }
    for (double& each : price) each /= sum;
  }
  return best;
}

double critical_path_of(const problem& what, const std::vector<std::vector<double>>& seconds) {
  std::vector<double> written(what.bytes.size()), read(what.bytes.size());
  double longest = 0;
  for (const problem::task& each : what.tasks) {
    double begin = 0;
    for (const problem::access& a : each.accesses) {
      begin = std::max(begin, written[a.buffer]);
      if (a.how != use::read) begin = std::max(begin, read[a.buffer]);
    }
    const double end = begin + each.flops * *std::ranges::min_element(seconds[each.kernel]);
    for (const problem::access& a : each.accesses) {
      double& at = a.how == use::read ? read[a.buffer] : written[a.buffer];
      at = std::max(at, end);
    }
    longest = std::max(longest, end);
  }
  return longest;
}

}  // namespace

bounds bounds_of(const problem& what, const std::vector<device_info>& devices) {
  const std::vector<std::vector<double>> seconds = seconds_of(what, devices);
  return {area_of(what, devices, seconds), critical_path_of(what, seconds)};
}

}  // namespace hocket::bench
