// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <atomic>
#include <functional>
#include <optional>
#include <span>
#include <stop_token>

#include <hocket/core/duration.hpp>
#include <hocket/scheduler/detail/host_options.hpp>

#include "data/admission.hpp"
#include "data/domain_node.hpp"
#include "tasks/meeting.hpp"
#include "tasks/running_body.hpp"

namespace hocket::detail {

class in_place_runtime;

/// The options and conditions that few tasks in place have beside their launch.
struct in_place_content {
  host_options options;
  std::span<const task_state_ptr> after;
  nanoseconds timeout = nanoseconds::max();
  admission_request request = {};
  host_context* scope = nullptr;  ///< that the task belongs to; else to the runtime
  domain_node* within = nullptr;  ///< see place_within
};

/// The control of a task in place by something outside of it, which few tasks have: a time-out, a
/// scope or a token that can cancel the task once it is started, a request to the throttle, a
/// nested domain.
class in_place_control {
 public:
  /// True if a task needs one.
  [[nodiscard]] static bool is_needed(const in_place_content& from) noexcept;

  /// Takes over the request.
  in_place_control(in_place_task& task, in_place_runtime& home, in_place_content& from);

  [[nodiscard]] const admission_request& request() const noexcept { return request_; }
  [[nodiscard]] bool has_request() const noexcept { return request_.id.valid(); }
  /// True if a throttle decides when the task starts.
  [[nodiscard]] bool is_throttled() const noexcept { return request_.is_throttled(); }
  [[nodiscard]] bool has_timeout() const noexcept { return has_timeout_; }
  /// True if the time of the task was over when it was submitted: it ends when it is started.
  [[nodiscard]] bool is_late() const noexcept { return is_late_; }

  /// Takes its place in the order of throttled tasks: while the buffers of the task are locked.
  void announce();
  /// All that the task waits for is known.
  void registered() noexcept;
  /// The task is the first of its line, and keeps others back that are ready: fails it if it waits
  /// for one of these. Without effect on a task with a time-out, which ends by itself.
  void look_at_line() noexcept;
  /// Starts the task. A request to stop it that comes meanwhile is heard.
  void watch_and_start();
  /// Starts a task that is late, and ends it before it can begin. It has waited for one arrival
  /// more than it would otherwise.
  void start_late() noexcept;
  /// The task cannot be cancelled any more by its scope or token.
  void stop_watching() noexcept;

  /// The task will not run, or need not: one with a time-out ends at once, also where it runs.
  void cancel(failure why) noexcept;
  /// Ends a task with a time-out for those who wait for it, unless another thread has. Its scope
  /// and runtime still wait for its body, if that runs.
  void end_now(failure why) noexcept;
  /// Of the thread that has claimed the task, and knows how it ends: false if another thread ended
  /// it before, by the time-out.
  [[nodiscard]] bool may_notify_end() noexcept {
    return notified_here_ || !notified_.exchange(true);
  }
  /// The same before the task is to run.
  [[nodiscard]] bool may_name_cause() noexcept;

  /// All that the task waits for but the throttle is over.
  void ask_throttle(ready_list& next) noexcept;
  /// The body of the task begins.
  void begin() noexcept;
  /// The task has left its place.
  void leave(ready_list& next) noexcept;

 private:
  void withdraw() noexcept;

  in_place_task& task_;
  in_place_runtime& home_;
  admission_request request_;
  boost::intrusive_ptr<domain_node> within_;
  bool has_timeout_;
  bool is_late_;
  /// Of a task with a time-out: a thread has notified, or notifies, those who wait for the task.
  std::atomic<bool> notified_{false};
  bool notified_here_ = false;  ///< it was the thread that claimed the task
  /// Of a task with a time-out. It has begun if the task ended while its body ran.
  boost::intrusive_ptr<running_body> body_;
  bool body_outlives_task_ = false;  ///< written before leave(), which reads it
  // A request and the start meet: the one that comes second cancels.
  meeting scope_meets_start_, stop_meets_start_;
  std::optional<std::stop_callback<std::function<void()>>> by_scope_;
  std::optional<std::stop_callback<std::function<void()>>> by_stop_;
};

}  // namespace hocket::detail
