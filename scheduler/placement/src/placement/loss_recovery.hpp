// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <memory>
#include <vector>

#include "placement/dropped_buffers.hpp"
#include "placement/recovery_builder.hpp"
#include "placement/task_hold.hpp"

namespace hocket::placement {

/// Makes content again that was lost with a device, where the runtime survives that. When a device
/// is lost, no task starts any more until the commands in flight have ended. Then the tasks are run
/// again that the lineage names, in the place of what they wrote before, and all goes on.
class loss_recovery {
 public:
  loss_recovery(engine_state& state, memory_reclaimer& memory, task_hold& hold,
                dropped_buffers& dropped)
      : s_(state), memory_(memory), hold_(hold), dropped_(dropped) {}

  /// A device is lost, and takes no task any more.
  void begin(device_id device, const failure& why);
  /// A command has failed. Where that is due to a device that will be told to be lost, the recovery
  /// begins: streams that wait for it may hear of that before.
  void may_begin(const failure& why);
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
  /// Frees the runs that no action refers to any more.
  void forget_past() {
    std::erase_if(past_, [](const auto& each) { return each->has_retired(); });
  }

 private:
  void take_launch(placed_task& t);
  void issue_again(placed_task& t);
  void poison_waiting_functions();
  void poison_outputs(const placed_task& t, const failure& why);
  [[nodiscard]] bool end_cancelled();
  [[nodiscard]] recovery_plan made_plan();
  void end_run(recovery_run* ran);
  void poison_again();
  void end_torn_again(const recovery_task& t);
  void end_torn(placed_task& t, const failure& why);
  void give_up(const recovery_plan& plan);
  void end();

  engine_state& s_;
  memory_reclaimer& memory_;
  task_hold& hold_;
  dropped_buffers& dropped_;
  recovery_builder builder_{s_};
  bool is_expected_ = false;           ///< a device will be told to be lost
  failure why_;                        ///< the last loss
  std::size_t lost_ = 0;               ///< engine_state::lost when the run was planned
  std::unique_ptr<recovery_run> run_;  ///< null: none is under way
  std::vector<std::unique_ptr<recovery_run>> past_;  ///< actions may refer to them
  std::vector<recovery_plan::failed_part> failed_;   ///< of the plan
};

}  // namespace hocket::placement
