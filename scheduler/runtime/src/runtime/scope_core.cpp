// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "runtime/scope_core.hpp"

#include <cstdlib>
#include <memory>
#include <utility>

#include <hocket/execution/own_items.hpp>
#include <hocket/execution/stack_room.hpp>
#include <hocket/scheduler/detail/host_task.hpp>
#include <hocket/scheduler/detail/task_memory.hpp>

#include "runtime/runtime_core.hpp"
#include "runtime/wait_search.hpp"
#include "tasks/own_tasks.hpp"

namespace hocket::detail {

namespace {

/// Room for a scope at any alignment, and before that for the address of the room.
struct scope_room {
  std::array<void*, (sizeof(scope_core) + alignof(scope_core)) / sizeof(void*) + 1> bytes;
};

/// The failed task, or null if a thread has looked at it.
task_state_ptr if_unseen(const task_state_ptr& failed) {
  return failed == nullptr || failed->outcome().is_seen() ? nullptr : failed;
}

}  // namespace

/// Not one of the scope's tasks: it belongs to the runtime.
class scope_core::end_of_scope final : public task_state {
 public:
  explicit end_of_scope(scope_core& of) : task_state(&of.core_, "end of a scope"), scope_(&of) {}

  /// Runs a task of the scope that no worker has begun.
  bool help(helping& by) noexcept override { return scope_->recent_.help(by); }

  void end_with(const task_state_ptr& failed) noexcept {
    finish(failed == nullptr ? failure() : outcome().repeat(*failed));
  }

  void tell_awaited(wait_visitor& to) override {
    if (!done() && !scope_->ends_by_itself()) to.follow_all_of(*scope_);
  }
  [[nodiscard]] const host_context* ends_with() const noexcept override {
    return done() || scope_->ends_by_itself() ? nullptr : scope_.get();
  }

 private:
  boost::intrusive_ptr<scope_core> scope_;
};

scope_core::scope_core(runtime_core& home, scope_core* outer, const scope_options& options)
    : host_context(home, own_stop_),
      cancel_on_failure_(options.cancel_on_failure),
      core_(home),
      outer_(outer),
      label_(options.label),
      own_stop_(*this, outer != nullptr ? static_cast<host_context&>(*outer) : home) {}

scope_core::~scope_core() = default;

void* scope_core::operator new(std::size_t bytes, std::align_val_t alignment) {
  void* const room = task_memory::take_for<scope_room>();
  void* place = static_cast<void**>(room) + 1;
  std::size_t left = sizeof(scope_room) - sizeof(void*);
  if (std::align(static_cast<std::size_t>(alignment), bytes, place, left) == nullptr) std::abort();
  static_cast<void**>(place)[-1] = room;
  return place;
}

void scope_core::operator delete(void* scope, std::align_val_t /*alignment*/) noexcept {
  task_memory::give_back_for<scope_room>(static_cast<void**>(scope)[-1]);
}

void scope_core::help() noexcept {
  // A task that is run here may help in its turn.
  std::size_t while_others_are_due = 0;
  for (std::size_t helped = 0; !has_ended() && stack_has_room(); ++helped) {
    const bool others_are_due = other_items_are_due(helped);
    if (!others_are_due && help_one_of(*this)) continue;
    // As many as are kept: a worker that cannot be suspended may have to run them.
    if (others_are_due && while_others_are_due++ == recent_tasks::most) break;
    helping by;
    if (!recent_.help(by)) break;
  }
  drop_items_passed_over();
  if (!has_ended()) (void)where().look_until([this] { return has_ended(); });
}

bool scope_core::has_ended_well() {
  if (!has_ended()) return false;
  if (!may_have_failure_) return true;
  const std::lock_guard lock(guard_);
  return if_unseen(first_) == nullptr;
}

std::string scope_core::title() const {
  return label_.empty() ? "scope" : "scope \"" + std::string(label_.text()) + "\"";
}

void scope_core::note_start(const task_state& task) noexcept {
  hold();
  core_.started(task);
}

void scope_core::hold() noexcept {
  std::int64_t seen = unfinished_;
  while (seen != 0) {
    if (unfinished_.compare_exchange_weak(seen, seen + 1)) return;
  }
  // The outer scope counts this one once, while there is something in it: before others see that.
  if (outer_) outer_->hold();
  if (unfinished_.fetch_add(1) != 0 && outer_) outer_->release();
}

void scope_core::ended(task_state& task) noexcept {
  if (task.outcome().is_first_to_fail()) keep(task);
  release();
  // The runtime may be gone when it has heard of its last task.
  core_.one_ended(task);
}

void scope_core::release() noexcept {
  if (unfinished_.fetch_sub(1) != 1) return;
  // Either this sees that end() was called, or end() sees that no task is left.
  if (may_have_end_) tell_ends();
  if (outer_) outer_->release();
}

void scope_core::tell_ends() noexcept {
  decltype(ends_) due;
  task_state_ptr failed;
  {
    const std::lock_guard lock(guard_);
    // Others may have come since; a thread that waits then waits for them too.
    if (unfinished_ == 0) due.swap(ends_);
    failed = if_unseen(first_);
  }
  if (due[false]) due[false]->end_with(nullptr);
  if (due[true]) due[true]->end_with(failed);
}

void scope_core::keep(task_state& failed) noexcept {
  if (hands_on_at_once_) return hand_on(failed);
  task_state_ptr seen;
  bool closed = false;
  {
    const std::lock_guard lock(guard_);
    // Either this sees that the scope is closed, or close() sees that it may have a failure.
    may_have_failure_ = true;
    closed = closed_;
    const bool is_first = if_unseen(first_) == nullptr;
    if (!closed && is_first) seen = std::exchange(first_, &failed);
    // A thread that looks at the first one has not overlooked the others. They may have the very
    // same failure, which is not seen for that.
    if (!closed && !is_first) failed.outcome().leave_report();
  }
  if (closed) return hand_on(failed);
  if (cancel_on_failure_) own_stop_.request(scope_stop::reason::failed);
}

void scope_core::hand_on(task_state& failed) noexcept {
  if (outer_) {
    outer_->keep(failed);
  } else {
    core_.keep(failed);
  }
}

task_state_ptr scope_core::end(bool tells) {
  boost::intrusive_ptr<end_of_scope> made;
  task_state_ptr failed;
  {
    const std::lock_guard lock(guard_);
    if (ends_[tells]) return ends_[tells];
    made = make_task<end_of_scope>(0, *this);
    // Not in its constructor: only its maker knows how many bytes it holds.
    core_.started(*made);
    may_have_end_ = true;
    if (unfinished_ != 0) return ends_[tells] = made;
    if (tells) failed = if_unseen(first_);
  }
  made->end_with(failed);
  return made;
}

const host_context* scope_core::around() const noexcept {
  if (outer_) return outer_.get();
  return &home();
}

void scope_core::close() noexcept {
  own_stop_.close();
  closed_ = true;
  recent_.clear();
  if (!may_have_failure_) return;
  task_state_ptr failed;
  task_state_ptr first;
  {
    const std::lock_guard lock(guard_);
    failed = if_unseen(first_);
    first.swap(first_);
  }
  if (failed) hand_on(*failed);
}

}  // namespace hocket::detail
