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
  std::size_t recovered = 0;  ///< times that all lost content was made again
  std::size_t given_up = 0;   ///< times that it could not be
  std::size_t repeated = 0;   ///< tasks that were run again
};

/// The tasks that a lost device concerns, while their runtime recovers from that. Until it has, no
/// other task starts.
class loss_table {
 public:
  [[nodiscard]] bool is_recovering() const noexcept { return is_recovering_; }
  void begin() noexcept { is_recovering_ = true; }
  void end() noexcept {
    is_recovering_ = false;
    doomed_.clear();
  }
  /// True if the task has to wait until the recovery is over.
  [[nodiscard]] bool holds(const placed_task& t) const noexcept {
    return is_recovering_ && !t.is_recovery;
  }

  /// The task was issued, and does not have its right input, or loses what it writes.
  void doom(const placed_task& t) { doomed_.insert(t.id); }
  [[nodiscard]] bool is_doomed(const placed_task& t) const { return doomed_.contains(t.id); }

  std::vector<placed_task*> torn;  ///< doomed launches whose commands have ended
  recovery_counts counts;

 private:
  bool is_recovering_ = false;
  boost::container::flat_set<task_id> doomed_;
};

}  // namespace hocket::placement
