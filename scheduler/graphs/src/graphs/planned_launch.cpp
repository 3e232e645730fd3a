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
  [[nodiscard]] task_state* task() const override { return of_.task_at_hand(); }

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

planned_launch::~planned_launch() { forget_stand_in(); }

void planned_launch::begin(placed_run& now, task_id number) {
  if (!launch->is_unshared()) launch = new own_launch(*this, *launch);
  forget_stand_in();
  run_ = &now;
  run_task::begin(now, number);
}

void planned_launch::forget_stand_in() noexcept {
  // Relaxed: no body runs now, and other threads hear of the task when the run is submitted.
  if (device_task* const last = stand_in_.exchange(nullptr, std::memory_order_relaxed)) {
    intrusive_ptr_release(last);
  }
}

task_state* planned_launch::stands_for() const noexcept {
  // Acquire: pairs with the release in task_at_hand().
  return stand_in_.load(std::memory_order_acquire);
}

task_state* planned_launch::part_of_task() const noexcept { return run_; }

task_state* planned_launch::task_at_hand() {
  // Acquire: pairs with the release below, by another piece of the body.
  device_task* there = stand_in_.load(std::memory_order_acquire);
  if (there != nullptr) return there;
  boost::intrusive_ptr<device_task> made =
      new device_task_of<void>(run_->context(), label, launch->kernel);
  made->id = id;
  // Release: pairs with the acquires above and in stands_for(). Acquire: with the release of the
  // piece that was faster.
  if (!stand_in_.compare_exchange_strong(there, made.get(), std::memory_order_release,
                                         std::memory_order_acquire)) {
    return there;
  }
  return made.detach();
}

}  // namespace hocket::detail
