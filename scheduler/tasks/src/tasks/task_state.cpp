// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <hocket/scheduler/detail/task_state.hpp>

#include <condition_variable>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include <hocket/execution/stack_room.hpp>
#include <hocket/scheduler/detail/host_context.hpp>
#include <hocket/scheduler/detail/host_task.hpp>
#include <hocket/scheduler/detail/task_memory.hpp>
#include <hocket/scheduler/detail/wait_checker.hpp>

#include "tasks/caught.hpp"
#include "tasks/live_runtimes.hpp"
#include "tasks/parked_wait.hpp"

namespace hocket::detail {

/// Where threads wait that may leave before the task has ended. All of them share one continuation,
/// so that asking again and again for a short time leaves nothing behind.
class waiting_room final : public continuation {
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

namespace {

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

/// What happened to a task, as the end of a sentence.
std::string what_happened(const task_state& task) {
  const std::string name = task.name();
  const std::string message = task.error().message();
  if (message.starts_with(name)) return in_a_sentence(message);
  return in_a_sentence(name) + " failed: " + message;
}

/// Longer chains are told by their ends, so that the millionth message is no longer than the tenth.
constexpr std::uint32_t longest_told_chain = 8;

}  // namespace

void task_state::drop_room() noexcept { delete room_.load(); }

std::string task_state::name() const { return task_name(label_text()); }

void task_state::destroy() noexcept {
  // No other thread has this any more: relaxed.
  if (!leaves_nothing_ || room_.load(std::memory_order_relaxed) != nullptr) return destroy_all();
  task_memory::give_back(this, block_);
}

void task_state::destroy_all() noexcept {
  if (block_ == 0) {
    delete this;
    return;
  }
  const std::uint8_t block = block_;
  this->~task_state();
  task_memory::give_back(this, block);
}

void task_state::finish(failure why) noexcept {
  ready_list next;
  finish(std::move(why), next);
}

void task_state::announce(ready_list& next) noexcept {
  // The context goes away when it has heard of the last end, not before.
  host_context* const context = context_;
  tell(continuations_.close_as_pushed(), next);
  if (context == nullptr || (!why_ && context->only_counted_end(after_end::user_code))) return;
  context->ended(*this);
}

void task_state::tell(continuation* newest, ready_list& next) noexcept {
  continuation* node = decltype(continuations_)::oldest_first(newest);
  while (node != nullptr) {
    continuation* const newer = node->link;
    node->run(*this, next);
    node = newer;
  }
}

void task_state::check_continuable() const {
  check_waitable();
  if (context_ == nullptr) return;
  // The runtime of a task that is pending is there.
  if (done() && !live_runtimes::contains(home())) {
    throw usage_error(name() +
                      " is to be continued after its runtime has gone; what it has returned can "
                      "still be read.");
  }
  home()->check_not_forked("A continuation");
}

bool task_state::help(helping&) noexcept { return false; }

std::size_t task_state::held_bytes() const noexcept {
  // What was made by new has no closure, and nothing behind it.
  constexpr std::size_t made_by_new = 256;
  return block_ == 0 ? made_by_new : task_memory::size_of(this, block_);
}

void task_state::check_waitable() const {
  if (const std::string_view reason = not_waitable(); !reason.empty()) {
    throw usage_error(name() + " " + std::string(reason));
  }
}

void task_state::wait() {
  if (!done()) {
    check_waitable();
    // Helping runs the task on this stack, where it may wait in its turn.
    while (!done() && stack_has_room()) {
      helping by;
      if (!help(by)) break;
    }
    host_task::drop_items_passed_over();
    if (!done()) park();
  }
  look();
}

void task_state::wait_without_executor() noexcept {
  class flag final : public continuation {
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
  } at_end;
  if (attach(at_end)) at_end.wait();
}

bool task_state::wait_for(nanoseconds duration) {
  if (!done()) {
    check_waitable();
    if (duration <= nanoseconds::zero() || context_ == nullptr) return false;
    const live_runtimes::user uses(home());
    if (!uses) return true;  // with the runtime the task has ended, a moment ago
    const time_stamp now = context_->where().now();
    const bool forever = duration >= time_stamp::max() - now;
    if (!park_until(forever ? time_stamp::max() : now + duration)) return false;
  }
  look();
  return true;
}

host_context& task_state::context_to_wait_in(parked_wait& by) {
  if (context_ == nullptr) {
    throw usage_error(name() + " is waited for, but no runtime will ever run it.");
  }
  if (wait_checker* const waits = context_->waits()) waits->check(*this, by);
  return *context_;
}

waiting_room& task_state::room() {
  // Release and acquire: a thread that finds a room finds it complete.
  waiting_room* present = room_.load(std::memory_order_acquire);
  if (present != nullptr) return *present;
  auto fresh = std::make_unique<waiting_room>();
  if (!room_.compare_exchange_strong(present, fresh.get(), std::memory_order_acq_rel,
                                     std::memory_order_acquire)) {
    return *present;
  }
  waiting_room& made = *fresh.release();
  ready_list none;
  if (!attach(made)) made.run(*this, none);
  return made;
}

bool task_state::park_until(time_stamp until) {
  parked_wait by(*this);
  if (until != time_stamp::max()) by.is_limited();
  executor& where = context_to_wait_in(by).where();
  return park_until(until, where);
}

bool task_state::park_until(time_stamp until, executor& where) {
  std::shared_ptr<executor::gate> own;
  const auto arm = [this, &own](std::shared_ptr<executor::gate> gate) {
    own = std::move(gate);
    room().enter(own);
  };
  if (where.wait(arm, until)) return true;
  room().leave(own);
  return done();
}

/// For a set of tasks to which others may add one behind a view that the caller holds.
void task_state::park_and_check(parked_wait& by) {
  // Of a task that has ended the runtime may be gone, but not before the caller has seen the end.
  executor& where = context_->where();
  constexpr nanoseconds time_between_checks = std::chrono::milliseconds(50);
  wait_checker& waits = *context_->waits();
  while (!park_until(where.now() + time_between_checks, where)) waits.check_again(by);
}

void task_state::park() {
  const live_runtimes::user uses(home());
  if (!uses && context_ != nullptr) return;  // with the runtime the task has ended, a moment ago
  if (context_ != nullptr && context_->where().look_until([this] { return done(); })) return;
  parked_wait by(*this);
  executor& where = context_to_wait_in(by).where();
  if (by.is_to_be_checked_again() && !where.is_virtual()) return park_and_check(by);
  const auto arm = [this](std::shared_ptr<executor::gate> gate) {
    auto opener = std::make_unique<gate_opener>(gate);
    if (attach(*opener)) {
      (void)opener.release();
    } else {
      gate->open();
    }
  };
  (void)where.wait(arm);
}

void task_state::look() noexcept {
  looked_ = true;
  why_.mark_seen();
  if (root_) root_->looked_ = true;
}

failure task_state::downfall(task_state& predecessor) {
  comes_after(predecessor);
  return told_downfall(predecessor);
}

void task_state::comes_after(task_state& predecessor) noexcept {
  root_ = &predecessor.root();
  distance_ = predecessor.distance_ + 1;
}

failure task_state::told_downfall(task_state& predecessor) const {
  std::string reason = what_happened(predecessor);
  if (predecessor.distance_ >= longest_told_chain) {
    reason = in_a_sentence(predecessor.name()) + " did not run, because " +
             std::to_string(predecessor.distance_ - 1) + " tasks before it did not run, because " +
             what_happened(predecessor.root());
  }
  return {failure_code::dependency_failed, name() + " did not run, because " + reason};
}

failure task_state::same_failure(task_state& other) {
  root_ = &other.root();
  distance_ = other.distance_;
  return other.error();
}

}  // namespace hocket::detail
