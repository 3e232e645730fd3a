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
      : completion(nullptr, std::move(label)), owner_(&owner), index_(index) {}

  [[nodiscard]] std::string_view not_waitable() const noexcept override {
    return "is part of a recording and runs only when the graph does; it cannot be waited for or "
           "continued from before.";
  }
  [[nodiscard]] const graph_content* owner() const noexcept { return owner_; }
  [[nodiscard]] std::size_t index() const noexcept { return index_; }

 private:
  const graph_content* owner_;  // compared, never followed
  std::size_t index_;
};

struct host_node {
  recorded_function_ptr function;
  std::vector<completion_ptr> after;
};

struct graph_content {
  std::vector<std::variant<task_description, host_node>> nodes;

  /// Of each recorded task, the node that it is part of.
  std::vector<std::size_t> places;

  std::shared_ptr<host_plan> plan;

  void add(std::variant<task_description, host_node>&& node) {
    places.push_back(nodes.size());
    nodes.push_back(std::move(node));
  }

  /// Makes one node of each group of tasks that can become one. See fuse.hpp.
  void fuse(runtime_core& home);

  /// The recording is complete. A graph of host functions alone becomes a plan, and has no nodes.
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
};

}  // namespace hocket::detail
