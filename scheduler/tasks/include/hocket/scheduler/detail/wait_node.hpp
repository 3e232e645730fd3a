// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <functional>

#include <hocket/scheduler/detail/continuation.hpp>
#include <hocket/scheduler/detail/task_block.hpp>

namespace hocket::detail {

class host_context;
class wait_visitor;

/// A node of the graph of waits: others wait for its end, and it may wait for theirs.
class wait_node : public task_block {
 public:
  [[nodiscard]] bool done() const noexcept { return followers_.closed(); }

  /// Returns false, and does not keep the continuation, if this has ended.
  [[nodiscard]] bool attach(continuation& at_end) noexcept { return followers_.push(at_end); }

  /// The same for the place of a task in the order of its buffers, which it may leave later than it
  /// ends.
  [[nodiscard]] virtual bool attach_to_place(continuation& at_leave) noexcept {
    return attach(at_leave);
  }

  /// Tells the search which tasks this one waits for. Any thread, at any time.
  virtual void tell_awaited(wait_visitor& /*to*/) {}
  /// False for a task that runs, or is about to end for another reason than the ends of others.
  [[nodiscard]] virtual bool is_waiting() const noexcept { return !done(); }
  /// Calls visit for each task that waits for this one. Only while this one is sure not to end.
  virtual void each_follower(const std::function<void(task_state&)>& visit) const {
    detail::each_follower(followers_, visit);
  }
  /// Of the end of a scope, the scope: this ends with all tasks of that.
  [[nodiscard]] virtual const host_context* ends_with() const noexcept { return nullptr; }

 protected:
  /// What is attached to the end. Closing it is the end: see task_state::announce().
  [[nodiscard]] follower_list& followers() noexcept { return followers_; }

 private:
  follower_list followers_;
};

}  // namespace hocket::detail
