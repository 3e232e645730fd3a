// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include <boost/smart_ptr/intrusive_ptr.hpp>

#include <hocket/core/error.hpp>
#include <hocket/scheduler/detail/runtime_context.hpp>
#include <hocket/scheduler/detail/task_outcome.hpp>
#include <hocket/scheduler/detail/wait_node.hpp>
#include <hocket/scheduler/task_label.hpp>

namespace hocket::detail {

class ready_list;
struct helping;

/// Where a task is that runs only when its graph does.
struct place_in_recording {
  std::uint32_t number = 0;  ///< of the recording, among all of the process; 0 for a task that runs
  std::uint32_t index = 0;   ///< of the task in it, less than 2^31
};

enum class task_status : std::uint8_t { pending, ready, running, done };

/// The shared, counted state of one task, host or device: how it ends, and what is attached to its
/// end. A thread claims the task (once; how is the business of the kind of task), runs it, writes
/// the result and calls finish().
class task_state : public wait_node {
 public:
  /// Without a context nothing is counted anywhere, and what follows runs where this one ends.
  explicit task_state(host_context* context, task_label label = {})
      : context_(context),
        keeps_context_(context != nullptr && context->is_scope()),
        label_(std::move(label)) {
    if (keeps_context_) context_->kept();
  }
  /// The same in a runtime.
  task_state(in_runtime /*mark*/, host_context& context) noexcept
      : context_(&context), keeps_context_(false) {}
  ~task_state() override {
    if (keeps_context_) context_->dropped();
  }

  [[nodiscard]] const task_label& label() const noexcept { return label_; }

  /// What the label says, or what stands for one.
  [[nodiscard]] virtual std::string_view label_text() const noexcept { return label_.text(); }

  /// `Task "label"`, the way sentences begin with it.
  [[nodiscard]] std::string name() const;

  /// Only for a task that has not ended.
  [[nodiscard]] host_context* context() const noexcept { return context_; }

  /// The runtime, only to be compared: that of a task that has ended may be gone.
  [[nodiscard]] const host_context* home() const noexcept {
    return keeps_context_ ? &context_->home() : context_;
  }

  /// Where its data may be, if it has run, for tasks that follow it in the same runtime.
  [[nodiscard]] virtual std::uint32_t arena() const noexcept { return no_arena; }

  [[nodiscard]] virtual task_status status() const noexcept {
    return done() ? task_status::done : task_status::pending;
  }

  [[nodiscard]] task_outcome& outcome() noexcept { return outcome_; }
  /// Empty if all went well. Only for a task that has ended.
  [[nodiscard]] const failure& error() const noexcept { return outcome_.error(); }

  /// The result, of the type that its future has; null for void. Only for a task that has ended
  /// well.
  [[nodiscard]] const void* value() const noexcept { return outcome_.value(); }

  /// The task has ended; to be called once, by the thread that claimed it. The context, if there is
  /// one, must have been told that the task started. The caller holds a reference.
  void finish(failure why = {}) noexcept;

  /// Asks for the task not to run, or to end early. It ends in its own time.
  virtual void request_cancel() noexcept {}

  /// Runs the task here if it is ready and no thread has claimed it, else such a task among its
  /// predecessors. Returns whether it ran one.
  virtual bool help(helping& /*by*/) noexcept { return false; }

  /// If not empty, how the sentence about this task goes on that somebody is told who wants to wait
  /// for it or to continue from it.
  [[nodiscard]] virtual std::string_view not_waitable() const noexcept { return {}; }

  [[nodiscard]] virtual place_in_recording recorded() const noexcept { return {}; }

 protected:
  /// finish(), for one whose outcome is settled; the tasks that became ready are left to the
  /// caller.
  void announce(ready_list& next) noexcept;
  /// The last part of announce(), for a task that ended well and has a context.
  void count_end(host_context& context, after_end next) noexcept {
    if (!context.only_counted_end(next)) context.ended(*this);
  }

  /// To be called before finish().
  void set_context(host_context& context) noexcept { context_ = &context; }

 private:
  host_context* context_;
  [[no_unique_address]] task_outcome outcome_;
  bool keeps_context_;  // which is a scope
  task_label label_;
};

}  // namespace hocket::detail
