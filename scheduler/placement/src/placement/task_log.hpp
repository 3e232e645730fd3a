// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>

#include <boost/container/small_vector.hpp>
#include <boost/unordered/unordered_flat_map.hpp>
#include <hocket/core/function_ref.hpp>

#include "placement/placed_task.hpp"
#include "placement/tracked_buffer.hpp"

namespace hocket::placement {

/// A task as the log has it: what it takes to run it again.
struct logged_task {
  struct access {
    array_part_ref part;
    data_id data;
    access_mode mode;

    [[nodiscard]] const box& region() const noexcept { return part->region(); }
  };

  task_id id;
  task_label label;
  kernel_ref kernel;  ///< null: it cannot be run again
  scalar_arguments scalars;
  boost::container::small_vector<access, 3> accesses;  ///< as in the signature of the kernel
  launch_work cost;
  body_width width = body_width::serial;
  std::uint32_t trace_name = 0;  ///< as in the request
  std::uint64_t bytes = 0;       ///< as in the request
  device_id on;                  ///< as in the request
  bool is_view = false;
  bool is_brief = false;  ///< as in the request
  bool ended = false;
  bool failed = false;  ///< what it was to write is poisoned, or gone
  bool lacks = false;   ///< then: it has not failed, but what was lost of its content stays lost
  failure why;          ///< of a task that failed
  bool torn = false;    ///< it did not run to its end, or had no right input: it is run again
  bool undone = false;  ///< it has changed nothing, and will be issued again
};

/// The tasks that were issued, in that order. Each has a position, which stays the same when the
/// log is cut and when the task is run again.
class task_log {
 public:
  /// A function, and a kernel with captures that only has a body in C++, is called once: it may do
  /// more than write its arguments, and what it captures may have to go.
  [[nodiscard]] static bool is_repeatable(const placed_task& t);

  /// How many tasks are in the log.
  [[nodiscard]] std::size_t size() const noexcept { return log_.size(); }
  /// The position of the first task of the log.
  [[nodiscard]] std::uint64_t first() const noexcept { return first_; }
  /// The position of the task that is added next.
  [[nodiscard]] std::uint64_t next() const noexcept { return first_ + log_.size(); }
  [[nodiscard]] logged_task& at(std::uint64_t position) {
    return log_[static_cast<std::size_t>(position - first_)];
  }
  [[nodiscard]] const logged_task& at(std::uint64_t position) const {
    return log_[static_cast<std::size_t>(position - first_)];
  }
  /// Null if the task is not in the log, or has ended.
  [[nodiscard]] logged_task* find(task_id task);
  /// True if tasks of the log use the buffer.
  [[nodiscard]] bool uses(data_id data) const { return uses_.contains(data.value); }
  /// True if the task at that position has ended.
  [[nodiscard]] bool is_complete(std::uint64_t position) const {
    return position > 0 && (position < first_ || at(position).ended);
  }
  /// True if what the task at that position wrote cannot be made again by running a task.
  [[nodiscard]] bool is_root(std::uint64_t position) const {
    return position > 0 && (position < first_ || at(position).kernel == nullptr);
  }
  /// True if all tasks up to that position have ended, but for views that only read.
  [[nodiscard]] bool have_ended(std::uint64_t position) const;
  /// Calls the argument for each task that has not ended.
  void for_running(function_ref<void(const logged_task&)> visit) const;

  void add(const placed_task& t);
  /// The buffer, which tasks of the log use, is used by no later one, and its content is gone.
  void add_drop(const tracked_buffer& buffer);
  /// The task runs no longer. Returns null if it is not in the log.
  [[nodiscard]] logged_task* end(task_id task);
  /// Forgets the tasks up to that position, but not which of them run.
  void cut(std::uint64_t position);

 private:
  std::uint64_t first_ = 1;
  std::deque<logged_task> log_;
  boost::unordered_flat_map<std::uint64_t, std::uint64_t> positions_;  ///< of tasks not ended
  boost::unordered_flat_map<std::uint64_t, std::size_t> uses_;  ///< of each buffer, in the log
  std::map<task_id, logged_task> cut_off_;  ///< not ended, and from before the log
};

}  // namespace hocket::placement
