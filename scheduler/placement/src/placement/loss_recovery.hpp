// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "placement/dropped_buffers.hpp"
#include "placement/recovery_stages.hpp"
#include "placement/task_hold.hpp"
#include "placement/view_patience.hpp"

namespace hocket::placement {

/// A function that waited for another task may have thrown what that failed with.
[[nodiscard]] inline bool is_lost_device(const failure& why) {
  return why.code() == failure_code::device_lost && !why.thrown();
}

/// Makes content again that was lost with a device, where the runtime survives that, and runs tasks
/// again that failed for a reason of their device. When that happens, no task starts any more until
/// the commands in flight have ended. Then the tasks are run again that the lineage names, in the
/// place of what they wrote before, and all goes on.
class loss_recovery {
 public:
  loss_recovery(engine_state& state, memory_reclaimer& memory, task_hold& hold,
                dropped_buffers& dropped)
      : s_(state), memory_(memory), hold_(hold), dropped_(dropped) {}

  /// A device is lost, and takes no task any more.
  void begin(device_id device, const failure& why);
  /// A command has failed, because its device is lost, which will be told: the recovery begins, as
  /// streams that wait for it may hear of that before. Returns false if a loss is known already.
  bool expect_loss(const failure& why);
  [[nodiscard]] bool is_expecting() const noexcept { return is_expected_; }
  /// Something has failed that is tried again. t: the task whose launch that was; null for a copy.
  void repeat(placed_task* t, const failure& why);
  /// True if so many recoveries have begun since a task of the user has ended that no failure is to
  /// begin another one.
  [[nodiscard]] bool is_going_round() const noexcept;
  /// Launches in flight will fail for this reason, and may be tried again: nothing is issued before
  /// they have.
  void await_failures(const failure& why) {
    if (!is_going_round()) start(why);
  }
  /// No command is in flight any more but functions of the user.
  [[nodiscard]] bool is_quiet() const;
  /// The task, which was issued, reads what is lost, or writes what is.
  void affect(placed_task& t);
  /// Returns whether the task, which is about to end with that failure, is run again instead.
  [[nodiscard]] bool takes(placed_task& t, const failure& why);
  /// True if there is something to do for go_on().
  [[nodiscard]] bool is_due() const;
  /// Returns the tasks that have to be added now; null if there are none.
  [[nodiscard]] submitted_run* go_on();
  /// Views that are in the way have had the time to end.
  void time_passed() noexcept { patience_.time_passed(); }
  /// Frees the runs that no action refers to any more.
  void forget_past() {
    std::erase_if(past_, [](const auto& each) { return each->has_retired(); });
  }

 private:
  void start(const failure& why);
  void take_launch(placed_task& t);
  void issue_again(placed_task& t);
  void poison_waiting_functions();
  void poison_outputs(const placed_task& t, const failure& why);
  [[nodiscard]] bool end_cancelled();
  [[nodiscard]] std::optional<recovery_plan> next_plan();
  [[nodiscard]] recovery_plan made_plan();
  [[nodiscard]] const box& all_of(data_id data) const;
  void visit_poisoned(data_id data, visit_parts visit);
  [[nodiscard]] bool leave_run(const recovery_run& ran);
  void end_run(const recovery_run* ran);
  void end_tasks(const recovery_run& ran);
  void poison_again();
  void poison_failed_meanwhile();
  void end_torn_again(const recovery_task& t);
  void end_torn(placed_task& t, const failure& why);
  [[nodiscard]] bool fail_dependents(const recovery_plan& plan);
  void give_up(const recovery_plan& plan);
  void warn_once(const recovery_plan& plan);
  /// True if the task, which uses content that has to change, ends without waiting for another one:
  /// a function that runs and has not waited yet, or a view that is thought to.
  [[nodiscard]] bool will_end(task_id user) const;
  void end();

  engine_state& s_;
  memory_reclaimer& memory_;
  task_hold& hold_;
  dropped_buffers& dropped_;
  recovery_builder builder_{s_};
  recovery_stages stages_{s_};
  view_patience patience_{s_.work};
  bool is_expected_ = false;           ///< a device will be told to be lost
  bool has_loss_ = false;              ///< one is, or was told since the recovery began
  bool plans_again_ = false;           ///< what is under way has failed, and is tried again
  bool lacks_some_ = false;            ///< not all is made again; the warning was given
  failure why_;                        ///< the last loss, or what failed for good
  std::uint64_t begun_ = 0;            ///< position of the first task logged since it began
  task_id blocking_;                   ///< a task that uses what has to change, and will end
  std::size_t in_a_row_ = 0;           ///< recoveries since a task of the user has ended
  std::size_t lost_ = 0;               ///< engine_state::lost when the run was planned
  std::unique_ptr<recovery_run> run_;  ///< null: none is under way
  std::vector<std::unique_ptr<recovery_run>> past_;  ///< actions may refer to them
  std::vector<recovery_plan::failed_part> failed_;   ///< of the plan
};

}  // namespace hocket::placement
