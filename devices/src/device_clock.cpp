// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <hocket/devices/device_clock.hpp>

#include <algorithm>
#include <limits>

namespace hocket {

std::pair<time_stamp, time_stamp> device_clock::on_host(std::uint64_t begin, std::uint64_t end,
                                                        time_stamp handed, time_stamp heard) {
  constexpr std::uint64_t most = std::numeric_limits<time_stamp::rep>::max();
  if (begin == 0 || end < begin || end > most) return {handed, heard};
  const time_stamp first(static_cast<time_stamp::rep>(begin));
  const time_stamp last(static_cast<time_stamp::rep>(end));
  // The offsets with which the command began after it was handed over, and ended before its end
  // was heard of.
  const time_stamp least = handed - first, greatest = heard - last;
  if (greatest < least) return {handed, heard};
  const std::lock_guard lock(guard_);
  // What is heard of is late by less than what is handed over is early, so the first guess is the
  // greatest.
  offset_ = known_ ? std::clamp(offset_, least, greatest) : greatest;
  known_ = true;
  return {first + offset_, last + offset_};
}

}  // namespace hocket
