// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "placement/device_prices.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>

#include "placement/core_sharing.hpp"

namespace hocket::placement {

device_prices::device_prices(const machine& of) : prices_(of.devices.size(), 1.0) {
  const core_sharing sharing(of);
  const auto cores = static_cast<double>(sharing.cores());
  std::optional<std::size_t> host;  // the resource of its cores
  for (std::size_t i = 0; i < of.devices.size(); ++i) {
    const machine::device_node& each = of.devices[i];
    lanes_.push_back(static_cast<double>(each.compute.size()));
    if (sharing.rivals(device_id{i}).empty()) {
      uses_.push_back({sizes_.size(), 1});
      sizes_.push_back(lanes_.back());
      continue;
    }
    if (!host) {
      host = sizes_.size();
      sizes_.push_back(cores);
    }
    uses_.push_back({*host, static_cast<double>(each.host_cores) / cores});
  }
}

void device_prices::solve_bound() {
  constexpr std::size_t steps = 4'000'000, fewest = 400, most = 20'000;
  const std::size_t steps_of_round = std::max<std::size_t>(kinds_.size() * lanes_.size(), 1);
  solve(0, static_cast<int>(std::clamp(steps / steps_of_round, fewest, most)));
}

void device_prices::solve(double critical_path, int rounds) {
  const std::size_t resources = sizes_.size();
  const double all_lanes = std::accumulate(sizes_.begin(), sizes_.end(), 0.0);
  std::vector<const std::vector<double>*> work;
  for (const auto& [kind, times] : kinds_) work.push_back(&times);
  // In an order that does not depend on where the table keeps them: sums of rounded numbers do.
  std::ranges::sort(work, [](const auto* a, const auto* b) { return *a < *b; });
  std::vector<double> price = sizes_, best = sizes_, busy(resources);  // of whole resources
  double best_bound = 0;
  for (int round = 1; round <= rounds; ++round) {
    std::ranges::fill(busy, 0);
    double bound = 0;
    for (const std::vector<double>* times : work) {
      std::size_t cheapest = 0;
      double least = std::numeric_limits<double>::infinity();
      for (std::size_t d = 0; d < lanes_.size(); ++d) {
        const double costs = cost(price, d, (*times)[d]);
        if (costs < least) {
          least = costs;
          cheapest = d;
        }
      }
      if (!std::isfinite(least)) continue;
      bound += least;
      busy[uses_[cheapest].number] += uses_[cheapest].share * (*times)[cheapest];
    }
    if (bound > best_bound) {
      best_bound = bound;
      best = price;
    }
    const double most = *std::ranges::max_element(busy);
    if (most == 0) break;
    const double step = 0.3 / std::sqrt(static_cast<double>(round));
    double sum = 0;
    for (std::size_t r = 0; r < resources; ++r) {
      price[r] = std::max(1e-9, price[r] * std::exp(step * busy[r] / most));
      sum += price[r];
    }
    for (double& each : price) each *= all_lanes / sum;
  }
  for (std::size_t d = 0; d < lanes_.size(); ++d) prices_[d] = cost(best, d, 1 / lanes_[d]);
  ++changes_;
  bound_ = best_bound / all_lanes;
  weight_ = critical_path > 0 ? std::min(1.0, bound_ / critical_path) : 0.0;
}

}  // namespace hocket::placement
