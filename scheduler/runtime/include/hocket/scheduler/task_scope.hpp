// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <concepts>
#include <stop_token>

#include <boost/smart_ptr/intrusive_ptr.hpp>

#include <hocket/core/duration.hpp>
#include <hocket/scheduler/future.hpp>
#include <hocket/scheduler/submitter.hpp>
#include <hocket/scheduler/task_label.hpp>

namespace hocket {

namespace detail {

class scope_core;

}  // namespace detail

class checkpoints;

/// How a scope ends before its time. Nothing has to be set.
struct scope_options {
  /// For messages.
  task_label label = {};

  /// A task of the scope that fails cancels the others.
  bool cancel_on_failure = false;

  /// When this time has passed since the scope was made, its tasks are asked to stop; those that
  /// have not started fail with timed_out.
  nanoseconds timeout = nanoseconds::max();

  /// The same, at this time of the runtime's clock (see runtime::now).
  time_stamp deadline = time_stamp::max();

  /// Cancels the scope when it is stopped.
  std::stop_token stop = {};
};

/// Tasks that end before the scope does. They are submitted through it as through a runtime, from
/// any thread, also from tasks; continuations of its tasks belong to it as well. A scope within a
/// scope is cancelled with it, and its tasks are also the outer one's.
///
/// A scope costs its tasks no memory: a task that has ended leaves nothing behind but its future.
///
/// ```cpp
/// runtime rt;
/// std::vector<std::size_t> squares(10);
/// {
///   task_scope scope{rt, {.label = "squares", .timeout = 10s}};
///   for (std::size_t i = 0; i < 10; ++i) scope.async([&squares, i] { squares[i] = i * i; });
///   scope.wait();  // throws the first failure that was not looked at
/// }
/// ```
class task_scope final : public submitter {
 public:
  /// In a runtime, or in another scope, which must both outlive this one. Throws usage_error for a
  /// recorder, and for a limit that has no meaning.
  template <std::derived_from<submitter> Submitter>
  explicit task_scope(Submitter& in, const scope_options& options = {})
      : task_scope(options, static_cast<submitter&>(in)) {}

  /// Waits for the tasks; left by an exception, it cancels them first. A failure that no thread has
  /// looked at is handed to the outer scope, or to runtime::wait.
  ~task_scope() override;

  /// Waits until no task is left, and throws the first failure that no thread has looked at; others
  /// count as seen then. That tasks were cancelled is no failure. Not from a task of the scope,
  /// which would wait for itself.
  void wait();

  /// Ends when no task is left, and fails as wait() throws: for coroutines, and continuations.
  [[nodiscard]] future<void> done();

  /// Asks all tasks to stop, those that are submitted later too: what has not started does not run,
  /// what runs is told by its std::stop_token. A task that waits for others ends when they have.
  void cancel() noexcept;

  /// Stop is requested when the scope is cancelled, by any thread. Throws std::bad_alloc.
  [[nodiscard]] std::stop_token stop_token() const;

  [[nodiscard]] runtime& home() noexcept override { return home_; }

 private:
  friend class checkpoints;  // of whose failures runtime::wait is told while the scope is there

  task_scope(const scope_options& options, submitter& in);
  void wait_in_destructor() noexcept;
  /// Hands failures on when tasks fail, not when the scope ends. Before there are tasks.
  void hand_on_failures_at_once() noexcept;
  /// Waits until no task is left, and looks at no failure. Throws usage_error if that cannot end.
  void wait_without_look();

  [[nodiscard]] host_target for_functions() noexcept override;
  [[nodiscard]] detail::task_state_ptr enqueue(detail::task_description&& task) override;
  [[nodiscard]] detail::task_state_ptr enqueue(detail::graph_use&& use) override;

  runtime& home_;
  int exceptions_;  // that were on their way when the scope was made
  boost::intrusive_ptr<detail::scope_core> core_;
};

}  // namespace hocket
