// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <memory>
#include <mutex>
#include <utility>

#include "placement/kept_schedule.hpp"

namespace hocket::detail {

class placed_plan;
class placed_runtime;
struct recorded_nodes;

/// Chooses how a run of a recorded graph is submitted: task by task, or, once its runs repeat a
/// schedule, in batches of what that has one behind the other. As soon as runs in batches take
/// longer than those that were planned, or devices change, tasks are submitted alone again, until
/// there is another schedule.
class run_batches {
 public:
  /// each: submits the tasks alone. Before its first run.
  explicit run_batches(std::shared_ptr<placed_plan> each);

  /// The plan for the next run. Any thread. content: what was recorded.
  [[nodiscard]] std::shared_ptr<placed_plan> plan(const recorded_nodes& content,
                                                  placed_runtime& home);

 private:
  [[nodiscard]] std::shared_ptr<placed_plan> compiled(const recorded_nodes& content,
                                                      const placement::settled_schedule& by,
                                                      placed_runtime& home) const;

  /// The plan of batches, which is forgotten if it was dropped; else the one of single tasks.
  /// Precondition: guard_ is locked.
  [[nodiscard]] const std::shared_ptr<placed_plan>& newest();

  std::shared_ptr<placed_plan> each_;

  std::mutex guard_;
  std::shared_ptr<const placement::graph_schedule> sought_in_;  ///< made batches_, or none
  std::shared_ptr<placed_plan> batches_;  ///< null: there are none, or not yet
};

}  // namespace hocket::detail
