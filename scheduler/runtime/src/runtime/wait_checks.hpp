// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <memory>
#include <utility>

#include <hocket/scheduler/detail/wait_checker.hpp>
#include <hocket/scheduler/pending.hpp>

#include "data/held_view.hpp"
#include "runtime/event_pump.hpp"
#include "runtime/wait_graph.hpp"
#include "tasks/task_registry.hpp"

namespace hocket::detail {

/// What a runtime knows of threads that wait and of views that they hold: refuses waits that would
/// never end, and lists what is pending. Any thread.
class wait_checks final : public wait_checker, public view_registry {
 public:
  wait_checks(const host_context& home, event_pump& events)
      : events_(events), graph_(std::make_shared<wait_graph>(home)) {}
  wait_checks(const wait_checks&) = delete;
  wait_checks& operator=(const wait_checks&) = delete;
  ~wait_checks() = default;

  // wait_checker
  void check(task_state& task, parked_wait& by) override;
  void check_again(parked_wait& by) override;
  void let_readers_leave() noexcept override { graph_->let_readers_leave(); }

  // view_registry
  void opened(held_view&& view) override { graph_->opened(std::move(view)); }
  void closed(const held_view& view) override;
  [[nodiscard]] bool detached(const held_view& view) override { return graph_->detached(view); }

  /// The calling stack is about to wait for a set of tasks.
  void note(parked_wait& by) { (void)graph_->add(by); }
  /// Whether the calling stack holds a view.
  [[nodiscard]] bool holds_view() const { return graph_->holds_view(); }
  /// Closes the views that the calling stack holds at the end of the runtime.
  void close_forgotten_views() noexcept;
  /// What has not ended, and what it waits for, but for the number of tasks. registry: all tasks;
  /// null if they are not noted.
  [[nodiscard]] pending_report list(task_registry* registry);

 private:
  event_pump& events_;
  const std::shared_ptr<wait_graph> graph_;
};

}  // namespace hocket::detail
