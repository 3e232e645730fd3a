// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <cstddef>
#include <functional>
#include <memory>

#include "shapes.hpp"

namespace hocket::bench {

/// Somebody's graph of one shape. Its tasks are empty functions.
class built_graph {
 public:
  built_graph() = default;
  built_graph(const built_graph&) = delete;
  built_graph& operator=(const built_graph&) = delete;
  virtual ~built_graph() = default;

  /// Runs every task, each after those that it follows, and waits.
  virtual void run() = 0;
};

/// Somebody who makes graphs; has its workers.
class graph_maker {
 public:
  graph_maker() = default;
  graph_maker(const graph_maker&) = delete;
  graph_maker& operator=(const graph_maker&) = delete;
  virtual ~graph_maker() = default;

  [[nodiscard]] virtual std::unique_ptr<built_graph> build(const shape& what) = 0;
};

/// A name and, for so many threads, the maker.
struct graph_subject {
  const char* name;
  std::function<std::unique_ptr<graph_maker>(std::size_t threads)> start;
  bool keeps_graphs = true;  ///< else every run submits all tasks anew, and build does nothing
};

namespace ours {
[[nodiscard]] graph_subject graphs();
}
namespace onetbb {
/// flow::graph with a continue_node for each task.
[[nodiscard]] graph_subject flow_graphs();
/// task_group and a counter for each task, by hand.
[[nodiscard]] graph_subject task_groups();
}  // namespace onetbb
namespace openmp {
/// Tasks with depend clauses.
[[nodiscard]] graph_subject depending_tasks();
}  // namespace openmp
namespace starpu {
/// Tasks with declared dependencies, which are kept and submitted anew at each run.
[[nodiscard]] graph_subject declared_dependencies();
}  // namespace starpu

}  // namespace hocket::bench
