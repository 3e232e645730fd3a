// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "graphs/planned_launch.hpp"

#include "graphs/placed_run.hpp"

namespace hocket::detail {

/// Stands alone: a stream of a lost device may have it for longer than the plan lives.
class planned_launch::own_launch final : public task_launch {
 public:
  explicit own_launch(planned_launch& of) noexcept : of_(of) {}
  own_launch(planned_launch& of, const launch_command& same) : of_(of) {
    static_cast<launch_command&>(*this) = same;
  }

  /// While the body runs, the run has not retired.
  [[nodiscard]] task_state* task() const noexcept override { return of_.task_at_hand(); }

 private:
  planned_launch& of_;
};

planned_launch::planned_launch(const argument_room& room, std::size_t edge_room, std::byte* lent) {
  accesses.lend(lent, room.accesses);
  edges.lend(lent + room.accesses * sizeof(placement::task_access), edge_room);
  launch = new own_launch(*this);
  launch->buffers.reserve(room.accesses);
  launch->scalars.reserve(room.numbers);
}

planned_launch::~planned_launch() = default;

void planned_launch::begin(placed_run& now, task_id number) {
  if (!launch->is_unshared()) launch = new own_launch(*this, *launch);
  stand_in_ = nullptr;
  // Other threads hear of it when the run is submitted: relaxed.
  at_hand_.store(nullptr, std::memory_order_relaxed);
  run_ = &now;
  run_task::begin(now, number);
}

task_state* planned_launch::stands_for() const noexcept {
  // Acquire: pairs with the release in task_at_hand().
  return at_hand_.load(std::memory_order_acquire);
}

task_state* planned_launch::part_of_task() const noexcept { return run_; }

task_state* planned_launch::task_at_hand() noexcept {
  if (stand_in_ == nullptr) {
    stand_in_ = new device_task_of<void>(run_->context(), label, launch->kernel);
    stand_in_->id = id;
    // Release: pairs with the acquire in stands_for().
    at_hand_.store(stand_in_.get(), std::memory_order_release);
  }
  return stand_in_.get();
}

}  // namespace hocket::detail
