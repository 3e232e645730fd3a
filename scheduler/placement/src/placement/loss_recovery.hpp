// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <memory>
#include <vector>

#include "placement/memory_reclaimer.hpp"
#include "placement/recovery_run.hpp"

namespace hocket::placement {

/// Makes content again that was lost with a device, where the runtime survives that. When a device
/// is lost, no task starts any more until the commands in flight have ended. Then the tasks are run
/// again that the lineage names, in the place of what they wrote before, and all goes on.
class loss_recovery {
 public:
  loss_recovery(engine_state& state, device_queues& queues, ready_pool& pool,
                scheduled_tasks& scheduled, memory_reclaimer& memory, task_placer& placer)
      : s_(state),
        queues_(queues),
        pool_(pool),
        scheduled_(scheduled),
        memory_(memory),
        placer_(placer) {}

  /// A device is lost, and takes no task any more.
  void begin(device_id device, const failure& why);
  /// A command has failed. Where that is due to a device that will be told to be lost, the recovery
  /// begins: streams that wait for it may hear of that before.
  void may_begin(const failure& why);
  /// No task starts until resume(). Not while there is a recovery.
  void pause();
  void resume();
  /// No command is in flight any more but functions of the user.
  [[nodiscard]] bool is_quiet() const;
  /// The task, which was issued, reads what is lost, or writes what is.
  void affect(placed_task& t);
  /// Returns whether the task, which is about to end with that failure, is run again instead.
  [[nodiscard]] bool takes(placed_task& t, const failure& why);
  /// The command of a launch has ended while a task before it has not: it may be run again.
  void command_ended(placed_task& t) {
    if (s_.losses.is_affected(t)) take_launch(t);
  }
  /// True if there is something to do for go_on().
  [[nodiscard]] bool is_due() const;
  /// Returns the tasks that have to be added now; null if there are none.
  [[nodiscard]] submitted_run* go_on();
  /// The buffers that there are, in the order of their ids, without those that only the log uses.
  [[nodiscard]] std::vector<tracked_buffer*> buffers() const;
  /// Frees the runs that no action refers to any more.
  void forget_past() {
    std::erase_if(past_, [](const auto& each) { return each->has_retired(); });
  }
  /// The log has become shorter, and all its content is on the host.
  void log_was_cut();
  /// The buffers that had to wait for that.
  void drop_all();
  /// The buffer is used by no task any more, unless one is run again.
  void drop(data_id data);

 private:
  void hold_all();
  void release_content(tracked_buffer& buffer);
  void release_shells();
  void take_launch(placed_task& t);
  void issue_again(placed_task& t);
  void poison_waiting_functions();
  void consider_all();
  void poison_outputs(const placed_task& t, const failure& why);
  [[nodiscard]] bool end_cancelled();
  [[nodiscard]] recovery_plan made_plan();
  [[nodiscard]] submitted_run* run_again(const recovery_plan& plan);
  [[nodiscard]] std::vector<bool> found_in_place(const recovery_plan& plan) const;
  void revive(const recovery_step& step);
  void fill(recovery_task& made, const recovery_step& step);
  void fill_restore(recovery_task& made, const recovery_step& step);
  void add_edges(recovery_run& run) const;
  void end_run(recovery_run* ran);
  void poison_again();
  void end_torn_again(const recovery_task& t);
  void end_torn(placed_task& t, const failure& why);
  void give_up(const recovery_plan& plan);
  void end();

  engine_state& s_;
  device_queues& queues_;
  ready_pool& pool_;
  scheduled_tasks& scheduled_;
  memory_reclaimer& memory_;
  task_placer& placer_;
  bool is_expected_ = false;           ///< a device will be told to be lost
  failure why_;                        ///< the last loss
  std::size_t lost_ = 0;               ///< engine_state::lost when the run was planned
  std::uint64_t numbers_ = 0;          ///< of tasks that were made
  std::unique_ptr<recovery_run> run_;  ///< null: none is under way
  std::vector<std::unique_ptr<recovery_run>> past_;  ///< actions may refer to them
  std::vector<recovery_plan::failed_part> failed_;   ///< of the plan
  boost::container::flat_set<task_id> held_;         ///< tasks that waited for nothing
  std::vector<data_id> dropped_;                     ///< buffers, during the recovery
  boost::container::flat_set<data_id> shells_;       ///< dropped buffers that the log has tasks of
};

}  // namespace hocket::placement
