// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <functional>

#include <hocket/scheduler/detail/continuation_list.hpp>

namespace hocket::detail {

class task_state;
class ready_list;

/// What is to be done when a task has ended. It is no owner of anything: a node lives until it is
/// run, and may then delete itself.
class continuation {
 public:
  /// Runs in the thread that ended the source; short, and does not throw. Tasks that become ready
  /// by it go to next.
  virtual void run(task_state& source, ready_list& next) noexcept = 0;

  /// The task that waits, by this, for the end of the one it is attached to. Null if it is no task
  /// that does.
  [[nodiscard]] virtual task_state* follower() const noexcept { return nullptr; }

  continuation* link = nullptr;

 protected:
  continuation() = default;
  continuation(const continuation&) = default;
  continuation& operator=(const continuation&) = default;
  ~continuation() = default;
};

/// The continuations of one event.
using follower_list = continuation_list<continuation>;

/// Runs what a list gave when it was closed, in the order in which it was attached.
void run_all(continuation* newest, task_state& source, ready_list& next) noexcept;

/// Calls visit for each task that waits by one of the list. Only while the list is sure not to be
/// closed.
void each_follower(const follower_list& list, const std::function<void(task_state&)>& visit);

}  // namespace hocket::detail
