// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <hocket/scheduler/detail/host_task.hpp>

namespace hocket::detail {

/// Runs and ends host tasks: on workers, from the items that are posted for them, or in threads
/// that help while they wait.
class task_runner {
 public:
  // From the last arrival on.

  /// One arrival at the task, of an edge or not. The last one adds the task to next.
  static void arrive(host_task& task, bool failed, ready_list& next) noexcept {
    // Before: after it, the last arrival may have ended the task, and it may be gone.
    const bool has_more = task.before_.has_more();
    switch (task.before_.count().arrive(failed)) {
      case claim::arrival::not_last:
        break;
      case claim::arrival::last_but_one:
        if (has_more) task.one_is_left(next);
        break;
      case claim::arrival::made_ready:
        next.add(task);
        break;
      case claim::arrival::found_claimed:
        next.add_abandoned(task);
        break;
    }
  }
  /// Before the arrival that makes the task ready: what follows one task goes where that has run.
  static void follow_data(host_task& task, const task_state& source) noexcept {
    if (!task.place_.follows_data() || task.before_.edges().size() != 1) return;
    if (source.home() == task.home()) task.place_.prefer(source.arena());
  }
  /// Posts an item for a task that is ready, and hands the reference over to it.
  static void post(host_task_ptr task) noexcept;
  /// There is no memory for an item: runs the task here, because it has to end somewhere.
  static void run_without_item(host_task_ptr task) noexcept;
  /// Runs a task that is ready in the thread that has made it so.
  static void run_at_once(host_task& task, ready_list& next) noexcept;

  /// Runs the task here if it is ready, and no thread has claimed it; returns whether it did.
  [[nodiscard]] static bool claim_and_run(host_task& task, ready_list& next) noexcept;
  /// Ends the task so, if no thread has claimed it. Returns false if one has.
  [[nodiscard]] static bool give_up(host_task& task, failure why) noexcept;

  // On workers.

  /// What an item of a task does, which holds a reference to it.
  static void run_item(void* counted);

  /// The same for an inline Task without edges. Task::execute_or_fail() runs the function, and
  /// Task::release_body(is_unknown) destroys what it has, at least if no future refers to the task
  /// any more.
  template <class Task>
  static void run_inline_item(void* counted) noexcept {
    auto& whole = *static_cast<Task*>(static_cast<host_task*>(counted));
    host_task& task = whole;
    // No thread gets to know a task again that none knows: then nothing about it is shared.
    const bool unshared = task.is_unshared();
    claim& count = task.before_.count();
    if (!(unshared ? count.claim_unshared() : count.claim_untouched())) [[unlikely]] {
      return run_item(counted);
    }
    if (task.context()->stop().is_requested()) [[unlikely]]
      return refuse_item(task);
    if (!whole.execute_or_fail()) return end_failed_item(task);
    host_context& context = *task.context();
    const bool is_unknown = unshared && task.followers().untouched();
    whole.release_body(is_unknown);
    if (is_unknown) {
      task.count_end(context, after_its_end(task));
      return task.destroy();
    }
    continuation* const newest = task.followers().close_as_pushed();
    if (newest != nullptr) return tell_of_item(task, newest);
    task.count_end(context, after_its_end(task));
    intrusive_ptr_release(&task);
  }

  /// host_task::run_inline() of such a Task, which may have edges.
  template <class Task>
  [[nodiscard]] static bool run_inline_as(Task& whole, ready_list& next) noexcept {
    host_task& task = whole;
    if (!task.before_.count().claim_untouched()) return false;
    if (task.context()->stop().is_requested()) [[unlikely]] {
      refuse(task, next);
      return true;
    }
    task.before_.drop();
    if (!whole.execute_or_fail()) [[unlikely]] {
      task.discard();
      task.announce(next);
      return true;
    }
    whole.release_body(false);
    // It goes away when it has heard of the last end, not before.
    host_context& context = *task.context();
    continuation* const newest = task.followers().close_as_pushed();
    if (newest != nullptr) run_all(newest, task, next);
    task.count_end(context, after_its_end(task));
    return true;
  }

  /// Instead of running the function of a task that is claimed.
  static void refuse(host_task& task, ready_list& next) noexcept;
  /// Calls the function where that is to be seen in a trace. Returns false if it has thrown, and
  /// keeps what became of it.
  [[nodiscard]] static bool execute_traced(host_task& task) noexcept;

 private:
  friend class ready_list;

  /// Which thread runs a task: a worker that it was posted for, or another one, a worker or not.
  enum class runner : std::uint8_t { worker, anybody };

  [[nodiscard]] static after_end after_its_end(const host_task& task) noexcept {
    return task.leaves_nothing() ? after_end::next_task : after_end::user_code;
  }
  [[nodiscard]] static bool take_item_back(const host_task& task) noexcept;
  // The rest of an item, for a task that is claimed and was not run, that has failed, and that is
  // closed.
  static void refuse_item(host_task& task) noexcept;
  static void end_failed_item(host_task& task) noexcept;
  static void tell_of_item(host_task& task, continuation* newest) noexcept;

  static void run_posted(host_task_ptr task, runner by) noexcept;
  [[nodiscard]] static bool run_plainly(host_task& task, ready_list& next) noexcept;
  [[nodiscard]] static bool run_simply(host_task& task, ready_list& next) noexcept;
  static void run(host_task& task, claim::claimed how, runner by, ready_list& next) noexcept;
  [[nodiscard]] static failure refusal(host_task& task);
  [[nodiscard]] static failure attempt(host_task& task, runner by) noexcept;
  [[nodiscard]] static failure call(host_task& task, runner by) noexcept;
  [[nodiscard]] static failure call(host_task& task) noexcept;
};

}  // namespace hocket::detail
