// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include <hocket/scheduler/task_label.hpp>

#include "data/boundary_node.hpp"
#include "graphs/host_plan.hpp"
#include "graphs/planned_task.hpp"

namespace hocket::detail {

struct graph_content;

/// A recording of tasks with data, and of functions between them, for a runtime whose only memory
/// is the host's. The order of its tasks is found once; what a run does for each of them is to call
/// it and to count. Only its boundary tasks, those that tasks outside of a run can come before or
/// after, take places in the histories of buffers, with those of their accesses that count there.
class data_plan final : public host_plan {
 public:
  struct boundary {
    std::uint32_t node;
    task_label label;
    std::span<const in_place_use> uses;
  };

  /// Null if the graph has something that a plan does not know: options of tasks other than a label
  /// and what they come after, futures of tasks outside of it, and choices among graphs.
  [[nodiscard]] static std::shared_ptr<data_plan> compiled(const graph_content& content);

  explicit data_plan(const graph_content& content);

  /// Marks a predecessor whose failure does not matter to the task by itself: content that it lacks
  /// then is found out when the task begins.
  static constexpr std::uint32_t order_only = std::uint32_t{1} << 31U;

  [[nodiscard]] std::span<const boundary> boundaries() const noexcept { return boundaries_; }
  /// Those of all buffers of boundary tasks, each once, by address.
  [[nodiscard]] std::span<in_place_history* const> histories() const noexcept { return histories_; }
  /// What the task comes after within the plan, some with order_only.
  [[nodiscard]] std::span<const std::uint32_t> predecessors(std::uint32_t node) const noexcept {
    const std::size_t first = first_predecessor_[node];
    return std::span(predecessors_).subspan(first, first_predecessor_[node + 1] - first);
  }
  /// How many uses of buffers boundary tasks have.
  [[nodiscard]] std::size_t boundary_uses() const noexcept { return boundary_uses_.size(); }
  /// What one run needs, perhaps from an earlier one.
  [[nodiscard]] std::unique_ptr<boundary_set> set_for_run();
  [[nodiscard]] std::unique_ptr<boundary_set> fresh_set() const;
  void give_back(std::unique_ptr<boundary_set> set) noexcept;
  using host_plan::give_back;

  /// How many values of kernels a run keeps, for tasks that take them as numbers.
  [[nodiscard]] std::uint32_t values() const noexcept { return values_; }
  /// The index of the boundary task; planned_task::none if it is none.
  [[nodiscard]] std::uint32_t boundary_of(std::uint32_t node) const noexcept {
    return boundary_of_[node];
  }

 private:
  friend class data_plan_compiler;

  class no_function final : public plan_function {
   public:
    void call(const plan_call& /*in*/) override {}
  };

  no_function nothing_;  ///< what a join of tasks calls
  std::deque<planned_task> tasks_;
  std::vector<in_place_use> uses_;
  std::vector<in_place_use> boundary_uses_;
  std::deque<box> boxes_;
  std::vector<scalar_argument> numbers_;
  std::vector<planned_number> varying_;
  std::vector<boundary> boundaries_;
  std::vector<std::uint32_t> boundary_of_;
  std::vector<in_place_history*> histories_;
  std::vector<std::uint32_t> predecessors_;
  std::vector<std::size_t> first_predecessor_;
  std::uint32_t values_ = 0;

  std::mutex guard_;
  std::deque<std::unique_ptr<boundary_set>> spare_;  ///< the one that was given back first is first
};

}  // namespace hocket::detail
