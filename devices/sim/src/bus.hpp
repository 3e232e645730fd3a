// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <mutex>

#include <hocket/devices/prediction.hpp>
#include <hocket/devices/sim.hpp>
#include <hocket/streams/command.hpp>

namespace hocket::sim {

/// The traffic of a link that several devices share. Any thread.
class bus {
 public:
  explicit bus(const sim_bus& of) : of_(of) {}

  [[nodiscard]] const sim_bus& properties() const noexcept { return of_; }
  [[nodiscard]] double bytes_per_second() const noexcept { return of_.bytes_per_second; }

  /// A copy wants to go over the link now. Returns how long others keep it from that, and has the
  /// ones after it wait for this one.
  [[nodiscard]] nanoseconds enter(copy_route way, time_stamp now, std::uint64_t bytes) {
    const nanoseconds takes = time_for(static_cast<double>(bytes), of_.bytes_per_second);
    const std::lock_guard lock(mutex_);
    time_stamp& free_at = free_at_[of_.duplex && way == copy_route::to_host ? 1 : 0];
    const time_stamp begins = std::max(now, free_at);
    // At most a time that a clock comes to.
    free_at = std::min(begins + takes, time_stamp::max() / 2);
    return begins - now;
  }

 private:
  const sim_bus of_;
  std::mutex mutex_;
  std::array<time_stamp, 2> free_at_{};  ///< from the host, to the host
};

}  // namespace hocket::sim
