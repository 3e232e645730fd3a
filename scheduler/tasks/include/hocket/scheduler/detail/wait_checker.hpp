// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

namespace hocket::detail {

class parked_wait;
class task_state;

/// What a runtime says about waits before they begin.
class wait_checker {
 public:
  /// Called before a thread waits for the task. Throws usage_error if that could never end, because
  /// the task waits for the caller: for a view that it holds, or for a task that it runs. Else the
  /// wait is noted until `by` goes.
  virtual void check(task_state& task, parked_wait& by) = 0;

  /// The same, of a wait that was noted and goes on.
  virtual void check_again(parked_wait& by) = 0;

  /// Returns when no thread reads any more what follows a task that was claimed just now.
  virtual void let_readers_leave() noexcept = 0;

 protected:
  ~wait_checker() = default;
};

}  // namespace hocket::detail
