// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <cstddef>

#include "placement/loss_recovery.hpp"

namespace hocket::placement {

/// Bounds the log of a runtime that survives losses: when it is long, or much was put aside, all
/// content is copied to the host, and the log is cut there. Other tasks run meanwhile.
class log_cutter {
 public:
  log_cutter(engine_state& state, loss_recovery& recovery, std::size_t most)
      : s_(state), recovery_(recovery), most_(most) {}

  /// Once in each step.
  void look() {
    if (s_.log.is_cutting()) {
      if (has_copies_ && s_.log.can_end_cut()) end();
    } else if (s_.log.size() >= next_ || s_.log.bytes_aside() >= next_bytes_) {
      begin();
    }
  }

 private:
  static constexpr std::uint64_t most_aside = std::uint64_t{256} << 20U;

  void begin();
  void copy(tracked_buffer& buffer, timepoint_set& arrives);
  void end();

  engine_state& s_;
  loss_recovery& recovery_;
  const std::size_t most_;                 ///< tasks in the log
  std::size_t next_ = most_;               ///< so many tasks begin the next cut
  std::uint64_t next_bytes_ = most_aside;  ///< likewise
  std::size_t lost_ = 0;                   ///< engine_state::lost when the cut began
  std::uint64_t cuts_ = 0;                 ///< that were begun
  bool has_copies_ = false;                ///< all that were planned for this one have ended
};

}  // namespace hocket::placement
