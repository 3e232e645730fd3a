// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <boost/unordered/unordered_flat_map.hpp>

#include "data/in_place_task.hpp"
#include "tasks/wait_visitor.hpp"

namespace hocket::detail {

/// What the first task of a line waits for, as far as the edges of tasks tell: without the bodies
/// and views that these come after. The lists of edges are kept until this goes, which may destroy
/// tasks: no lock may be held then.
class line_check final : private wait_visitor {
 public:
  explicit line_check(in_place_task& first);
  ~line_check();

  /// Those of them that start in order, by number.
  [[nodiscard]] const std::vector<task_id>& in_order() const noexcept { return in_order_; }
  /// Why the first task never starts, if it is in the way of that one. device: of the line.
  [[nodiscard]] failure contradiction(task_id behind, std::string_view device) const;

 private:
  // wait_visitor
  void follow(task_state& task) override;
  void follow_and_keep(task_state_ptr /*task*/) override {}
  void follow(task_id /*placed*/) override {}
  void follow(const parked_wait& /*wait*/) override {}
  void follow_all_of(const host_context& /*context*/) override {}
  void follow_holder_of(const task_state& /*view_node*/) override {}
  void follow_holders_before(const task_state& /*ended_early*/) override {}
  void is_read(host_task& task) override { read_.emplace_back(&task); }

  struct step {
    in_place_task* task;
    std::size_t before;  ///< the step of the task that waits for this one
  };
  std::vector<step> steps_;
  std::size_t current_ = 0;
  boost::unordered_flat_map<const task_state*, std::size_t> seen_;
  std::vector<task_id> in_order_;
  std::vector<host_task_ptr> read_;
};

}  // namespace hocket::detail
