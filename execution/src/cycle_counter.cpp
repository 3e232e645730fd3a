// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "cycle_counter.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <limits>

namespace hocket {

namespace {

bool system_uses_it() noexcept {
#if defined(__x86_64__)
  std::FILE* const file =
      std::fopen("/sys/devices/system/clocksource/clocksource0/current_clocksource", "re");
  if (file == nullptr) return false;
  char name[8] = {};
  const bool same =
      std::fgets(name, sizeof(name), file) != nullptr && std::strcmp(name, "tsc\n") == 0;
  std::fclose(file);
  return same;
#else
  return false;
#endif
}

}  // namespace

cycle_counter::cycle_counter(pump::clock::time_point begin) noexcept
    : begin_(begin), usable_(system_uses_it()), first_(usable_ ? now() : moment{}) {}

cycle_counter::moment cycle_counter::now() const noexcept {
  constexpr int tries = 5;
  moment best{};
  std::int64_t least = std::numeric_limits<std::int64_t>::max();
  for (int i = 0; i < tries; ++i) {
    const std::int64_t before = read();
    const auto time = pump::clock::now() - begin_;
    const std::int64_t taken = read() - before;
    // The thread may have been interrupted in between, and then the two are not of one moment.
    if (taken >= least) continue;
    least = taken;
    best = {before + taken / 2, std::chrono::duration_cast<time_stamp>(time)};
  }
  return best;
}

tick_scale cycle_counter::scale() const noexcept {
  const moment last = now();
  const auto ticks = static_cast<double>(std::max<std::int64_t>(last.tick - first_.tick, 1));
  return {first_.tick, first_.time, static_cast<double>((last.time - first_.time).count()) / ticks};
}

}  // namespace hocket
