// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <memory_resource>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include <hocket/scheduler/detail/description.hpp>

#include "graphs/planned_launch.hpp"

namespace hocket::detail {

struct recorded_nodes;

/// The tasks of a placed_plan for one run at a time.
class run_set {
 public:
  /// bytes: of all tasks, with what lies behind them.
  run_set(std::size_t tasks, std::size_t bytes) : memory_(bytes) { tasks_.reserve(tasks); }
  run_set(const run_set&) = delete;
  run_set& operator=(const run_set&) = delete;
  ~run_set();

  /// Precondition: so many tasks were announced.
  [[nodiscard]] planned_launch& add(const argument_room& room, std::size_t edges);
  [[nodiscard]] std::span<placement::run_task* const> tasks() const noexcept { return tasks_; }

 private:
  std::pmr::monotonic_buffer_resource memory_;
  std::vector<placement::run_task*> tasks_;
};

/// A recording of tasks with data for a runtime whose tasks are placed. The order of its tasks, and
/// all that is the same in every run, is found once. A run submits all of them at one moment, and
/// the placement engine decides as it does of single tasks.
class placed_plan {
 public:
  /// A number that is not the same in every run.
  struct parameter {
    std::uint32_t task;
    std::uint32_t index;  ///< among the numbers of the task
    number_argument number;
  };

  /// Null if the tasks are not placed, and if the graph has something that a plan does not know: of
  /// tasks timeouts, stop tokens, values, and futures of tasks outside of it; functions, and
  /// choices among graphs.
  [[nodiscard]] static std::shared_ptr<placed_plan> compiled(const recorded_nodes& content,
                                                             placed_runtime& home);

  [[nodiscard]] std::size_t size() const noexcept { return tasks_.size(); }
  [[nodiscard]] std::int64_t priority(std::uint32_t node) const noexcept {
    return tasks_[node].priority;
  }
  /// The edges from earlier tasks of the graph.
  [[nodiscard]] std::span<const placement::recorded_edge> edges(std::uint32_t node) const noexcept {
    return tasks_[node].edges;
  }
  [[nodiscard]] body_width width(std::uint32_t node) const noexcept { return tasks_[node].width; }
  [[nodiscard]] std::span<const parameter> parameters() const noexcept { return parameters_; }
  /// The tasks whose bytes come back when that one ends.
  [[nodiscard]] std::span<const std::uint32_t> returns(std::uint32_t node) const noexcept {
    return tasks_[node].returns;
  }

  /// For the placement engine.
  [[nodiscard]] placement::kept_schedule& kept() noexcept { return kept_; }

  /// The tasks for one run, perhaps used by an earlier one.
  [[nodiscard]] std::unique_ptr<run_set> set_for_run();
  void give_back(std::unique_ptr<run_set> set) noexcept;

 private:
  friend class placed_plan_compiler;

  struct planned_use {
    buffer_ref data;
    array_part_ref part;
    access_mode mode;
    bool is_all;
    bool is_in_history;
  };
  /// The spans are of the lists of the plan.
  struct task {
    kernel_ref kernel;
    task_label label;
    std::span<const planned_use> uses;
    std::span<const scalar_argument> numbers;
    std::span<const placement::recorded_edge> edges;
    std::size_t edges_outside = 0;  ///< so many edges from tasks outside of a run have room
    device_id on;
    std::int64_t priority = 0;
    bool in_order = false;
    std::optional<budget_use> takes;
    std::vector<std::uint32_t> returns;  ///< tasks whose bytes come back when this one ends
    bool host_only = false;
    std::uint64_t bytes = 0;
    std::uint32_t trace_name = 0;
    launch_work cost;
    body_width width = body_width::serial;
  };

  [[nodiscard]] std::unique_ptr<run_set> fresh_set() const;

  std::vector<task> tasks_;
  std::vector<planned_use> uses_;
  std::vector<scalar_argument> numbers_;
  std::vector<parameter> parameters_;
  std::vector<placement::recorded_edge> edges_;
  placement::kept_schedule kept_;

  std::mutex guard_;
  std::vector<std::unique_ptr<run_set>> spare_;
};

}  // namespace hocket::detail
