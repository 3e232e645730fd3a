// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <variant>
#include <vector>

#include <hocket/scheduler/detail/description.hpp>
#include <hocket/scheduler/detail/graph_use.hpp>

namespace hocket::detail {

/// A host function without accesses.
struct host_node {
  recorded_function* function;
  host_options options;
  std::vector<task_state_ptr> after;
};

/// A graph that runs as a plan, or a choice among graphs.
struct use_node {
  graph_use use;
  std::vector<access_argument> holds = {};  ///< whole buffers, each once
};

/// Stands for all tasks of a graph that became tasks of this one.
struct join_node {
  task_label label;
  std::vector<task_state_ptr> after;
};

using graph_node = std::variant<task_description, host_node, use_node, join_node>;

/// Nodes of a recording that become one, in order; a single one stays as it is.
using task_group = std::vector<std::size_t>;

class grouping_rule;
class placed_runtime;

/// The tasks of a recording, in an order in which they can be submitted.
struct recorded_nodes {
  explicit recorded_nodes(std::uint32_t number) : recorded_as(number) {}

  std::uint32_t recorded_as;  ///< the number of the recording
  std::vector<graph_node> nodes;
  /// Of each recorded task, the node that it is part of.
  std::vector<std::size_t> places;

  /// Whether a task of this recording is there.
  [[nodiscard]] bool has(const place_in_recording& place) const noexcept {
    return place.number == recorded_as;
  }

  /// Makes one node of each of these groups that can become one by the rule and fits a device.
  /// groups: in an order in which they can be submitted; each node is in one. Returns of each node
  /// the one that it is part of now.
  std::vector<std::size_t> group(std::span<const task_group> groups, const grouping_rule& rule,
                                 placed_runtime& home);
};

}  // namespace hocket::detail
