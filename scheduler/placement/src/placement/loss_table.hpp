// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <cstddef>
#include <vector>

#include <boost/container/flat_set.hpp>

#include "placement/placed_task.hpp"

namespace hocket::placement {

/// How often devices were lost, and what became of that.
struct recovery_counts {
  std::size_t recovered = 0;    ///< times that all lost content was made again
  std::size_t given_up = 0;     ///< times that it could not be
  std::size_t repeated = 0;     ///< tasks that were run again
  std::size_t retried = 0;      ///< commands that failed, and were tried again
  std::size_t quarantined = 0;  ///< times that a device was
  std::size_t readmitted = 0;   ///< times that one was used again
};

/// The tasks that a lost device concerns, while their runtime recovers from that. Until it has, no
/// other task starts.
class loss_table {
 public:
  [[nodiscard]] bool is_recovering() const noexcept { return is_recovering_; }
  void begin() noexcept {
    is_recovering_ = true;
    ++begun_;
  }
  /// Counts calls of begin().
  [[nodiscard]] std::size_t begun() const noexcept { return begun_; }
  void end() noexcept {
    is_recovering_ = false;
    affected_.clear();
  }
  /// No task starts for a while, so that the log can be cut.
  void pause(bool is_paused) noexcept { is_paused_ = is_paused; }
  [[nodiscard]] bool is_paused() const noexcept { return is_paused_; }
  /// True if tasks have to wait until that, or the recovery, is over.
  [[nodiscard]] bool holds_tasks() const noexcept { return is_recovering_ || is_paused_; }
  /// True if this one has.
  [[nodiscard]] bool holds(const placed_task& t) const noexcept {
    return holds_tasks() && !t.is_recovery;
  }

  /// The task was issued, and does not have its right input, or loses what it writes.
  void affect(const placed_task& t) { affected_.insert(t.id); }
  /// The task has run again, and ends before the recovery does.
  void forget(const placed_task& t) { affected_.erase(t.id); }
  [[nodiscard]] bool is_affected(const placed_task& t) const { return affected_.contains(t.id); }

  std::vector<placed_task*> torn;  ///< affected launches whose commands have ended
  recovery_counts counts;

 private:
  bool is_recovering_ = false;
  std::size_t begun_ = 0;
  bool is_paused_ = false;
  boost::container::flat_set<task_id> affected_;
};

}  // namespace hocket::placement
