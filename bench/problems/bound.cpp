// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "bound.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <vector>

namespace hocket::bench {

namespace {

/// Seconds of each kernel on each device, whatever else the device does: for flops in so many
/// launches.
class kernel_times {
 public:
  kernel_times(const problem& what, const std::vector<device_info>& devices)
      : seconds_of_flop_(what.kernels.size()) {
    for (const device_info& each : devices) {
      seconds_of_launch_.push_back(std::chrono::duration<double>(each.launch_latency).count());
      for (std::size_t k = 0; k < seconds_of_flop_.size(); ++k) {
        seconds_of_flop_[k].push_back(1 / each.flops_of(what.kernels[k]));
      }
    }
  }

  [[nodiscard]] double of(std::size_t kernel, std::size_t device, double flops,
                          double launches) const {
    return flops * seconds_of_flop_[kernel][device] + launches * seconds_of_launch_[device];
  }

 private:
  std::vector<std::vector<double>> seconds_of_flop_;
  std::vector<double> seconds_of_launch_;
};

/// Seconds of a lane of each device for all launches of each kernel.
std::vector<std::vector<double>> lane_seconds(const problem& what,
                                              const std::vector<device_info>& devices,
                                              const kernel_times& times) {
  std::vector<double> flops(what.kernels.size()), launches(what.kernels.size());
  for (const problem::task& each : what.tasks) {
    flops[each.kernel] += each.flops;
    ++launches[each.kernel];
  }
  std::vector<std::vector<double>> made(what.kernels.size());
  for (std::size_t k = 0; k < made.size(); ++k) {
    for (std::size_t d = 0; d < devices.size(); ++d) {
      made[k].push_back(times.of(k, d, flops[k], launches[k]) /
                        static_cast<double>(devices[d].lanes));
    }
  }
  return made;
}

/// The linear program: shares of each kernel's work for the devices, so that the busiest lane is
/// done as early as possible. By its dual with multiplicative weights: any prices of the devices'
/// time that add up to one give a bound, and the prices of busy devices are raised.
double area_of(const std::vector<std::vector<double>>& seconds, std::size_t devices) {
  constexpr int rounds = 20'000;
  std::vector<double> price(devices, 1.0 / static_cast<double>(devices));
  double best = 0;
  for (int round = 1; round <= rounds; ++round) {
    std::vector<double> busy(devices);
    double bound = 0;
    for (const std::vector<double>& of_kernel : seconds) {
      std::size_t cheapest = 0;
      for (std::size_t d = 1; d < devices; ++d) {
        if (price[d] * of_kernel[d] < price[cheapest] * of_kernel[cheapest]) cheapest = d;
      }
      bound += price[cheapest] * of_kernel[cheapest];
      busy[cheapest] += of_kernel[cheapest];
    }
    best = std::max(best, bound);
    const double most = *std::ranges::max_element(busy);
    const double step = 0.3 / std::sqrt(static_cast<double>(round));
    double sum = 0;
    for (std::size_t d = 0; d < devices; ++d) {
      price[d] = std::max(1e-9, price[d] * std::exp(step * busy[d] / most));
      sum += price[d];
    }
    for (double& each : price) each /= sum;
  }
  return best;
}

double critical_path_of(const problem& what, std::size_t devices, const kernel_times& times) {
  const auto shortest = [&](const problem::task& one) {
    double least = times.of(one.kernel, 0, one.flops, 1);
    for (std::size_t d = 1; d < devices; ++d) {
      least = std::min(least, times.of(one.kernel, d, one.flops, 1));
    }
    return least;
  };
  std::vector<double> written(what.buffers.size()), read(what.buffers.size());
  double longest = 0;
  for (const problem::task& each : what.tasks) {
    double begin = 0;
    for (const problem::access& a : each.accesses) {
      begin = std::max(begin, written[a.buffer]);
      if (a.how != use::read) begin = std::max(begin, read[a.buffer]);
    }
    const double end = begin + shortest(each);
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
  const kernel_times times(what, devices);
  return {area_of(lane_seconds(what, devices, times), devices.size()),
          critical_path_of(what, devices.size(), times)};
}

}  // namespace hocket::bench
