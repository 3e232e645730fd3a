// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <cstdint>
#include <vector>

#include "placement/host_versions.hpp"
#include "placement/recovery_plan.hpp"
#include "placement/task_log.hpp"

namespace hocket::placement {

/// The tasks that were issued, and older versions of content that lie in the memory of the host.
/// Both together say how lost content is made again. No thread, lock or clock is in it, and no
/// memory of devices.
class lineage {
 public:
  explicit lineage(bool is_on) : is_on_(is_on) {}

  [[nodiscard]] bool is_on() const noexcept { return is_on_; }
  [[nodiscard]] const task_log& tasks() const noexcept { return tasks_; }
  [[nodiscard]] host_versions& versions() noexcept { return versions_; }

  /// The task is issued now. Before it notes what it writes.
  void issued(const placed_task& t) { tasks_.add(t); }
  /// A task that was not issued ends with a failure.
  void failed_unissued(const placed_task& t, const failure& why);
  /// why: empty if it has not failed.
  void ended(task_id task, const failure& why);
  /// The task, which has not ended, is to be run again with the next plan.
  void torn(task_id task);
  /// The task, a view or a function, will be issued again itself.
  void undone(task_id task);
  /// A task of the plan ran again and failed.
  void failed_again(std::uint64_t position, const failure& why);
  /// The lost parts of what the task wrote cannot be made again.
  void lacks(std::uint64_t position, const failure& why);
  /// The buffer, which tasks of the log use, is used by no later one, and its content is gone.
  void dropped(const tracked_buffer& buffer) { tasks_.add_drop(buffer); }

  /// The steps that make content again: see plan_recovery().
  [[nodiscard]] recovery_plan plan(function_ref<const box&(data_id)> all_of,
                                   poisoned_parts poisoned);

  // A cut: the host gets all content as it is now, and the log of how it was made is not needed any
  // more. One at a time.

  void begin_cut();
  [[nodiscard]] bool is_cutting() const noexcept { return cut_ > 0; }
  /// Between begin_cut() and copies_ended().
  [[nodiscard]] bool awaits_copies() const noexcept { return awaits_copies_; }
  void copies_ended() noexcept { awaits_copies_ = false; }
  /// All tasks have ended that were issued before the cut began, but for views that only read.
  [[nodiscard]] bool can_end_cut() const { return tasks_.have_ended(cut_); }
  /// All tasks have ended that were issued so far, but for views that only read.
  [[nodiscard]] bool have_all_ended() const { return tasks_.have_ended(tasks_.next()); }
  /// The copies have ended. Returns whether the log is cut: see host_versions.
  [[nodiscard]] bool end_cut();
  /// The part was poisoned before the cut ended, and is not to be restored.
  void forgets_poisoned(data_id data, const box& part);

 private:
  bool is_on_;
  task_log tasks_;
  host_versions versions_{tasks_};
  std::uint64_t cut_ = 0;  ///< position of the last task before it; 0: there is none
  bool awaits_copies_ = false;
};

}  // namespace hocket::placement
