// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include <hocket/core/duration.hpp>

namespace hocket {

/// What one reading of a device's counter of ticks tells: its value, and the times of the host
/// between which it was read.
struct tick_reading {
  std::uint64_t ticks = 0;
  time_stamp before{}, after{};
};

/// Turns the ticks of a device into times of an executor.
class tick_clock {
 public:
  /// The counter has so many bits, and a tick takes so many nanoseconds. Nothing if there are no
  /// readings, or the counter does not run like the host's clock.
  [[nodiscard]] static std::optional<tick_clock> fit(std::span<const tick_reading> readings,
                                                     std::uint32_t bits, double period);

  [[nodiscard]] time_stamp at(std::uint64_t ticks) const;

 private:
  std::uint64_t mask_ = 0;
  double period_ = 1;  // nanoseconds of a tick
  std::uint64_t ticks_ = 0;
  time_stamp time_{};  // at that tick
};

}  // namespace hocket
