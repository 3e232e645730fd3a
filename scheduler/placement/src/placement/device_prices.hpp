// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <boost/unordered/unordered_flat_map.hpp>

#include "placement/machine.hpp"

namespace hocket::placement {

/// Prices of the time of each device, from the work that is pending: devices are dear that are
/// much better than others at a kind of work of which there is much. These are the dual values of
/// the linear program that shares out all work, without an order, so that the busiest device is
/// done as early as possible. They are found by multiplicative weights (Arora, Hazan and Kale,
/// 2012): any prices give a bound, and those of busy devices are raised. Devices that run on cores
/// of the host are one resource, of which each takes its share.
class device_prices {
 public:
  /// Without work every lane costs one.
  explicit device_prices(const machine& of);

  /// Forgets the work.
  void begin() noexcept { kinds_.clear(); }
  /// Work of a kind, which takes so long on a lane of each device: time_on(device), infinite where
  /// it cannot be done.
  template <class TimeOn>
  void add(const std::string& kind, const TimeOn& time_on) {
    auto [at, is_new] = kinds_.try_emplace(kind, lanes_.size());
    for (std::size_t d = 0; d < lanes_.size(); ++d) at->second[d] += time_on(d) / lanes_[d];
  }
  /// Finds the prices for the work that was added, the longest chain of which takes so long on the
  /// fastest devices, in the same unit. The mean over all lanes is one. More rounds are more exact.
  void solve(double critical_path, int rounds = 400);
  /// Finds the bound with as many rounds as take some milliseconds.
  void solve_bound();
  /// Of the work that was solved for: no schedule is done earlier, in the same unit.
  [[nodiscard]] double bound() const noexcept { return bound_; }

  /// Of a lane of the device.
  [[nodiscard]] double of(device_id device) const noexcept { return prices_[device.value]; }
  /// Counts how often prices were found.
  [[nodiscard]] std::uint64_t changes() const noexcept { return changes_; }
  /// How much prices matter, from 0 to 1: not at all where chains keep devices from being busy.
  [[nodiscard]] double weight() const noexcept { return weight_; }

 private:
  boost::unordered_flat_map<std::string, std::vector<double>> kinds_;
  struct resource {
    std::size_t number = 0;  ///< among those that are shared out
    double share = 1;        ///< of it, that the device takes while all its lanes work
  };
  [[nodiscard]] double cost(const std::vector<double>& prices, std::size_t device,
                            double time) const {
    const resource& used = uses_[device];
    return prices[used.number] * used.share * time;
  }

  std::vector<double> lanes_;   ///< of each device
  std::vector<resource> uses_;  ///< likewise
  std::vector<double> sizes_;   ///< of each resource, in lanes
  std::vector<double> prices_;  ///< of a lane of each device
  double weight_ = 0;
  double bound_ = 0;
  std::uint64_t changes_ = 1;
};

}  // namespace hocket::placement
