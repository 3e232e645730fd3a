// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "placement/schedule_keeper.hpp"

#include <algorithm>
#include <chrono>

namespace hocket::placement {

namespace {

/// A run that is later than this is planned from there on. Threads wake up late by less.
nanoseconds largest_delay(const graph_schedule& of) {
  return of.took / 16 + std::chrono::microseconds(50);
}

}  // namespace

void schedule_keeper::begin(submitted_run& run, time_stamp now, device_chooser& chooser,
                            std::size_t lost) {
  // With one device there is nothing to plan.
  if (devices_ == 1 || !chooser.repeats_schedules()) {
    run.kept_ = nullptr;
    return;
  }
  kept_schedule& kept = *run.kept_;
  kept.devices_lost(lost);
  run.repeated_ = kept.to_repeat();
  if (run.repeated_ != nullptr) ++repeated_;
  chooser.vary(run.repeated_ == nullptr ? kept.variant() : 0);
  run.issued_on_.assign(devices_, 0);
  run.begun_ = now;
  run.others_ = launches_ - kept.launches_;
  // Behind another one it begins later than it is submitted.
  run.may_be_late_ = kept.pending_++ == 0;
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
  t.issued_as = run.issued_++;
  t.issued_at = now - run.begun_;
  ++run.issued_on_[t.run.device.value];
  const scheduled_task* const place = place_of(t);
  if (place == nullptr || !run.may_be_late_) return;
  if (t.issued_at - place->issued <= largest_delay(*run.repeated_)) return;
  run.is_late_ = true;
  late_.push_back(&run);
}

void schedule_keeper::ended(submitted_run& run, time_stamp now) {
  if (run.kept_ == nullptr) return;
  kept_schedule& kept = *run.kept_;
  --kept.pending_;
  std::erase(late_, &run);
  const time_stamp begin = std::max(run.begun_, std::exchange(kept.last_end_, now));
  const bool is_whole = !run.why_ && run.issued_ == run.tasks_.size();
  if (!is_whole || launches_ - kept.launches_ != run.others_) return;
  if (run.repeated_ != nullptr) {
    kept.measured_repeated(*run.repeated_, now - begin);
  } else {
    kept.measured_planned(run.tasks_, now - begin);
  }
}

}  // namespace hocket::placement
