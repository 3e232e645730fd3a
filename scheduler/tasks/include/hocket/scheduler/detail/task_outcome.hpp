// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <atomic>
#include <cstdint>
#include <utility>

#include <boost/smart_ptr/intrusive_ptr.hpp>

#include <hocket/core/error.hpp>

namespace hocket::detail {

class task_state;
using task_state_ptr = boost::intrusive_ptr<task_state>;

/// How a task ended: with a result or with a failure, from which task that comes, and whether a
/// thread has looked at it. Written by the thread that claimed the task, before its end is
/// announced; read when the task has ended.
class task_outcome {
 public:
  /// Empty if all went well.
  [[nodiscard]] const failure& error() const noexcept { return why_; }
  void settle(failure&& why) noexcept { why_ = std::move(why); }

  /// The result, of the type that the task's future has; null for void.
  [[nodiscard]] const void* value() const noexcept { return value_; }
  void set_value(const void* value) noexcept { value_ = value; }

  /// Marks the result as moved out. Returns false if another call has done so before. Any thread.
  [[nodiscard]] bool take_value() noexcept {
    // Relaxed: it only decides which caller moves the result.
    return !is_taken_.exchange(true, std::memory_order_relaxed);
  }
  [[nodiscard]] bool is_taken() const noexcept {
    // Relaxed: callers that read the result order themselves with the one that takes it.
    return is_taken_.load(std::memory_order_relaxed);
  }

  /// Makes known that a thread has looked at how the task ended, so that its failure, and the one
  /// that it comes from, need not be reported.
  void look() noexcept;
  /// Another task fails with the same failure, or comes from the same one, and it is reported with
  /// that: not here.
  void leave_report() noexcept { looked_ = true; }
  [[nodiscard]] bool looked() const noexcept { return looked_; }
  [[nodiscard]] bool is_seen() const noexcept { return looked_ || why_.seen(); }

  /// True if the task failed, and neither because of another nor because it was cancelled: then
  /// the failure is to be reported, unless looked().
  [[nodiscard]] bool failed_itself() const noexcept {
    return why_ && root_ == nullptr && why_.code() != failure_code::cancelled;
  }
  /// True if the task failed itself and a thread that waits for more than this task is to hear of
  /// it. Of tasks that lack input for another reason than a failed task, such as a copy that
  /// failed, only the first one that asks is told of.
  [[nodiscard]] bool is_first_to_fail() const noexcept {
    if (!failed_itself()) return false;
    const bool is_first = why_.begin_telling();
    return is_first || why_.code() != failure_code::dependency_failed;
  }

  /// The failure comes from that of the predecessor, one task further from where it began.
  void follow(task_state& predecessor) noexcept;
  /// The failure is that of the other task, unchanged: returns it.
  [[nodiscard]] failure repeat(task_state& other);
  /// The failure comes from the same task as that of the other one.
  [[nodiscard]] bool has_same_root(task_state& other) const noexcept {
    return root_ == &root_of(other);
  }

  /// True if a thread has looked at the failure that this one comes from, or will be told of
  /// another one instead.
  [[nodiscard]] bool comes_from_seen() const noexcept;

  /// What the failure of a task says that did not run because of its predecessor: names both, and
  /// the way between. Any thread, whether or not the task has ended.
  [[nodiscard]] static failure because_of(task_state& predecessor, const task_state& task);
  /// The same, and the task's failure comes from there.
  [[nodiscard]] failure follow(task_state& predecessor, const task_state& task) {
    follow(predecessor);
    return because_of(predecessor, task);
  }

 private:
  [[nodiscard]] static task_state& root_of(task_state& failed) noexcept;

  const void* value_ = nullptr;
  failure why_;
  task_state_ptr root_;         ///< whose failure this one's comes from; null if it is its own
  std::uint32_t distance_ = 0;  ///< how many tasks lie between this one and root_
  std::atomic<bool> looked_{false};
  std::atomic<bool> is_taken_{false};
};

}  // namespace hocket::detail
