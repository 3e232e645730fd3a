// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <memory>
#include <variant>
#include <vector>

#include <hocket/scheduler/detail/description.hpp>
#include <hocket/scheduler/graph.hpp>

#include "host_plan.hpp"

namespace hocket::detail {

class runtime_core;

/// Stands for the tasks that one recorded task becomes, one for each run.
class recorded_task final : public completion {
 public:
  recorded_task(task_label label, const graph_content& owner, std::size_t index)
      : completion(nullptr, std::move(label)), place_{&owner, index} {}

  [[nodiscard]] std::string_view not_waitable() const noexcept override {
    return "is part of a recording and runs only when the graph does; it cannot be waited for or "
           "continued from before.";
  }
  [[nodiscard]] place_in_recording recorded() const noexcept override { return place_; }

 private:
  place_in_recording place_;
};

struct host_node {
  recorded_function_ptr function;
  std::vector<completion_ptr> after;
};

struct graph_content {
  std::vector<std::variant<task_description, host_node>> nodes;

  /// Of each recorded task, the node that it is part of.
  std::vector<std::size_t> places;

  /// Instead of nodes, as long as there are only host functions that a plan can hold.
  std::shared_ptr<host_plan> plan = std::make_shared<host_plan>();

  /// Adds a task and returns what stands for it.
  [[nodiscard]] completion_ptr add(task_description&& task);
  [[nodiscard]] completion_ptr add(recorded_function_ptr&& function,
                                   const std::vector<any_future>& after);

  /// Makes one node of each group of tasks that can become one. See fuse.hpp.
  void fuse(runtime_core& home);

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

  [[nodiscard]] bool add_to_plan(const recorded_function_ptr& function,
                                 const std::vector<any_future>& after);
  void give_up_plan();
  [[nodiscard]] completion_ptr add(std::variant<task_description, host_node>&& node,
                                   task_label label);
};

}  // namespace hocket::detail
