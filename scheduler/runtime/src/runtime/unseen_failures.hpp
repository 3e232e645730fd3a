// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <atomic>
#include <cstddef>
#include <mutex>
#include <vector>

#include <hocket/scheduler/detail/task_state.hpp>

namespace hocket::detail {

/// The tasks of a runtime whose failure no thread may have looked at, in the order of their ends.
/// It keeps few that were looked at, however many tasks fail. Any thread.
class unseen_failures {
 public:
  /// The task has ended, and failed.
  void keep(task_state& failed);
  /// The first one whose failure no thread has looked at, which the caller is about to look at;
  /// null for none.
  [[nodiscard]] task_state_ptr take_first() { return any_.load() ? take_first_of() : nullptr; }
  /// Prints those that no thread has looked at on standard error, and drops all.
  void report() noexcept;

 private:
  [[nodiscard]] task_state_ptr take_first_of();
  [[nodiscard]] std::vector<task_state_ptr> take_all();

  std::atomic<bool> any_{false};  ///< there are tasks in the list; changed under the lock
  std::mutex guard_;              // for what follows
  std::vector<task_state_ptr> failed_;
  std::size_t max_failed_ = 64;  ///< beyond that, those that were looked at are dropped
};

}  // namespace hocket::detail
