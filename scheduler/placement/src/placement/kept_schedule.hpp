// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <utility>
#include <vector>

#include <hocket/core/duration.hpp>
#include <hocket/core/ids.hpp>
#include <hocket/core/timepoint.hpp>

namespace hocket::placement {

struct run_task;
class submitted_run;

/// Of a task that ended otherwise than by the end of its command.
inline constexpr nanoseconds unknown_time = nanoseconds::min();

/// When and where one task of a recorded graph is run. Times are since the begin of the run.
struct scheduled_task {
  device_id device;
  nanoseconds chosen{0};     ///< when it gets its device
  nanoseconds issued{0};     ///< when it is issued
  std::uint32_t turn = 0;    ///< number of tasks of the graph that get their device before
  std::uint32_t behind = 0;  ///< number of those that are issued there by then
  float rank = 0;            ///< takes the place of its upward rank

  // For batches.
  point number;                      ///< in which lane, and as which of its commands
  nanoseconds begun = unknown_time;  ///< when the device begins with it
  nanoseconds ended = unknown_time;  ///< when the device ends it
  bool has_left = false;             ///< its body has yielded its lane, in this run or before
};

/// The schedule of a whole graph.
struct graph_schedule {
  std::vector<scheduled_task> tasks;  ///< as they were recorded
  nanoseconds took{0};
};

/// The schedule that runs of a graph repeat.
struct settled_schedule {
  std::shared_ptr<const graph_schedule> repeated;  ///< null: runs are planned
  nanoseconds planned{0};                          ///< what those took in the mean that were
  std::size_t changes = 0;                         ///< of devices, before it
};

/// The schedule of a recorded graph that its later runs repeat: of its first runs, which are each
/// planned a little differently, the shortest. A schedule is dropped when two runs in a row took
/// longer than the first did in the mean, and sought again, after more and more runs each time.
/// Used by the owner of the engine's strand alone, but for settled().
class kept_schedule {
 public:
  /// So many runs are measured before one is repeated.
  static constexpr std::size_t runs_to_compare = 8;

  /// Any thread, for a later run: what runs repeat may change at any moment.
  [[nodiscard]] settled_schedule settled() const;

  /// Runs are measured even if there is one device only: batches are to be made of the schedule.
  /// Before the first run.
  void want_batches() noexcept { wants_batches_ = true; }
  [[nodiscard]] bool wants_batches() const noexcept { return wants_batches_; }
  /// Runs repeat the schedule, whose tasks are batches, until it is dropped. Before the first run.
  void begin_with(settled_schedule batches);
  [[nodiscard]] bool is_of_batches() const noexcept { return is_of_batches_; }

  /// The schedule that the next run should repeat; null: the run is planned.
  [[nodiscard]] std::shared_ptr<const graph_schedule> to_repeat() const noexcept {
    return measured_ < runs_to_compare ? nullptr : best_;
  }
  /// Runs that are planned with the same number are planned alike; 0 is as usual.
  [[nodiscard]] std::size_t variant() const noexcept { return counts_ ? measured_ : 0; }

  /// A run that was planned has ended, in which every task did. took: without other work.
  void measured_planned(std::span<run_task* const> tasks, nanoseconds took);
  /// A run has ended that does not count. As long as such runs come, they are planned as usual.
  void not_measured() noexcept { counts_ = false; }
  /// A run that repeated this schedule has ended.
  void measured_repeated(const graph_schedule& repeated, nanoseconds took);
  /// So often a device was lost, or taken in or out of use. Where one was since, runs are planned
  /// anew.
  void devices_changed(std::size_t count) noexcept;

 private:
  friend class schedule_keeper;

  /// Two runs of one schedule differ by so much and more: a sixteenth.
  [[nodiscard]] static nanoseconds more_than(nanoseconds time) { return time + time / 16; }
  void drop() noexcept;
  [[nodiscard]] nanoseconds planned() const noexcept { return sum_ / (runs_to_compare - 1); }
  void publish() noexcept;
  void keep(std::span<run_task* const> tasks, nanoseconds took);

  std::shared_ptr<const graph_schedule> best_;
  bool counts_ = true;         ///< the last run did
  std::size_t measured_ = 0;   ///< runs that were planned to be compared
  nanoseconds sum_{0};         ///< that those took, without the first, which may copy more
  std::size_t slow_ = 0;       ///< runs in a row that took longer than those in the mean
  std::size_t resting_ = 0;    ///< so many runs are planned as usual before others are compared
  std::size_t next_rest_ = 0;  ///< so many, once this schedule is dropped
  std::size_t changes_ = 0;    ///< of devices
  bool wants_batches_ = false;
  bool is_of_batches_ = false;

  mutable std::mutex guard_;
  settled_schedule settled_;  ///< guarded

  // The schedule_keeper's.
  submitted_run* pending_ = nullptr;  ///< the last run, if it has not ended
  std::uint64_t issued_ = 0;          ///< launches of all runs
};

}  // namespace hocket::placement
