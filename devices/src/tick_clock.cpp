// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <hocket/devices/tick_clock.hpp>

#include <algorithm>
#include <cmath>

namespace hocket {

std::optional<tick_clock> tick_clock::fit(std::span<const tick_reading> readings,
                                          std::uint32_t bits, double period) {
  if (bits == 0 || !(period > 0) || readings.empty()) return std::nullopt;
  tick_clock made;
  made.period_ = period;
  made.mask_ = bits >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1;
  // The shortest reading says it best; the others must agree with it.
  const tick_reading best = *std::ranges::min_element(
      readings, {}, [](const tick_reading& r) { return r.after - r.before; });
  made.ticks_ = best.ticks;
  made.time_ = best.before + (best.after - best.before) / 2;
  for (const tick_reading& r : readings) {
    const nanoseconds slack = (best.after - best.before) + std::chrono::microseconds(100);
    const time_stamp then = made.at(r.ticks);
    if (then < r.before - slack || then > r.after + slack) return std::nullopt;
  }
  return made;
}

time_stamp tick_clock::at(std::uint64_t ticks) const {
  // The distance may be negative, and the counter may have wrapped.
  const std::uint64_t distance = (ticks - ticks_) & mask_;
  const bool past = distance > mask_ / 2;
  const std::uint64_t size = past ? (~distance + 1) & mask_ : distance;
  const nanoseconds length(std::llround(static_cast<double>(size) * period_));
  return past ? time_ - length : time_ + length;
}

}  // namespace hocket
