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
  /// Takes the memory for the first failures: tasks may fail because there is none.
  unseen_failures() { failed_.reserve(max_failed_); }

  /// The task has ended, and failed. Where memory is out for so many failures, it is only said on
  /// standard error that there was another one.
  void keep(task_state& failed) noexcept;
  /// The first one whose failure no thread has looked at, which the caller is about to look at;
  /// null for none.
  [[nodiscard]] task_state_ptr take_first() { return any_.load() ? take_first_of() : nullptr; }
  /// Prints those that no thread has looked at on standard error, and drops all.
  void report() noexcept;

 private:
  [[nodiscard]] task_state_ptr take_first_of();
  [[nodiscard]] std::vector<task_state_ptr> take_all();
  void list(task_state& failed);
  void put_back(std::vector<task_state_ptr>& older);

  std::atomic<bool> any_{false};  ///< there are tasks in the list; changed under the lock
  std::mutex guard_;              // for what follows
  std::size_t max_failed_ = 64;   ///< beyond that, those that were looked at are dropped
  std::vector<task_state_ptr> failed_;
};

}  // namespace hocket::detail
