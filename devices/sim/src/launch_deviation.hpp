// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <string>

#include <hocket/devices/sim.hpp>
#include <hocket/streams/command.hpp>

namespace hocket::sim {

/// How much longer or shorter the launches of one device take than its rates say.
class launch_deviation {
 public:
  /// Devices with other numbers have other noise.
  launch_deviation(const sim_deviation& what, std::uint64_t device) : what_(what), seed_(device) {}

  /// How long the next launch takes. Any thread.
  [[nodiscard]] nanoseconds apply(const launch_command& what, nanoseconds by_rates, time_stamp now);

 private:
  /// How often the kernel was launched before, and any kernel.
  struct launch_counts {
    std::uint64_t of_kernel = 0, all = 0;
  };
  [[nodiscard]] launch_counts count(const std::string& kernel);

  const sim_deviation what_;
  const std::uint64_t seed_;
  std::mutex mutex_;
  std::uint64_t launches_ = 0;
  std::map<std::string, std::uint64_t> by_kernel_;
};

}  // namespace hocket::sim
