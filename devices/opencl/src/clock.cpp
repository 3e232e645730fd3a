// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "clock.hpp"

#include <algorithm>
#include <limits>

namespace hocket::opencl {

std::pair<time_stamp, time_stamp> device_clock::on_host(cl_ulong begin, cl_ulong end,
                                                        time_stamp handed, time_stamp heard) {
  constexpr cl_ulong most = std::numeric_limits<time_stamp::rep>::max();
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

}  // namespace hocket::opencl
