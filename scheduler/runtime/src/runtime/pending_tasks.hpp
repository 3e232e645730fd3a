// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <memory>

#include <hocket/scheduler/detail/host_context.hpp>
#include <hocket/scheduler/runtime.hpp>

#include "runtime/wait_checks.hpp"
#include "runtime/watchdog.hpp"
#include "tasks/pending_limit.hpp"
#include "tasks/task_registry.hpp"

namespace hocket::detail {

/// What a runtime keeps of its pending tasks beside their number, where its options ask for that: a
/// limit, a table of the tasks, and a watchdog. Any thread.
class pending_tasks final : public submission_gate {
 public:
  /// Throws usage_error for a watchdog without a meaning.
  pending_tasks(const runtime_options& options, const host_context& home, executor& where,
                event_pump& events, wait_checks& waits);
  pending_tasks(const pending_tasks&) = delete;
  pending_tasks& operator=(const pending_tasks&) = delete;
  ~pending_tasks() = default;

  [[nodiscard]] bool have_limit() const noexcept { return limit_ != nullptr; }
  /// The table of all tasks; null if they are not noted: then started() and ended() do nothing.
  [[nodiscard]] task_registry* registry() const noexcept { return registry_.get(); }

  void started(const task_state& task) noexcept;
  void ended(const task_state& task) noexcept;

  // submission_gate
  void enter() override;
  void leave() noexcept override { limit_->give_back(0); }

  /// Starts the watchdog, if there is to be one. list: what it prints.
  void watch(watchdog::list_pending list);
  /// Returns when the thread of the watchdog has ended.
  void stop_watching() noexcept { watchdog_.reset(); }

 private:
  [[nodiscard]] bool is_let_through() const;

  const host_context& home_;
  executor& where_;
  event_pump& events_;
  wait_checks& waits_;
  const overload_kind overload_;
  const nanoseconds patience_;               ///< of the watchdog; zero: there is none
  std::unique_ptr<pending_limit> limit_;     ///< null: none
  std::unique_ptr<task_registry> registry_;  ///< null: none
  std::unique_ptr<watchdog> watchdog_;       ///< null: none, or not started
};

}  // namespace hocket::detail
