// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "placement/device_chooser.hpp"
#include "placement/machine.hpp"
#include "placement/run_tasks.hpp"

namespace hocket::placement {

/// Measures the runs of recorded graphs, and lets later ones repeat the schedule of the shortest.
/// A run counts if nothing else was launched meanwhile, and no other run of its graph was pending.
class schedule_keeper {
 public:
  explicit schedule_keeper(const machine& machine) : devices_(machine.devices.size()) {}

  /// The run is about to be added. changes: see engine_state.
  void begin(submitted_run& run, time_stamp now, device_chooser& chooser, std::size_t changes);
  /// The task gets the device.
  void chosen(run_task& t, device_id device, time_stamp now) noexcept;
  /// The launch was issued.
  void launch_issued(placed_task& t, time_stamp now) {
    ++issued_;
    if (t.is_of_run) issued(static_cast<run_task&>(t), now);
  }
  /// The command of the task has ended, which ran in that time.
  static void command_ended(run_task& t, time_stamp begin, time_stamp end, bool has_left) noexcept {
    const time_stamp begun = t.part_of->begun_;
    t.begun_at = begin - begun;
    t.ended_at = end - begun;
    t.has_left = t.has_left || has_left;
  }
  /// A task whose launch was issued ends.
  void launch_ended() noexcept { ++ended_; }
  /// All tasks of the run have ended or were cancelled.
  void ended(submitted_run& run, time_stamp now, device_chooser& chooser, std::size_t changes);

  /// How many runs repeated a schedule.
  [[nodiscard]] std::size_t repeated() const noexcept { return repeated_; }
  /// How many of those submitted batches.
  [[nodiscard]] std::size_t batched() const noexcept { return batched_; }
  /// Runs that have fallen behind the schedule that they repeat, since this was asked last.
  [[nodiscard]] std::vector<submitted_run*> take_late() { return std::exchange(late_, {}); }
  [[nodiscard]] bool has_late() const noexcept { return !late_.empty(); }

  /// Where the schedule has the task that its run repeats; null: it repeats none.
  [[nodiscard]] static const scheduled_task* place_of(const placed_task& t) noexcept {
    if (!t.is_of_run) return nullptr;
    return run_of(t).repeats() ? &recorded_place(t) : nullptr;
  }
  /// Where the schedule has a task whose run repeats one, even if the run has fallen behind.
  [[nodiscard]] static const scheduled_task& recorded_place(const placed_task& t) noexcept {
    const submitted_run& run = run_of(t);
    return run.repeated_->tasks[run.number_of(static_cast<const run_task&>(t))];
  }
  /// When the task is to get its device.
  [[nodiscard]] static time_stamp due(const placed_task& t, const scheduled_task& place) noexcept {
    return run_of(t).begun_ + place.chosen;
  }
  /// Its run has issued more tasks on the device than the schedule had when the task got that.
  [[nodiscard]] static bool is_ahead(const placed_task& t, const scheduled_task& place) noexcept {
    return run_of(t).issued_on_[place.device.value] > place.behind;
  }
  /// All that the schedule has before got their devices.
  [[nodiscard]] static bool is_next(const placed_task& t, const scheduled_task& place) noexcept {
    return run_of(t).chosen_ >= place.turn;
  }

  /// A run whose task is issued later than that behind its schedule is planned from there on.
  [[nodiscard]] static nanoseconds largest_delay(const placed_task& t);

 private:
  void issued(run_task& t, time_stamp now);
  [[nodiscard]] static const submitted_run& run_of(const placed_task& t) noexcept {
    return *static_cast<const run_task&>(t).part_of;
  }

  std::size_t devices_;
  std::uint64_t issued_ = 0;  ///< launches
  std::uint64_t ended_ = 0;   ///< of those
  std::size_t repeated_ = 0;  ///< runs
  std::size_t batched_ = 0;   ///< of those
  std::vector<submitted_run*> late_;
};

}  // namespace hocket::placement
