// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <hocket/core/ids.hpp>
#include <hocket/scheduler/detail/task_state.hpp>

namespace hocket::detail {

class host_context;
class host_task;
class parked_wait;

/// What a task tells of those that it waits for: see task_state::tell_awaited. A search for waits
/// that never end, or a listing of what is pending.
class wait_visitor {
 public:
  wait_visitor() = default;
  wait_visitor(const wait_visitor&) = delete;
  wait_visitor& operator=(const wait_visitor&) = delete;

  /// The task is kept alive by another task, or by the one that tells.
  virtual void follow(task_state& task) = 0;
  virtual void follow_and_keep(task_state_ptr task) = 0;
  virtual void follow(task_id placed) = 0;
  /// What a stack waits for.
  virtual void follow(const parked_wait& wait) = 0;
  virtual void follow_all_of(const host_context& context) = 0;
  virtual void follow_holder_of(const task_state& view_node) = 0;
  /// A task has ended early, and the list of what it waited for is gone, but it still stands in the
  /// order of its buffers: the open views and the waiting stacks that it stands behind.
  virtual void follow_holders_before(const task_state& ended_early) = 0;
  /// The list of what the task waits for is being read, until the visitor is gone. The task may
  /// have ended by then.
  virtual void is_read(host_task& task) = 0;

 protected:
  ~wait_visitor() = default;
};

}  // namespace hocket::detail
