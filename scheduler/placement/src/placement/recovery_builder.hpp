// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <memory>
#include <vector>

#include "placement/engine_state.hpp"
#include "placement/recovery_run.hpp"

namespace hocket::placement {

/// Makes the tasks that carry out the plan of a recovery.
class recovery_builder {
 public:
  explicit recovery_builder(engine_state& state) : s_(state) {}

  /// Returns null if there is nothing to run. Content that the host has in place is revived at
  /// once. saves: parts of which the host is to have what the plan leaves there.
  [[nodiscard]] std::unique_ptr<recovery_run> build(const recovery_plan& plan,
                                                    const std::vector<recovery_step>& saves);
  /// A number that no other task has.
  [[nodiscard]] task_id new_id() { return task_id{first_recovery_number + numbers_++}; }

 private:
  [[nodiscard]] std::vector<bool> found_in_place(const recovery_plan& plan) const;
  void revive(const recovery_step& step);
  void fill(recovery_task& made, const recovery_step& step);
  void avoid_devices(recovery_task& made, task_id original);
  void fill_restore(recovery_task& made, const recovery_step& step);
  void fill_save(recovery_task& made, const recovery_step& step);
  /// Makes a view of the part of the step, for the host.
  task_access& fill_view(recovery_task& made, const recovery_step& step);
  void add_edges(recovery_run& run) const;

  engine_state& s_;
  std::uint64_t numbers_ = 0;  ///< of tasks that were made
};

}  // namespace hocket::placement
