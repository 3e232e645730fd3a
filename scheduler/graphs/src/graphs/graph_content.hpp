// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <variant>
#include <vector>

#include <hocket/scheduler/detail/description.hpp>
#include <hocket/scheduler/detail/graph_use.hpp>
#include <hocket/scheduler/graph.hpp>

#include "graphs/host_plan.hpp"
#include "graphs/recorded_nodes.hpp"
#include "graphs/recorded_parameters.hpp"
#include "graphs/run_frame.hpp"

namespace hocket::detail {

class data_plan;
class placed_plan;
class placed_runtime;
class run_batches;

struct graph_content final : recording, recorded_nodes {
  using node = graph_node;

  explicit graph_content(const std::shared_ptr<placed_runtime>& belongs_to);
  ~graph_content();

  std::weak_ptr<placed_runtime> home;
  const std::uint64_t home_number;

  /// The label of runs that are given none, made once.
  const task_label name{"graph"};

  /// Instead of nodes, as long as there are only host functions that a plan can hold, and graphs of
  /// such. Each graph, or choice among graphs, has a function in it which is never called.
  std::shared_ptr<host_plan> plan = std::make_shared<host_plan>(functions());

  /// Which of the plan's functions stand for graphs, in their order.
  struct planned_use {
    std::uint32_t node;
    graph_use use;
  };
  std::vector<planned_use> uses;

  recorded_parameters parameters;

  /// Adds a task and returns what stands for it.
  [[nodiscard]] task_state_ptr add(task_description&& task);
  [[nodiscard]] task_state_ptr add(graph_use&& use);

  /// The recording is complete. in_batches: runs may submit batches of tasks once a schedule says
  /// which.
  void finish(bool in_batches);

  [[nodiscard]] std::size_t size() const noexcept;

  [[nodiscard]] const boost::intrusive_ptr<recorded_functions>& all_functions() const noexcept {
    return functions();
  }

  /// The plan by which runs of a graph with data go in place; null if it was not compiled.
  [[nodiscard]] const std::shared_ptr<data_plan>& compiled() const noexcept { return data_runs_; }

  /// The plan by which they go where tasks are placed; null if it was not compiled.
  [[nodiscard]] const std::shared_ptr<placed_plan>& placed() const noexcept { return placed_runs_; }

  /// True if a run of it on that runtime starts functions and nothing else: run_functions() does
  /// what run() would.
  [[nodiscard]] bool is_plan_of_functions(const host_context& context) const noexcept;
  [[nodiscard]] task_state_ptr run_functions(host_context& context, const task_label& label,
                                             std::int64_t priority,
                                             std::span<const task_state_ptr> after) const;

  /// Starts to run every task, once all of `after` have ended; what is returned ends when all of
  /// them have. The frame's priority is of the run.
  [[nodiscard]] task_state_ptr run(const run_frame& frame, const task_label& label,
                                   std::span<const task_state_ptr> after) const;

 private:
  /// Submits every node in order and returns what came of them.
  [[nodiscard]] std::vector<task_state_ptr> submit(const run_frame& frame,
                                                   std::span<const task_state_ptr> after) const;
  [[nodiscard]] task_state_ptr submit(node&& each, const run_frame& frame) const;

  [[nodiscard]] task_handle add(const task_options& options, recorded_function& function) override;
  [[nodiscard]] task_handle add(std::span<const task_handle> after,
                                recorded_function& function) override;
  [[nodiscard]] bool add_to_plan(graph_use& use);
  [[nodiscard]] task_handle add_carefully(const task_options& options, recorded_function& function);
  [[nodiscard]] task_state_ptr add_node(const task_options& options, recorded_function& function);
  [[nodiscard]] task_state_ptr add(node&& made, const task_label& label);
  [[nodiscard]] task_state_ptr add_use(graph_use&& use);
  /// Makes the tasks of a graph tasks of this one.
  [[nodiscard]] task_state_ptr take_in(graph_use&& use);
  [[nodiscard]] task_handle stand_in(const task_label& label, std::size_t index) const {
    const place_in_recording place{number(), static_cast<std::uint32_t>(index)};
    return label.empty() ? task_handle(place) : task_handle(state_of(place, label));
  }
  void check_numbers(const task_description& task);
  /// Throws usage_error unless it is a task with data, of this recording or outside.
  void check_taker(const task_state& taker, std::string_view label) const;
  void give_up_plan();

  // Once finished, one of these or none: what the plan and all in it run as, and what the nodes do.
  std::shared_ptr<host_plan> runs_;
  std::shared_ptr<data_plan> data_runs_;
  std::shared_ptr<placed_plan> placed_runs_;
  std::unique_ptr<run_batches> batches_;  ///< null: runs go by that plan, if there is one
};

/// The buffers that the graphs and the question of a choice use, each once and whole, to be read or
/// to be updated.
[[nodiscard]] std::vector<access_argument> buffers_of(const graph_use& use);

/// Submits what is asked in a run.
[[nodiscard]] task_state_ptr submit_question(task_description task, const run_frame& frame);

/// Checks a graph, or a choice, and runs it.
[[nodiscard]] task_state_ptr start(graph_use&& use, const run_frame& frame);

/// Runs a graph, or a choice, once all that it comes after has ended.
[[nodiscard]] task_state_ptr start(use_node&& node, const run_frame& frame);
/// start() for a graph that is no choice.
[[nodiscard]] task_state_ptr run(const graph_use& use, const run_frame& frame);

/// The plan that a recording of host functions and of graphs of such runs as.
[[nodiscard]] std::shared_ptr<host_plan> flattened(const graph_content& content);

}  // namespace hocket::detail
