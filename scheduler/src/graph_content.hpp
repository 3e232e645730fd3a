// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <memory>
#include <variant>
#include <vector>

#include <hocket/scheduler/detail/description.hpp>
#include <hocket/scheduler/graph.hpp>

#include "host_plan.hpp"
#include "recorded_task.hpp"

namespace hocket::detail {

class grouping_rule;
class runtime_core;

struct host_node {
  recorded_function* function;
  host_options options;
  std::vector<completion_ptr> after;
};

struct graph_content final : recording {
  std::vector<std::variant<task_description, host_node>> nodes;

  /// Of each recorded task, the node that it is part of.
  std::vector<std::size_t> places;

  /// Instead of nodes, as long as there are only host functions that a plan can hold.
  std::shared_ptr<host_plan> plan = std::make_shared<host_plan>(functions());

  /// Adds a task and returns what stands for it.
  [[nodiscard]] completion_ptr add(task_description&& task);

  /// Makes one node of each group of tasks that can become one and fits a device.
  void group(const grouping_rule& rule, runtime_core& home);

  /// The recording is complete.
  void finish();

  [[nodiscard]] std::size_t size() const noexcept { return plan ? plan->size() : nodes.size(); }

  /// Runs every task; what is returned ends when all of them have.
  [[nodiscard]] completion_ptr run(runtime_core& home) const;

 private:
  /// Submits every node in order and returns what came of them.
  [[nodiscard]] std::vector<completion_ptr> submit(runtime_core& home) const;
  [[nodiscard]] completion_ptr actual(const completion_ptr& named,
                                      const std::vector<completion_ptr>& made) const;
  void replace(std::vector<completion_ptr>& named, const std::vector<completion_ptr>& made) const;

  [[nodiscard]] completion_ptr add(const task_options& options,
                                   recorded_function& function) override;
  [[nodiscard]] bool add_to_plan(const task_options& options);
  [[nodiscard]] completion_ptr add_node(const task_options& options, recorded_function& function);
  void give_up_plan();
  [[nodiscard]] completion_ptr add(std::variant<task_description, host_node>&& node,
                                   task_label label);

  recorded_task_maker futures_;
};

}  // namespace hocket::detail
