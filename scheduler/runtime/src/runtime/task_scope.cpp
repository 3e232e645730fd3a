// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <hocket/scheduler/detail/task_waits.hpp>
#include <hocket/scheduler/task_scope.hpp>

#include <cstdio>
#include <exception>

#include <hocket/scheduler/runtime.hpp>

#include "graphs/graph_content.hpp"
#include "runtime/runtime_core.hpp"
#include "runtime/scope_core.hpp"

namespace hocket {

task_scope::task_scope(const scope_options& options, submitter& in)
    : home_(in.home()), exceptions_(std::uncaught_exceptions()) {
  const host_target around = in.for_functions();
  if (around.recording != nullptr) {
    throw usage_error(
        "A scope is made in a recorder, which runs no tasks; scopes are made in a runtime or in "
        "another scope.");
  }
  auto* const outer =
      around.context->is_scope() ? static_cast<detail::scope_core*>(around.context) : nullptr;
  core_.reset(new detail::scope_core(*home_.core(), outer, options));
  core_->own_stop().open(options);
}

task_scope::~task_scope() {
  if (std::uncaught_exceptions() > exceptions_) cancel();
  core_->help();
  if (!core_->has_ended()) wait_in_destructor();
  core_->close();
}

void task_scope::wait_in_destructor() noexcept {
  // Its failure is handed on, not told here.
  const detail::task_state_ptr end = core_->end(false);
  try {
    try {
      wait_for_end(*end);
    } catch (const usage_error& e) {
      std::fprintf(stderr, "hocket: a scope ends with tasks that can never run: %s\n", e.what());
      // What has not begun ends at once, and was perhaps all that was in the way.
      cancel();
      wait_for_end(*end);
    }
  } catch (const usage_error&) {
    // A task of the scope ends it, or waits for what the caller does next: it lives on without it.
  } catch (const hocket::error& e) {
    // Without a stack for the other tasks of this worker, which is the last one of its node.
    std::fprintf(stderr, "hocket: the end of a scope keeps a worker from other tasks: %s\n",
                 e.what());
    wait_without_executor(*end);
  }
}

void task_scope::hand_on_failures_at_once() noexcept { core_->hand_on_at_once(); }

void task_scope::wait_without_look() {
  core_->help();
  if (!core_->has_ended()) wait_for_end(*core_->end(false));
}

void task_scope::wait() {
  core_->help();
  if (!core_->has_ended_well()) done().get();
}

future<void> task_scope::done() { return future<void>(core_->end(true)); }

void task_scope::cancel() noexcept {
  core_->own_stop().request(detail::scope_stop::reason::cancelled);
}

std::stop_token task_scope::stop_token() const { return core_->stop().token(); }

submitter::host_target task_scope::for_functions() noexcept { return {core_.get(), nullptr}; }

detail::task_state_ptr task_scope::enqueue(detail::task_description&& task) {
  task.scope = core_.get();
  return home_.core()->launch(std::move(task));
}

detail::task_state_ptr task_scope::enqueue(detail::graph_use&& use) {
  return detail::start(std::move(use), {.home = *home_.core(), .scope = core_.get()});
}

}  // namespace hocket
