// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <cstddef>

#include "placement/loss_recovery.hpp"

namespace hocket::placement {

/// Bounds the log of a runtime that survives losses: when it is long, or much was put aside, all
/// content is copied to the host, and the log is cut there. Other tasks run meanwhile. If that came
/// to nothing, because something was written where a copy was to come, the next cut is made while
/// none does.
class log_cutter {
 public:
  log_cutter(engine_state& state, loss_recovery& recovery, task_hold& hold,
             dropped_buffers& dropped, std::size_t max_logged)
      : s_(state), recovery_(recovery), hold_(hold), dropped_(dropped), max_logged_(max_logged) {}

  /// Called once in each step. Returns whether tasks may start that could not before.
  bool look();

 private:
  static constexpr std::uint64_t max_aside = std::uint64_t{256} << 20U;

  void begin();
  void copy(tracked_buffer& buffer, timepoint_set& arrives);
  void end();
  void forget_poisoned();
  void try_later();

  engine_state& s_;
  loss_recovery& recovery_;
  task_hold& hold_;
  dropped_buffers& dropped_;
  const std::size_t max_logged_;          ///< tasks
  std::size_t next_ = max_logged_;        ///< a log of so many is cut
  std::uint64_t next_bytes_ = max_aside;  ///< so much put aside is
  std::size_t begun_ = 0;                 ///< recoveries, when the cut began
  std::uint64_t cuts_ = 0;                ///< that were begun
  bool has_failed_ = false;               ///< the last one came to nothing
};

}  // namespace hocket::placement
