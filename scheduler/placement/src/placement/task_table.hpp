// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <cstddef>
#include <vector>

#include <hocket/core/id_map.hpp>

#include "placement/run_tasks.hpp"
#include "placement/tracked_buffer.hpp"

namespace hocket::placement {

/// The tasks that have not ended, and the edges between them.
class task_table {
 public:
  using buffer_table = id_map<data_id, tracked_buffer>;

  explicit task_table(buffer_table& buffers) : buffers_(buffers) {}

  /// Takes the task, which is younger than all before, and links it behind those that it comes
  /// after.
  placed_task& add(task_ref&& made);
  /// The same of the next task of a run, those before which are added.
  placed_task& add(run_task& made);
  /// Removes the task and its edges.
  [[nodiscard]] task_ref remove(placed_task& t);

  /// Null if the task has ended.
  [[nodiscard]] placed_task* find(task_id id) const {
    return const_cast<placed_task*>(tasks_.find(id));
  }
  /// The nested domain that the task belongs to; null if it belongs to none.
  [[nodiscard]] placed_task* domain_of(const placed_task& t) const {
    return t.within.valid() ? find(t.within) : nullptr;
  }
  [[nodiscard]] std::size_t size() const noexcept { return tasks_.size(); }
  /// How many were added, with those that have ended.
  [[nodiscard]] std::uint64_t added() const noexcept { return added_; }
  /// All, in the order of their ids.
  [[nodiscard]] std::vector<placed_task*> sorted() const;

 private:
  struct found_edge {
    placed_task* before;
    edge_kind kind;
    bool waits_for_end = false;
  };

  void enter(placed_task& t);
  void find_edges(placed_task& t);
  void sort_edges();
  static void link(placed_task& t, const found_edge& found);
  [[nodiscard]] task_accesses& history_of(const placed_task& t, data_id data,
                                          tracked_buffer& all) const;

  buffer_table& buffers_;
  id_map<task_id, placed_task, task_ref> tasks_;
  std::vector<found_edge> found_;  ///< of the task that is being added
  std::uint64_t added_ = 0;
};

}  // namespace hocket::placement
