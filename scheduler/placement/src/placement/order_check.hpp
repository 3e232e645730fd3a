// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "placement/engine_state.hpp"

namespace hocket::placement {

/// Finds tasks in order that never start, because their order contradicts what they wait for.
class order_check {
 public:
  explicit order_check(engine_state& state) : s_(state) {}

  /// While nothing is in flight: the task of a line whose turn it is fails if it waits for one that
  /// comes behind it.
  void look();

 private:
  /// A task, and the way from it that was looked at last.
  struct step {
    const placed_task* task;
    std::vector<const placed_task*> waits_for = {};
    std::size_t next = 0;
  };

  [[nodiscard]] bool is_looked_at(const placed_task& first);
  [[nodiscard]] std::vector<step> circle_from(const placed_task& first) const;
  [[nodiscard]] std::vector<const placed_task*> awaited_by(const placed_task& t) const;
  /// The task that has to start before this one on its device; null if there is none.
  [[nodiscard]] const placed_task* turn_before(const placed_task& t) const;
  [[nodiscard]] std::string sentence(const std::vector<step>& circle) const;

  engine_state& s_;
  // The last look: another one is of no use while no task comes or goes.
  task_id first_;
  std::uint64_t ended_ = 0;
  std::size_t tasks_ = 0;
};

}  // namespace hocket::placement
