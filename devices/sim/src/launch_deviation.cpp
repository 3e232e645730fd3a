// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "launch_deviation.hpp"

#include <cmath>
#include <numbers>

#include <hocket/devices/prediction.hpp>
#include <hocket/execution/seed.hpp>

namespace hocket::sim {

namespace {

/// Above 0, at most 1.
double next_uniform(std::uint64_t& state) {
  return static_cast<double>((splitmix64(state) >> 11U) + 1) * 0x1p-53;
}

/// Of mean 0 and deviation 1 (Box and Muller, 1958).
double next_normal(std::uint64_t& state) {
  const double radius = std::sqrt(-2 * std::log(next_uniform(state)));
  return radius * std::cos(2 * std::numbers::pi * next_uniform(state));
}

}  // namespace

launch_deviation::launch_counts launch_deviation::count(const std::string& kernel) {
  const std::scoped_lock lock(mutex_);
  return {by_kernel_[kernel]++, launches_++};
}

nanoseconds launch_deviation::apply(const launch_command& what, nanoseconds by_rates,
                                    time_stamp now) {
  if (what_ == sim_deviation{}) return by_rates;
  const launch_counts before = count(what.kernel->name);
  double factor = 1;
  if (before.of_kernel < what_.first_launches) factor *= what_.first_factor;
  if (now >= what_.later) factor *= what_.later_factor;
  if (what_.noise > 0) {
    std::uint64_t state = (seed_ << 40U) ^ before.all;
    factor *= std::exp(what_.noise * next_normal(state) - what_.noise * what_.noise / 2);
  }
  return time_for(static_cast<double>(by_rates.count()) * factor, 1e9);
}

}  // namespace hocket::sim
