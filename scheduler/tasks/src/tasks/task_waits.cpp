// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <hocket/scheduler/detail/task_waits.hpp>

#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include <hocket/execution/stack_room.hpp>
#include <hocket/scheduler/detail/ready_list.hpp>
#include <hocket/scheduler/detail/task_state.hpp>
#include <hocket/scheduler/detail/wait_checker.hpp>

#include "tasks/caught.hpp"
#include "tasks/live_runtimes.hpp"
#include "tasks/own_tasks.hpp"
#include "tasks/parked_wait.hpp"

namespace hocket::detail {

namespace {

/// Where threads wait that may leave before the task has ended. All of them share one continuation,
/// so that asking again and again for a short time leaves nothing behind.
class waiting_room final : public continuation, public added_part {
 public:
  void run(task_state& /*source*/, ready_list& /*next*/) noexcept override {
    std::vector<std::shared_ptr<executor::gate>> waiting;
    {
      const std::lock_guard lock(mutex_);
      open_ = true;
      waiting.swap(gates_);
    }
    for (const auto& gate : waiting) gate->open();
  }

  void enter(const std::shared_ptr<executor::gate>& gate) {
    {
      const std::lock_guard lock(mutex_);
      if (!open_) {
        gates_.push_back(gate);
        return;
      }
    }
    gate->open();
  }

  void leave(const std::shared_ptr<executor::gate>& gate) {
    const std::lock_guard lock(mutex_);
    std::erase(gates_, gate);
  }

 private:
  std::mutex mutex_;
  bool open_ = false;
  std::vector<std::shared_ptr<executor::gate>> gates_;
};

/// That of the task, made when a thread first asks.
waiting_room& room_of(task_state& task) {
  if (task.added() == nullptr) {
    auto fresh = std::make_unique<waiting_room>();
    waiting_room& made = *fresh;
    if (task.add(std::move(fresh))) {
      ready_list none;
      if (!task.attach(made)) made.run(task, none);
    }
  }
  return static_cast<waiting_room&>(*task.added());
}

/// Opens the gate that a thread waits at.
class gate_opener final : public continuation {
 public:
  explicit gate_opener(std::shared_ptr<executor::gate> gate) : gate_(std::move(gate)) {}
  void run(task_state&, ready_list&) noexcept override {
    gate_->open();
    delete this;
  }

 private:
  std::shared_ptr<executor::gate> gate_;
};

host_context& context_to_wait_in(task_state& task, parked_wait& by) {
  host_context* const context = task.context();
  if (context == nullptr) {
    throw usage_error(task.name() + " is waited for, but no runtime will ever run it.");
  }
  if (wait_checker* const waits = context->waits()) waits->check(task, by);
  return *context;
}

bool park_until(task_state& task, time_stamp until, executor& where) {
  std::shared_ptr<executor::gate> own;
  const auto arm = [&task, &own](std::shared_ptr<executor::gate> gate) {
    own = std::move(gate);
    room_of(task).enter(own);
  };
  if (where.wait(arm, until)) return true;
  room_of(task).leave(own);
  return task.done();
}

/// For a set of tasks to which others may add one behind a view that the caller holds.
void park_and_check(task_state& task, parked_wait& by) {
  // Of a task that has ended the runtime may be gone, but not before the caller has seen the end.
  executor& where = task.context()->where();
  constexpr nanoseconds time_between_checks = std::chrono::milliseconds(50);
  wait_checker& waits = *task.context()->waits();
  while (!park_until(task, where.now() + time_between_checks, where)) waits.check_again(by);
}

void park(task_state& task) {
  host_context* const context = task.context();
  const live_runtimes::user uses(task.home());
  if (!uses && context != nullptr) return;  // with the runtime the task has ended, a moment ago
  if (context != nullptr && context->where().look_until([&task] { return task.done(); })) return;
  parked_wait by(task);
  executor& where = context_to_wait_in(task, by).where();
  if (by.is_to_be_checked_again() && !where.is_virtual()) return park_and_check(task, by);
  const auto arm = [&task](std::shared_ptr<executor::gate> gate) {
    auto opener = std::make_unique<gate_opener>(gate);
    if (task.attach(*opener)) {
      (void)opener.release();
    } else {
      gate->open();
    }
  };
  (void)where.wait(arm);
}

/// Wakes a thread that stands still until then.
class end_signal final : public continuation {
 public:
  void run(task_state& /*source*/, ready_list& /*next*/) noexcept override {
    // The waiting thread may go on, and this be gone, as soon as the guard is free.
    const std::lock_guard lock(guard_);
    ended_ = true;
    changed_.notify_one();
  }
  void wait() {
    std::unique_lock lock(guard_);
    changed_.wait(lock, [this] { return ended_; });
  }

 private:
  std::mutex guard_;
  std::condition_variable changed_;
  bool ended_ = false;
};

}  // namespace

void wait_for_end(task_state& task) {
  if (!task.done()) {
    check_waitable(task);
    // Helping runs the task on this stack, where it may wait in its turn.
    while (!task.done() && stack_has_room()) {
      helping by;
      if (!task.help(by)) break;
    }
    drop_items_passed_over();
    if (!task.done()) park(task);
  }
  task.outcome().look();
}

bool wait_for_end(task_state& task, nanoseconds duration) {
  if (!task.done()) {
    check_waitable(task);
    host_context* const context = task.context();
    if (duration <= nanoseconds::zero() || context == nullptr) return false;
    const live_runtimes::user uses(task.home());
    if (!uses) return true;  // with the runtime the task has ended, a moment ago
    const time_stamp now = context->where().now();
    const bool forever = duration >= time_stamp::max() - now;
    parked_wait by(task);
    if (!forever) by.is_limited();
    executor& where = context_to_wait_in(task, by).where();
    if (!park_until(task, forever ? time_stamp::max() : now + duration, where)) return false;
  }
  task.outcome().look();
  return true;
}

void wait_without_executor(task_state& task) noexcept {
  end_signal at_end;
  if (task.attach(at_end)) at_end.wait();
}

void refuse_taken(const task_state& task) {
  throw usage_error("The value of " + in_a_sentence(task.name()) +
                    " is gone: take() has moved it out. Only the first take() of a task has its "
                    "value, and no get() or continuation after it.");
}

void check_waitable(const task_state& task) {
  if (const std::string_view reason = task.not_waitable(); !reason.empty()) {
    throw usage_error(task.name() + " " + std::string(reason));
  }
}

void check_readable(task_state& task) {
  check_waitable(task);
  if (task.outcome().is_taken()) refuse_taken(task);
}

void check_continuable(const task_state& task) {
  check_waitable(task);
  if (task.context() == nullptr) return;
  // The runtime of a task that is pending is there.
  if (task.done() && !live_runtimes::contains(task.home())) {
    throw usage_error(task.name() +
                      " is to be continued after its runtime has gone; what it has returned can "
                      "still be read.");
  }
  task.context()->home().check_not_forked("A continuation");
}

}  // namespace hocket::detail
