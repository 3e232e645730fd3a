// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <algorithm>

#include <hocket/core/saturating.hpp>

#include "placement/kernel_trials.hpp"
#include "placement/loss_recovery.hpp"

namespace hocket::placement {

/// Ends tasks: because their commands have ended, because another part has asked for it, or because
/// they are cancelled.
class task_finisher {
 public:
  task_finisher(engine_state& state, device_queues& queues, ready_pool& pool,
                scheduled_tasks& scheduled, memory_reclaimer& memory, host_views& views,
                task_placer& placer, kernel_trials& trials, loss_recovery& recovery)
      : s_(state),
        queues_(queues),
        pool_(pool),
        scheduled_(scheduled),
        memory_(memory),
        views_(views),
        placer_(placer),
        trials_(trials),
        recovery_(recovery) {}

  /// The command of a launch has ended.
  void launch_ended(const command_record& record, const command_result& how);
  /// Adds the launch to what its device has done, and to the trace.
  void count_launch(const command_record& record, const command_result& how) {
    const placed_task& t = *record.launched;
    detail::device_statistics& done = s_.device_of(t).done;
    done.kernels += std::max<std::size_t>(t.launch->kernel->sequence.size(), 1);
    // Of many lanes on a virtual clock whose time has come to its end.
    const nanoseconds took = std::min(record.left, how.end) - how.begin;
    done.busy = nanoseconds(saturating_add(done.busy.count(), took.count()));
    done.flops += t.launch->cost.flops;
    s_.trace.ended(record, how, &t);
  }
  /// For decisions: how long the task took, and takes on its fastest device.
  void note_times(placed_task& t, const command_result& how) {
    if (t.traced == nullptr) return;
    note_length(t, how.end - how.begin);
    decision_log::launch_ended(t, how);
  }
  /// The task ends: it leaves all tables, and those behind it may start. An empty failure means
  /// success.
  void finish(placed_task& t, const failure& why);
  /// Ends the task as finish() does, with success, while its command is in flight. Returns the
  /// task, for command_ended_after().
  [[nodiscard]] task_ref finish_before_command(placed_task& t);
  /// The command of a task has ended that had ended before.
  void command_ended_after(task_ref ended);
  /// The tasks that were to end later in this step. There are some.
  void finish_due();
  /// The task fails. If it was issued it goes on running and does not commit.
  void cancel(placed_task& t, const failure& why);
  /// The task, which was issued, fails, and so do all that come after it: their futures end at
  /// once, the tasks when the command does.
  void fail_early(placed_task& first, const failure& why);
  /// All tasks that were not issued.
  void cancel_all(const failure& why);

 private:
  void tell_failure(placed_task& t);
  void leave_run(run_task& t, bool was_issued, const failure& why);
  /// Notes how long the task, which has ended, takes on its fastest device.
  void note_length(const placed_task& t, nanoseconds took);
  /// In the log.
  void note_end(const placed_task& t, memory_id memory, const failure& why);
  void poison_outputs(const placed_task& t, const failure& why);

  engine_state& s_;
  device_queues& queues_;
  ready_pool& pool_;
  scheduled_tasks& scheduled_;
  memory_reclaimer& memory_;
  host_views& views_;
  task_placer& placer_;
  kernel_trials& trials_;
  loss_recovery& recovery_;
};

}  // namespace hocket::placement
