// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <vector>

#include "placement/kept_schedule.hpp"
#include "placement/placed_task.hpp"

namespace hocket::placement {

class submitted_run;

/// An earlier task of the same graph, which a task comes after.
struct recorded_edge {
  std::uint32_t before;  ///< its number in the graph
  edge_kind kind = edge_kind::order;
  bool waits_for_end = false;  ///< it was named, and need not have data in common
};

/// A task of a run of a recorded graph. Later runs of the graph use it again.
struct run_task : placed_task {
  run_task() { is_of_run = true; }

  /// It belongs to its run, whatever refers to it.
  void unused() noexcept override {}

  /// For a run that is about to be submitted, with this number.
  void begin(submitted_run& now, task_id number) {
    part_of = &now;
    id = number;
    notified = false;
    warned_of = false;
    suits = false;
    traced.reset();
    poisoned = {};
    run.fetching = false;
    begun_at = ended_at = unknown_time;
    begin_attempt();
    for (task_access& a : accesses) a.is_pinned = false;
  }

  submitted_run* part_of = nullptr;
  std::uint32_t issued_as = 0;              ///< number of tasks of the run that were issued before
  std::uint32_t chosen_as = 0;              ///< number of those that got their device before
  std::uint32_t chosen_behind = 0;          ///< number of those that were issued there then
  nanoseconds chosen_at{0};                 ///< when it got its device, since the run began
  nanoseconds issued_at{0};                 ///< likewise
  nanoseconds begun_at = unknown_time;      ///< when the device began with it, likewise
  nanoseconds ended_at = unknown_time;      ///< likewise
  bool has_left = false;                    ///< its body has yielded its lane, in any run
  std::span<const recorded_edge> recorded;  ///< from earlier tasks of the graph, one for each
};

/// One run of a recorded graph, whose tasks are submitted at one moment. It fails as the first of
/// them that failed, in the order of the recording.
class submitted_run {
 public:
  submitted_run(const submitted_run&) = delete;
  submitted_run& operator=(const submitted_run&) = delete;

  // Events hold references to the run. Any thread.
  virtual void add_reference() noexcept = 0;
  virtual void release_reference() noexcept = 0;

  // Called by the owner of the engine's strand, in this order.

  /// Every task has ended or was cancelled. runs_on: the bodies of some that were cancelled run
  /// until bodies_ended().
  virtual void ended(const failure& why, bool runs_on) = 0;
  virtual void bodies_ended() = 0;
  /// The engine has forgotten all of its tasks, and the run.
  virtual void retired() = 0;

  [[nodiscard]] std::span<run_task* const> tasks() const noexcept { return tasks_; }
  /// No task is left.
  [[nodiscard]] bool has_ended() const noexcept { return unfinished_ == 0; }
  /// The placement of its next tasks is that of an earlier run.
  [[nodiscard]] bool repeats() const noexcept { return repeated_ != nullptr && !is_late_; }
  [[nodiscard]] std::size_t number_of(const run_task& t) const noexcept {
    return static_cast<std::size_t>(t.id.value - tasks_.front()->id.value);
  }

  friend void intrusive_ptr_add_ref(submitted_run* r) noexcept { r->add_reference(); }
  friend void intrusive_ptr_release(submitted_run* r) noexcept { r->release_reference(); }

 protected:
  submitted_run() = default;
  ~submitted_run() = default;

  /// In the order of the recording, with numbers that follow one another; at least one. kept: the
  /// schedule of the graph. Before the run is submitted.
  void set_tasks(std::span<run_task* const> all, kept_schedule& kept) noexcept {
    set_tasks(all);
    kept_ = &kept;
  }
  /// Sets the tasks of a run that belongs to no graph.
  void set_tasks(std::span<run_task* const> all) noexcept {
    tasks_ = all;
    unended_ = unfinished_ = all.size();
  }

 private:
  friend class run_table;
  friend class schedule_keeper;

  std::span<run_task* const> tasks_;
  kept_schedule* kept_ = nullptr;  ///< null: the policy takes no part in that

  // What follows is the engine's.
  std::size_t added_ = 0;       ///< so many tasks have their places in the histories
  std::size_t unended_ = 0;     ///< tasks that have neither ended nor been cancelled
  std::size_t unfinished_ = 0;  ///< tasks that have not ended
  std::size_t run_on_ = 0;      ///< tasks that were cancelled when they had been issued
  failure unwanted_;            ///< not empty: cancelled before it was submitted
  failure why_;                 ///< of the first that failed
  std::uint64_t failed_age_ = std::numeric_limits<std::uint64_t>::max();  ///< of that task

  std::shared_ptr<const graph_schedule> repeated_;  ///< null: the run is planned
  bool is_alone_ = false;                           ///< among the runs of its graph
  bool begins_quietly_ = false;                     ///< nothing was in flight
  bool is_late_ = false;      ///< too much: the tasks that have no device yet are planned
  std::uint32_t chosen_ = 0;  ///< launches that got their device
  std::uint32_t issued_ = 0;  ///< of those
  std::vector<std::uint32_t> issued_on_;  ///< of those, on each device
  time_stamp begun_{};
  std::uint64_t others_ = 0;  ///< launches of others that were issued before
};

using run_ref = boost::intrusive_ptr<submitted_run>;

}  // namespace hocket::placement
