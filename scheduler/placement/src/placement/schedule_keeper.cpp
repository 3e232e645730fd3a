// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "placement/schedule_keeper.hpp"

#include <chrono>
#include <vector>

namespace hocket::placement {

nanoseconds schedule_keeper::largest_delay(const placed_task& t) {
  // Threads that are woken up come later than they might by less than the second term.
  return run_of(t).repeated_->took / 16 + std::chrono::microseconds(50);
}

void schedule_keeper::begin(submitted_run& run, time_stamp now, device_chooser& chooser,
                            std::size_t changes) {
  // With one device there is nothing to plan, but batches are made.
  if ((devices_ == 1 && !run.kept_->wants_batches()) || !chooser.repeats_schedules()) {
    run.kept_ = nullptr;
    return;
  }
  kept_schedule& kept = *run.kept_;
  kept.devices_changed(changes);
  // With one device the tasks of a schedule need not be held, but its batches are measured.
  if (devices_ > 1 || kept.is_of_batches()) run.repeated_ = kept.to_repeat();
  if (run.repeated_ != nullptr) {
    ++repeated_;
    if (kept.is_of_batches()) ++batched_;
  }
  chooser.vary(run.repeated_ == nullptr && devices_ > 1 ? kept.variant() : 0);
  run.issued_on_.assign(devices_, 0);
  run.begun_ = now;
  run.is_alone_ = kept.pending_ == nullptr;
  run.begins_quietly_ = issued_ == ended_;
  // The run before may be measured no more either.
  if (kept.pending_ != nullptr) kept.pending_->is_alone_ = false;
  kept.pending_ = &run;
  run.others_ = issued_ - kept.issued_;
}

void schedule_keeper::chosen(run_task& t, device_id device, time_stamp now) noexcept {
  submitted_run& run = *t.part_of;
  if (run.kept_ == nullptr) return;
  t.chosen_as = run.chosen_++;
  t.chosen_behind = run.issued_on_[device.value];
  t.chosen_at = now - run.begun_;
}

void schedule_keeper::issued(run_task& t, time_stamp now) {
  submitted_run& run = *t.part_of;
  if (run.kept_ == nullptr) return;
  ++run.kept_->issued_;
  t.issued_as = run.issued_++;
  t.issued_at = now - run.begun_;
  ++run.issued_on_[t.run.device.value];
  const scheduled_task* const place = place_of(t);
  // Behind another run of the graph, a run begins later than it is submitted.
  if (place == nullptr || !run.is_alone_) return;
  if (t.issued_at - place->issued <= largest_delay(t)) return;
  run.is_late_ = true;
  late_.push_back(&run);
}

void schedule_keeper::ended(submitted_run& run, time_stamp now, device_chooser& chooser,
                            std::size_t changes) {
  if (run.kept_ == nullptr) return;
  kept_schedule& kept = *run.kept_;
  chooser.vary(0);
  std::erase(late_, &run);
  if (kept.pending_ == &run) kept.pending_ = nullptr;
  const bool is_whole = !run.why_ && run.issued_ == run.tasks_.size() && changes == kept.changes_;
  const bool had_others = !run.begins_quietly_ || issued_ - kept.issued_ != run.others_;
  const nanoseconds took = now - run.begun_;
  if (!is_whole || had_others || !run.is_alone_) {
    kept.not_measured();
  } else if (run.repeated_ != nullptr) {
    kept.measured_repeated(*run.repeated_, took);
  } else {
    kept.measured_planned(run.tasks_, took);
  }
  // A future may keep the run for long.
  run.repeated_ = nullptr;
  run.issued_on_ = {};
}

}  // namespace hocket::placement
