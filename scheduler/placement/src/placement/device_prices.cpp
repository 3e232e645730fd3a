// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "placement/device_prices.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace hocket::placement {

device_prices::device_prices(const machine& of) : prices_(of.devices.size(), 1.0) {
  for (const machine::device_node& each : of.devices) {
    lanes_.push_back(static_cast<double>(each.compute.size()));
  }
}

void device_prices::solve(double critical_path, int rounds) {
  const std::size_t count = lanes_.size();
  const double all_lanes = std::accumulate(lanes_.begin(), lanes_.end(), 0.0);
  std::vector<const std::vector<double>*> work;
  for (const auto& [kind, times] : kinds_) work.push_back(&times);
  // In an order that does not depend on where the table keeps them: sums of rounded numbers do.
  std::ranges::sort(work, [](const auto* a, const auto* b) { return *a < *b; });
  std::vector<double> price = lanes_, best = lanes_, busy(count);  // of whole devices
  double best_bound = 0;
  for (int round = 1; round <= rounds; ++round) {
    std::ranges::fill(busy, 0);
    double bound = 0;
    for (const std::vector<double>* times : work) {
      std::size_t cheapest = 0;
      double least = std::numeric_limits<double>::infinity();
      for (std::size_t d = 0; d < count; ++d) {
        const double costs = price[d] * (*times)[d];
        if (costs < least) {
          least = costs;
          cheapest = d;
        }
      }
      if (!std::isfinite(least)) continue;
      bound += least;
      busy[cheapest] += (*times)[cheapest];
    }
    if (bound > best_bound) {
      best_bound = bound;
      best = price;
    }
    const double most = *std::ranges::max_element(busy);
    if (most == 0) break;
    const double step = 0.3 / std::sqrt(static_cast<double>(round));
    double sum = 0;
    for (std::size_t d = 0; d < count; ++d) {
      price[d] = std::max(1e-9, price[d] * std::exp(step * busy[d] / most));
      sum += price[d];
    }
    for (double& each : price) each *= all_lanes / sum;
  }
  for (std::size_t d = 0; d < count; ++d) prices_[d] = best[d] / lanes_[d];
  bound_ = best_bound / all_lanes;
  weight_ = critical_path > 0 ? std::min(1.0, bound_ / critical_path) : 0.0;
}

}  // namespace hocket::placement
