// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <array>
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

  /// Fits some readings: each is what read() returns. Nothing if one of them is nothing.
  template <class Read>
  [[nodiscard]] static std::optional<tick_clock> measure(Read read, std::uint32_t bits,
                                                         double period) {
    std::array<tick_reading, 5> all;
    for (tick_reading& each : all) {
      const std::optional<tick_reading> one = read();
      if (!one) return std::nullopt;
      each = *one;
    }
    return fit(all, bits, period);
  }

  [[nodiscard]] time_stamp at(std::uint64_t ticks) const;

 private:
  std::uint64_t mask_ = 0;
  double period_ = 1;  // nanoseconds of a tick
  std::uint64_t ticks_ = 0;
  time_stamp time_{};  // at that tick
};

}  // namespace hocket
