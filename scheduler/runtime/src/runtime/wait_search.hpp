// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <boost/unordered/unordered_flat_map.hpp>
#include <boost/unordered/unordered_flat_set.hpp>

#include <hocket/scheduler/detail/host_task.hpp>
#include <hocket/scheduler/detail/task_state.hpp>

#include "placement/engine.hpp"
#include "runtime/wait_graph.hpp"
#include "tasks/wait_visitor.hpp"

namespace hocket::detail {

/// One search, from what a stack is about to wait for over what that waits for in turn, until it
/// comes to the stack itself or has seen all. While it searches, the graph is locked: nothing that
/// a task keeps may be let go of then, so it is kept until the search is over.
class wait_search : public wait_visitor {
 public:
  wait_search(wait_graph& graph, const parked_wait& by, const placement::engine* placement)
      : graph_(graph), placement_(placement), by_(&by) {}
  wait_search(const wait_search&) = delete;
  wait_search& operator=(const wait_search&) = delete;
  /// Only when the graph is not locked any more.
  ~wait_search();

  /// With the graph locked.
  [[nodiscard]] wait_graph::finding run();
  /// Of a circle: which thread or task waits for which.
  [[nodiscard]] std::string sentence() const;

  // wait_visitor
  void follow(task_state& task) override;
  void follow_and_keep(task_state_ptr task) override;
  void follow(task_id placed) override;
  void follow(const parked_wait& wait) override;
  void follow_all_of(const host_context& context) override;
  void follow_holder_of(const task_state& view_node) override;
  void follow_holders_before(const task_state& ended_early) override;
  void is_read(host_task& task) override {
    kept_.emplace_back(&task);
    read_.push_back(&task);
  }

 protected:
  /// For a listing: all that can be reached is looked at, and every step kept.
  wait_search(wait_graph& graph, const placement::engine* placement)
      : graph_(graph), placement_(placement) {}

  struct set {
    const host_context* of;
    bool operator==(const set&) const = default;
  };
  using thing = std::variant<task_state*, task_id, const parked_wait*, const held_view*, set>;
  struct node {
    thing what;
    std::size_t before = 0;          ///< the node that waits for this one
    std::string instance_name = {};  ///< of a view: one of a set that stands behind it
  };
  struct hash {
    std::size_t operator()(const thing& of) const noexcept;
  };
  class forward;
  /// An open view, or a stack that waits, and the tasks behind it that have ended early and still
  /// stand in their places.
  struct holder {
    thing what;
    boost::unordered_flat_set<const task_state*> ended_early;
  };

  void add(thing what, std::string instance_name = {});
  void expand(const thing& what);
  void expand(task_state& task);
  void expand(task_id placed);
  void expand(const parked_wait& wait);
  void expand(const held_view& view);
  void expand(const set& all);
  void follow_workers_on(const task_state& task);
  void follow_stacks_before(const set& all);
  void find_holders();
  [[nodiscard]] std::string name_of(const thing& what) const;
  [[nodiscard]] std::vector<std::string> way_to(std::size_t last) const;

  /// What add() is called with from now on is what the current node waits for.
  void roots_are_known() noexcept { are_roots_ = false; }
  [[nodiscard]] static std::span<task_state* const> tasks_of(const parked_wait& wait) noexcept {
    return {wait.working_on_.data(), wait.working_on_.size()};
  }

  wait_graph& graph_;
  const placement::engine* placement_;
  std::vector<node> nodes_;
  std::size_t current_ = 0;
  std::vector<std::pair<std::size_t, std::size_t>> edges_;  ///< of a listing: from which to which

 private:
  const parked_wait* by_ = nullptr;
  bool needs_engine_ = false;
  bool are_roots_ = true;
  boost::unordered_flat_map<thing, std::size_t, hash> seen_;
  std::vector<task_state_ptr> kept_;
  std::vector<host_task*> read_;
  std::optional<std::vector<holder>> holders_;  ///< found when the first of them is needed
};

}  // namespace hocket::detail
