// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <atomic>
#include <cstddef>

#include "placement/run_tasks.hpp"
#include "placement/submission.hpp"

namespace hocket::detail {

class placed_run;

/// A task of a placed_plan as one run after another submits it.
class planned_launch final : public placement::run_task {
 public:
  /// With room for so many arguments and edges there.
  planned_launch(const argument_room& room, std::size_t edge_room, std::byte* lent);
  planned_launch(const planned_launch&) = delete;
  planned_launch& operator=(const planned_launch&) = delete;
  ~planned_launch() override;

  [[nodiscard]] static std::size_t bytes_behind(const argument_room& room,
                                                std::size_t edge_room) noexcept {
    return room.accesses * sizeof(placement::task_access) +
           edge_room * sizeof(placement::task_edge);
  }

  /// The command that its device is given, which no other run has.
  [[nodiscard]] launch_command& command() noexcept { return *launch; }

  /// For a run that is about to be submitted, with this number. Throws std::bad_alloc.
  void begin(placed_run& now, task_id number);

  // placed_task
  /// Stands for the task where a thread waits in its body; the run itself would seem to wait for
  /// all of its tasks there.
  [[nodiscard]] task_state* stands_for() const noexcept override;
  [[nodiscard]] task_state* part_of_task() const noexcept override;

 private:
  class own_launch;

  /// Throws std::bad_alloc.
  [[nodiscard]] task_state* task_at_hand();
  void forget_stand_in() noexcept;

  placed_run* run_ = nullptr;
  /// Owned. Set by the first thread that waits in the body, of several where the kernel is wide,
  /// and read where the engine is stepped.
  std::atomic<device_task*> stand_in_{nullptr};
};

}  // namespace hocket::detail
