// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <deque>
#include <limits>
#include <vector>

#include "placement/lineage.hpp"
#include "placement/run_tasks.hpp"

namespace hocket::placement {

/// The numbers of tasks of recoveries begin here, above those of all others.
inline constexpr std::uint64_t first_recovery_number = std::uint64_t{1} << 62U;

/// A task that was issued before and is run again, or one that restores content.
struct recovery_task final : run_task {
  recovery_task() {
    is_recovery = true;
    // Before all others.
    priority = std::numeric_limits<std::int64_t>::max();
  }

  std::uint64_t position = 0;       ///< in the log
  placed_task* original = nullptr;  ///< the task, if it is torn; outlives this
  array_part_ref part;              ///< of the only access, if content is restored or saved
  kept_ref from;                    ///< that content, if it is restored
  bool saves = false;               ///< it only brings that content to the host
  std::vector<recorded_edge> own_edges;
};

/// The tasks of a recovery, which belong to no graph and no user.
class recovery_run final : public submitted_run {
 public:
  [[nodiscard]] recovery_task& add() { return all_.emplace_back(); }
  /// All tasks were added, and have these numbers and those behind.
  void begin(task_id first);
  [[nodiscard]] std::deque<recovery_task>& all() noexcept { return all_; }
  [[nodiscard]] const std::deque<recovery_task>& all() const noexcept { return all_; }
  /// True if nothing refers to the run any more.
  [[nodiscard]] bool has_retired() const noexcept { return has_retired_; }

 private:
  // submitted_run
  void add_reference() noexcept override {}
  void release_reference() noexcept override {}
  void ended(const failure& /*why*/, bool /*runs_on*/) override {}
  void bodies_ended() override {}
  void retired() override { has_retired_ = true; }

  std::deque<recovery_task> all_;
  std::vector<run_task*> pointers_;
  bool has_retired_ = false;
};

}  // namespace hocket::placement
