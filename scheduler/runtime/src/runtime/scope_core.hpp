// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <new>
#include <string>

#include <boost/smart_ptr/intrusive_ptr.hpp>

#include <hocket/scheduler/detail/host_context.hpp>
#include <hocket/scheduler/detail/task_state.hpp>
#include <hocket/scheduler/task_scope.hpp>

#include "runtime/scope_stop.hpp"
#include "tasks/recent_tasks.hpp"

namespace hocket::detail {

class runtime_core;

/// What stands behind a task_scope: the context of its tasks, which keep it. It counts them and
/// keeps the first failure; for all else it refers to the runtime.
class scope_core final : public host_context {
 public:
  scope_core(runtime_core& home, scope_core* outer, const scope_options& options);
  ~scope_core() override;

  /// Scopes are made as often as tasks: they lie where those do.
  static void* operator new(std::size_t bytes, std::align_val_t alignment);
  static void operator delete(void* scope, std::align_val_t alignment) noexcept;

  // For the front.
  /// What stops the tasks: to be opened once, before there are tasks.
  [[nodiscard]] scope_stop& own_stop() noexcept { return own_stop_; }
  /// Failures go to the outer scope, or the runtime, when tasks fail, and none is kept here: to be
  /// called before there are tasks.
  void hand_on_at_once() noexcept { hands_on_at_once_ = true; }
  /// A task that ends when none of the scope's is left; if it tells, it fails as the first of them
  /// did that failed and that no thread has looked at.
  [[nodiscard]] task_state_ptr end(bool tells);
  /// Runs tasks of the scope here that no worker has begun, and looks for a moment whether the
  /// others end.
  void help() noexcept;
  /// True if no task is pending, and there is no failure that no thread has looked at.
  [[nodiscard]] bool has_ended_well();
  /// True if no task is pending. One that is submitted later may be.
  [[nodiscard]] bool has_ended() const noexcept { return unfinished_ == 0; }
  /// True if its tasks end by the clock, or because they were cancelled, whatever they wait for.
  [[nodiscard]] bool ends_by_itself() const noexcept {
    return own_stop_.is_due() || (outer_ && outer_->ends_by_itself());
  }
  /// The scope is left: no task is.
  void close() noexcept;

  // host_context
  void kept() noexcept override { intrusive_ptr_add_ref(this); }
  void dropped() noexcept override { intrusive_ptr_release(this); }
  void offer(task_state& task) noexcept override {
    recent_.add(task);
    // Tasks keep their scope: one that is kept here after close() would keep itself.
    if (closed_) recent_.clear();
  }
  void ended(task_state& task) noexcept override;
  [[nodiscard]] const host_context* around() const noexcept override;
  [[nodiscard]] std::string title() const override;

 private:
  class end_of_scope;

  friend void intrusive_ptr_add_ref(scope_core* s) noexcept {
    // A new reference comes from an old one, which keeps the object alive: nothing to order.
    s->references_.fetch_add(1, std::memory_order_relaxed);
  }
  friend void intrusive_ptr_release(scope_core* s) noexcept {
    // Release and acquire pair with one another: the deletion comes after all uses.
    if (s->references_.fetch_sub(1, std::memory_order_acq_rel) == 1) delete s;
  }

  void note_start(const task_state& task) noexcept override;
  void keep(task_state& failed) noexcept;
  void hand_on(task_state& failed) noexcept;
  /// One more, or less, of what the scope waits for: its tasks, and scopes in it that have some.
  void hold() noexcept;
  void release() noexcept;
  /// No task is left: the tasks that end() has made end, if that is still so.
  void tell_ends() noexcept;

  // Each task writes these two as it starts and ends. Of what follows it writes recent_ alone.
  alignas(64) std::atomic<std::int64_t> unfinished_{0};
  std::atomic<std::uint32_t> references_{0};
  [[maybe_unused]] std::byte rest_of_line_[64 - sizeof(unfinished_) - sizeof(references_)];
  const bool cancel_on_failure_;
  bool hands_on_at_once_ = false;
  runtime_core& core_;
  const boost::intrusive_ptr<scope_core> outer_;  // null in a runtime
  const task_label label_;
  recent_tasks recent_;
  // These three go from false to true. Most scopes end without a failure and before a thread comes
  // to wait: then no thread takes the guard. Sequentially consistent.
  std::atomic<bool> closed_{false};
  std::atomic<bool> may_have_end_{false};      // in ends_: set before unfinished_ is looked at
  std::atomic<bool> may_have_failure_{false};  // in first_: set before closed_ is looked at

  std::mutex guard_;                                        // for what follows
  std::array<boost::intrusive_ptr<end_of_scope>, 2> ends_;  // that a thread waits for: [tells]
  task_state_ptr first_;                                    // that failed, and was not looked at

  scope_stop own_stop_;  // last: it is told by others
};

}  // namespace hocket::detail
