// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include <boost/smart_ptr/intrusive_ptr.hpp>

#include "placement/in_flight_table.hpp"
#include "placement/placed_task.hpp"

namespace hocket::placement {

/// The number of a duplicate is that of its task and this one: above those of all tasks, and below
/// those of tasks of recoveries.
inline constexpr std::uint64_t first_duplicate_number = std::uint64_t{1} << 61U;

/// How a command has ended, kept until something else is known.
struct kept_end {
  command_record record;
  command_result how;
};

/// A second run of a launch, on another device, because the first one takes too long. The content
/// of buffers does not know of it before it has ended first; then its task ends, and it stands for
/// the first run until that has ended.
struct task_duplicate final : placed_task {
  task_duplicate() {
    is_duplicate = true;
    phase = task_phase::issued;
  }

  task_id of;   ///< the task; not valid: that has ended, or what this writes is not wanted
  point first;  ///< the command of the first run
  std::size_t begun = 0;           ///< loss_table::begun() when it was issued
  std::optional<kept_end> failed;  ///< the first run has, and the task waits for this one
  task_ref ended;  ///< the task, if this one has ended first: its first run is in flight
};

/// How often stragglers were run a second time.
struct duplicate_counts {
  std::size_t started = 0;
  std::size_t won = 0;  ///< those that ended before the first run, or instead of it
};

/// The duplicates that are in flight, and what has to be known of tasks so that they can have one.
class duplicate_table {
 public:
  /// factor: a launch is a straggler if it takes so many times its predicted time; 0: none is.
  explicit duplicate_table(double factor) : factor_(factor), is_on_(factor > 0) {}

  [[nodiscard]] bool is_on() const noexcept { return is_on_; }
  [[nodiscard]] double factor() const noexcept { return factor_; }

  /// True if a duplicate, or the first run of a task that one has ended, is in flight.
  [[nodiscard]] bool is_any() const noexcept { return !all_.empty(); }
  /// The one that competes with the task; null if there is none.
  [[nodiscard]] task_duplicate* of(task_id task) const {
    const auto found = std::ranges::find(all_, task, [](const auto& each) { return each->of; });
    return found == all_.end() ? nullptr : found->get();
  }
  void add(boost::intrusive_ptr<task_duplicate> made) {
    ++counts.started;
    notes_[made->of].had_one = true;
    all_.push_back(std::move(made));
  }
  /// The command of the duplicate, or the one that the duplicate stands for, has ended.
  void remove(const task_duplicate& gone) {
    std::erase_if(all_, [&](const auto& each) { return each.get() == &gone; });
  }
  /// Calls visit(duplicate) for each.
  template <class Visit>
  void each(const Visit& visit) const {
    for (const auto& each : all_) visit(*each);
  }

  /// A block that has what a task updates as it was before.
  struct older_content {
    std::size_t access;  ///< number among those of the task
    memory_id memory;
    block_id block;
  };
  /// The task is about to be issued.
  void note_older(task_id task, const older_content& where) { notes_[task].older.push_back(where); }
  [[nodiscard]] bool has_had_one(task_id task) const {
    const auto found = notes_.find(task);
    return found != notes_.end() && found->second.had_one;
  }
  /// Calls visit(where) for what was noted of the task.
  template <class Visit>
  void each_older(task_id task, const Visit& visit) const {
    const auto found = notes_.find(task);
    if (found == notes_.end()) return;
    for (const older_content& each : found->second.older) visit(each);
  }
  /// The task has ended.
  void forget(task_id task) {
    if (!notes_.empty()) notes_.erase(task);
  }

  duplicate_counts counts;

 private:
  struct task_notes {
    std::vector<older_content> older;
    bool had_one = false;
  };

  const double factor_;
  const bool is_on_;
  std::vector<boost::intrusive_ptr<task_duplicate>> all_;
  std::map<task_id, task_notes> notes_;
};

}  // namespace hocket::placement
