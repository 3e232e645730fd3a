// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "placement/recovery_builder.hpp"

namespace hocket::placement {

/// Divides a recovery whose commands fail into stages, each of which runs some tasks of the plan
/// and ends with its content in the memory of the host. A failure then costs one stage, and not all
/// that was run again before. A stage that fails is followed by one of half as many tasks, one that
/// does not by one of twice as many. A recovery in which nothing fails is one stage, and stores
/// nothing.
class recovery_stages {
 public:
  explicit recovery_stages(engine_state& state) : s_(state) {}

  /// Leaves the first stage of the plan.
  void shorten(recovery_plan& plan);
  /// True if the plan had more than that.
  [[nodiscard]] bool are_left() const noexcept { return are_left_; }
  /// The content that the tasks of the stage leave behind, if stages are left.
  [[nodiscard]] const std::vector<recovery_step>& saves() const noexcept { return saves_; }
  /// The run of the stage has ended, well or not. Content that it has left in the place of newer is
  /// lost for those that do not know of it: it is poisoned. fresh: a number for that.
  void poison_older(task_id fresh, const failure& why);
  /// Something failed, and is tried again.
  void failed();
  /// The tasks of the stage have ended, and are not tried again. Notes the content that has come to
  /// the host.
  void ended(const recovery_run& ran);
  /// So many have failed in a row that no further one is worth it.
  [[nodiscard]] bool are_hopeless() const noexcept;
  /// A plan that says so.
  [[nodiscard]] recovery_plan given_up() const;
  /// The recovery is over.
  void end();

 private:
  static constexpr std::size_t no_limit = std::numeric_limits<std::size_t>::max();

  engine_state& s_;
  std::size_t limit_ = no_limit;  ///< of the tasks of a stage
  bool has_saved_ = false;        ///< in this recovery
  std::size_t tasks_ = 0;         ///< of the last one
  std::size_t failures_ = 0;
  bool are_left_ = false;
  std::vector<recovery_step> saves_;
  std::vector<recovery_step> older_;  ///< parts that the rest of the plan writes again
};

}  // namespace hocket::placement
