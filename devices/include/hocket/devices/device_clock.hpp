// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <cstdint>
#include <mutex>
#include <utility>

#include <hocket/core/duration.hpp>

namespace hocket {

/// The clock with which a driver times commands, in terms of the executor's. The two may drift
/// apart: each command that is timed narrows down how far they are. Any thread.
class device_clock {
 public:
  /// Begin and end of a command, where the device says when it began and ended, in nanoseconds:
  /// within the time from when it was handed over until it was heard of. Where the device says
  /// nothing (0), or what cannot be, it is all of that time.
  [[nodiscard]] std::pair<time_stamp, time_stamp> on_host(std::uint64_t begin, std::uint64_t end,
                                                          time_stamp handed, time_stamp heard);

 private:
  std::mutex guard_;
  bool known_ = false;
  time_stamp offset_{};  // of the device's clock from the executor's
};

}  // namespace hocket
