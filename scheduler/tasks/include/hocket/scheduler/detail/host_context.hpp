// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include <hocket/execution/executor.hpp>
#include <hocket/execution/worker_record.hpp>
#include <hocket/scheduler/detail/context_stop.hpp>
#include <hocket/scheduler/detail/task_count.hpp>
#include <hocket/scheduler/task_label.hpp>

namespace hocket::detail {

class host_trace;
class runtime_context;
class timer_queue;
class task_state;
class wait_checker;

/// Where it does not matter.
inline constexpr std::uint32_t no_arena = 0xffffffff;

/// What a thread does when it has counted the end of a task. A worker looks whether a thread waits
/// for the last end: at once where a user's code may come, such as the destructor of a result,
/// which may wait for that thread. Else it looks later: after the end of the next task that it has
/// at hand or takes, or when it makes its owed call.
enum class after_end : std::uint8_t {
  user_code,
  next_task  ///< nothing of a user's before its next task, or before it finds that there is none
};

/// Marks what is only for the context of a runtime, not for a scope.
struct in_runtime {};

/// What tasks need from the runtime they belong to, or from the scope in it. A runtime lives until
/// as many tasks have ended as were started; a task that has ended does not touch it. A scope is
/// kept by its tasks.
class host_context {
 public:
  host_context(const host_context&) = delete;
  host_context& operator=(const host_context&) = delete;
  virtual ~host_context() = default;

  /// The runtime: this, or what this is a scope in. It may be gone where a task has ended.
  [[nodiscard]] runtime_context& home() const noexcept { return home_; }
  [[nodiscard]] bool is_scope() const noexcept { return is_scope_; }

  /// Of a scope: one reference more, or less.
  virtual void kept() noexcept {}
  virtual void dropped() noexcept {}

  [[nodiscard]] executor& where() const noexcept { return *where_; }

  /// Where host tasks go that name no arena.
  [[nodiscard]] std::size_t arena_for_host_tasks() noexcept;

  /// False where all host tasks go to one arena, and nothing has to be preferred.
  [[nodiscard]] bool has_nodes() const noexcept { return has_nodes_; }

  /// The calling worker; null if it is none of where(). Not kept over a wait.
  [[nodiscard]] worker_record* caller() const noexcept { return current_worker(pool_); }

  /// One more task that has not ended.
  void started(const task_state& task) noexcept { started(task, caller()); }
  /// The same by caller().
  void started(const task_state& task, worker_record* by) noexcept {
    if (only_counts_) {
      counts_->start(by);
    } else {
      note_start(task);
    }
  }

  /// Of a scope: a thread that waits for the scope may run the task, which is about to be ready.
  virtual void offer(task_state& /*task*/) noexcept {}

  /// That task has ended: it is done and what was attached to it has been run. Its failure is kept
  /// until a thread has looked at it.
  virtual void ended(task_state& task) noexcept = 0;

  /// The same of one that ended well, if there is nothing to do but to count it; else returns
  /// false.
  [[nodiscard]] bool only_counted_end(after_end next) noexcept;

  /// True if there is nothing to do about tasks but to count them: no limit, no trace, no scope.
  [[nodiscard]] bool only_counts() const noexcept { return only_counts_; }

  /// What is asked before a thread waits for a task; null: nothing is.
  [[nodiscard]] wait_checker* waits() const noexcept { return waits_; }

  /// Of a scope: the scope that it is in, or the runtime.
  [[nodiscard]] virtual const host_context* around() const noexcept { return nullptr; }
  /// What this is, in the middle of a sentence.
  [[nodiscard]] virtual std::string title() const { return "all tasks of the runtime"; }

  /// Where it is noted when tasks ran; null: nowhere.
  [[nodiscard]] host_trace* trace() const noexcept { return trace_; }

  /// Whether tasks that have not started are to be cancelled.
  [[nodiscard]] context_stop& stop() const noexcept { return stop_; }

  /// Where tasks with a deadline are noted; null where there are none.
  [[nodiscard]] timer_queue* timers() const noexcept { return timers_; }

 protected:
  /// For a runtime, which sets the members below.
  host_context(in_runtime /*mark*/, runtime_context& home, context_stop& stop) noexcept
      : home_(home), stop_(stop) {}
  /// For a scope in it, which copies them.
  host_context(host_context& home, context_stop& stop) noexcept
      : home_(home.home_),
        stop_(stop),
        is_scope_(true),
        has_nodes_(home.has_nodes_),
        where_(home.where_),
        waits_(home.waits_),
        timers_(home.timers_),
        trace_(home.trace_),
        counts_(home.counts_),
        pool_(home.pool_) {}

  /// started(), where tasks are not only counted.
  virtual void note_start(const task_state& task) noexcept = 0;

 private:
  // Each task reads these members: they lie apart from those that threads write often.
  runtime_context& home_;
  context_stop& stop_;
  const bool is_scope_ = false;

 protected:
  // Fixed before the first task.
  bool only_counts_ = false;
  bool has_nodes_ = false;
  executor* where_ = nullptr;
  wait_checker* waits_ = nullptr;
  timer_queue* timers_ = nullptr;
  host_trace* trace_ = nullptr;
  task_count* counts_ = nullptr;  ///< of the runtime
  const void* pool_ = nullptr;    ///< of where_
};

}  // namespace hocket::detail
