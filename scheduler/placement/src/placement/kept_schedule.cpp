// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "placement/kept_schedule.hpp"

#include <algorithm>

#include "placement/run_tasks.hpp"

namespace hocket::placement {

namespace {

constexpr std::size_t least_runs_of_rest = 16, most_runs_of_rest = 1024;

}  // namespace

settled_schedule kept_schedule::settled() const {
  const std::lock_guard lock(guard_);
  return settled_;
}

void kept_schedule::publish() noexcept {
  const std::lock_guard lock(guard_);
  settled_ = {to_repeat(), planned(), changes_};
}

void kept_schedule::begin_with(settled_schedule batches) {
  best_ = std::move(batches.repeated);
  sum_ = batches.planned * (runs_to_compare - 1);
  changes_ = batches.changes;
  measured_ = runs_to_compare;
  wants_batches_ = is_of_batches_ = true;
  publish();
}

void kept_schedule::measured_planned(std::span<run_task* const> tasks, nanoseconds took) {
  counts_ = true;
  if (resting_ > 0) {
    --resting_;
    return;
  }
  if (measured_ == runs_to_compare) return;
  if (measured_++ > 0) sum_ += took;
  if (best_ == nullptr || took < best_->took) keep(tasks, took);
  if (measured_ == runs_to_compare) publish();
}

void kept_schedule::measured_repeated(const graph_schedule& repeated, nanoseconds took) {
  if (&repeated != best_.get()) return;
  const bool is_slow = took > more_than(planned());
  slow_ = is_slow ? slow_ + 1 : 0;
  if (slow_ < 2) return;
  drop();
  resting_ = next_rest_;
  next_rest_ = std::clamp(4 * next_rest_, least_runs_of_rest, most_runs_of_rest);
}

void kept_schedule::devices_changed(std::size_t count) noexcept {
  if (std::exchange(changes_, count) == count) return;
  drop();
  resting_ = next_rest_ = 0;
}

void kept_schedule::drop() noexcept {
  best_ = nullptr;
  measured_ = slow_ = 0;
  sum_ = nanoseconds{0};
  publish();
}

void kept_schedule::keep(std::span<run_task* const> tasks, nanoseconds took) {
  std::vector<std::uint32_t> in_order(tasks.size());
  for (std::uint32_t i = 0; i < tasks.size(); ++i) in_order[tasks[i]->issued_as] = i;
  auto made = std::make_shared<graph_schedule>();
  made->tasks.resize(tasks.size());
  made->took = took;
  // As upward ranks do, they fall from the length of the run to zero.
  const double step = static_cast<double>(took.count()) / static_cast<double>(tasks.size());
  auto left = static_cast<double>(took.count());
  for (const std::uint32_t i : in_order) {
    const run_task& t = *tasks[i];
    made->tasks[i] = {.device = t.run.device,
                      .chosen = t.chosen_at,
                      .issued = t.issued_at,
                      .turn = t.chosen_as,
                      .behind = t.chosen_behind,
                      .rank = static_cast<float>(left),
                      .number = t.run.number,
                      .begun = t.begun_at,
                      .ended = t.ended_at,
                      .has_left = t.has_left};
    left -= step;
  }
  best_ = std::move(made);
}

}  // namespace hocket::placement
