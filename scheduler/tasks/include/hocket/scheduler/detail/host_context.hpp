// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <stop_token>
#include <string>
#include <string_view>

#include <hocket/core/error.hpp>
#include <hocket/core/ids.hpp>
#include <hocket/execution/executor.hpp>
#include <hocket/execution/worker_record.hpp>
#include <hocket/scheduler/detail/task_count.hpp>
#include <hocket/scheduler/task_label.hpp>

namespace hocket {
struct device_handle;
}

namespace hocket::detail {

class host_trace;
class timer_queue;
class task_state;
class wait_checker;

/// Where it does not matter.
inline constexpr std::uint32_t no_arena = 0xffffffff;

/// What a thread does when it has counted the end of a task. A worker looks whether a thread waits
/// for the last end: at once where a user's code may come, such as the destructor of a result,
/// which may wait for that thread. Else it may look later: after the end of the next task that it
/// has at hand or takes, or when it makes its owed call.
enum class after_end : std::uint8_t {
  user_code,
  next_item,  ///< nothing of a user's before it takes its next item
  next_task   ///< the same, and it has a task at hand
};

/// Marks what is only for the context of a runtime, not for a scope.
struct in_runtime {};

/// Where a thread takes a place among the pending tasks of a runtime that has a limit, before it
/// submits one.
class submission_gate {
 public:
  /// May wait, or throw error.
  virtual void enter() = 0;
  /// The task itself counts now, or was not submitted.
  virtual void leave() noexcept = 0;

 protected:
  ~submission_gate() = default;
};

/// What tasks need from the runtime they belong to, or from the scope in it. A runtime lives until
/// as many tasks have ended as were started; a task that has ended does not touch it. A scope is
/// kept by its tasks.
class host_context {
 public:
  /// Of a runtime, which is among the live_runtimes from here on.
  host_context();
  host_context(const host_context&) = delete;
  host_context& operator=(const host_context&) = delete;
  virtual ~host_context();

  /// Of a runtime: it does not end in between. See live_runtimes::user.
  virtual void use_begins() noexcept {}
  virtual void use_ends() noexcept {}

  /// The runtime: this, or what this is a scope in. It may be gone where a task has ended.
  [[nodiscard]] host_context& home() const noexcept { return *home_; }
  [[nodiscard]] bool is_scope() const noexcept { return home_ != this; }

  /// Of a scope: one reference more, or less.
  virtual void kept() noexcept {}
  virtual void dropped() noexcept {}

  [[nodiscard]] executor& where() const noexcept { return *where_; }

  /// Where host tasks go that name no arena.
  [[nodiscard]] std::size_t arena_for_host_tasks() noexcept {
    return has_nodes_ ? home_->next_arena() : 0;
  }

  /// False where all host tasks go to one arena, and nothing has to be preferred.
  [[nodiscard]] bool has_nodes() const noexcept { return has_nodes_; }

  /// Of a runtime: the arena of a device that runs functions; throws usage_error for others. The
  /// name begins a sentence.
  [[nodiscard]] virtual std::size_t arena_of(const device_handle& device, const std::string& name);

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
  /// See after_end.
  [[nodiscard]] bool only_counted_end(after_end next) noexcept {
    if (!only_counts_) return false;
    worker_record* const by = caller();
    if (!counts_->try_end(by)) return false;
    // Another thread may not touch the runtime any more.
    if (by != nullptr && counts_->seems_awaited()) [[unlikely]]
      look_for_waiters(*by, next);
    return true;
  }

  /// Of a runtime: a worker has counted an end while a thread waits for the last.
  virtual void look_for_waiters(worker_record& /*by*/, after_end /*next*/) noexcept {}

  /// True if there is nothing to do about tasks but to count them: no limit, no trace, no scope.
  [[nodiscard]] bool only_counts() const noexcept { return only_counts_; }

  /// What is asked before a thread waits for a task; null: nothing is.
  [[nodiscard]] wait_checker* waits() const noexcept { return waits_; }

  /// Of a scope: the scope that it is in, or the runtime.
  [[nodiscard]] virtual const host_context* around() const noexcept { return nullptr; }
  /// What this is, in the middle of a sentence.
  [[nodiscard]] virtual std::string title() const { return "all tasks of the runtime"; }

  /// True if ran() is to be called for tasks.
  [[nodiscard]] bool traces() const noexcept { return trace_ != nullptr; }

  /// The function of the task of this name ran from begin, in ticks of where(), until now.
  void ran(const task_label& task, std::int64_t begin) noexcept;

  /// Of a runtime: called in a child process that was forked just now, before fork() returns there.
  /// No other thread exists, and threads of the parent may have held any lock.
  void forked() noexcept;

  /// Of a runtime: throws usage_error in a forked child. The name begins a sentence, which goes on
  /// with "is submitted".
  void check_not_forked(std::string_view what) const {
    if (is_forked_) refuse_forked(what);
  }

  /// Of a runtime: true if take_place() is to be called before a task is submitted.
  [[nodiscard]] bool limits() const noexcept { return limits_; }

  /// Of a runtime: enters its gate, if it has one. Throws usage_error in a forked child.
  void take_place() {
    check_not_forked("A task");
    if (gate_ != nullptr) gate_->enter();
  }
  void give_place_back() noexcept {
    if (gate_ != nullptr) gate_->leave();
  }

  /// True if the runtime stops, or the scope or one around it: tasks that have not started are
  /// cancelled then. Only while the runtime lives.
  [[nodiscard]] bool is_stopping() const noexcept {
    // Sequentially consistent: pairs with count_stop().
    const std::uint64_t stops = home_->stops_;
    // Relaxed: a hint, that no earlier stop was one of this.
    return stops != others_stops_.load(std::memory_order_relaxed) && look_for_stop(stops);
  }

  /// Stop is requested when is_stopping() becomes true, and of a scope's also when it is stopped
  /// afterwards. That of a scope is made when it is first asked for: throws std::bad_alloc.
  [[nodiscard]] const std::stop_token& stopping() {
    // Acquire: pairs with the release in make_token().
    const std::stop_token* const made = token_.load(std::memory_order_acquire);
    return made != nullptr ? *made : make_token();
  }

  /// When is_stopping() is true: how a task fails that did not start because of it.
  [[nodiscard]] virtual failure refusal_of(const task_state& task) const;

  /// True if it is stopping because time is up.
  [[nodiscard]] virtual bool is_late() const noexcept { return false; }

  /// Where tasks with a deadline are noted; null where there are none.
  [[nodiscard]] timer_queue* timers() const noexcept { return timers_; }

 protected:
  /// For a scope.
  explicit host_context(host_context& home)
      : home_(&home),
        where_(home.where_),
        waits_(home.waits_),
        timers_(home.timers_),
        trace_(home.trace_),
        counts_(home.counts_),
        pool_(home.pool_),
        has_nodes_(home.has_nodes_) {}

  /// started(), where tasks are not only counted.
  virtual void note_start(const task_state& task) noexcept = 0;

  /// is_stopping(), by a look at this and at what is around it.
  [[nodiscard]] virtual bool was_stopped() const noexcept { return source_.stop_requested(); }
  /// The runtime or a scope in it was stopped: is_stopping() of each has to look anew.
  void count_stop() noexcept { home_->stops_.fetch_add(1); }
  /// Of a runtime.
  void request_stop() noexcept {
    source_.request_stop();
    count_stop();
  }

  /// Of a scope: makes the token, and sets token_.
  [[nodiscard]] virtual const std::stop_token& make_token() { return own_token_; }

  /// The token that stopping() returns; null if a scope has made none.
  std::atomic<const std::stop_token*> token_{nullptr};

  // Each task reads these members: they lie apart from those that threads write often.
 private:
  host_context* const home_;
  std::atomic<std::uint64_t> stops_{0};  ///< of a runtime: in it and its scopes
  /// So many of them were not of this, nor of what is around it.
  mutable std::atomic<std::uint64_t> others_stops_{0};

 protected:
  // Fixed before the first task.
  executor* where_ = nullptr;
  wait_checker* waits_ = nullptr;
  timer_queue* timers_ = nullptr;
  host_trace* trace_ = nullptr;
  submission_gate* gate_ = nullptr;
  task_count* counts_ = nullptr;  ///< of the runtime
  const void* pool_ = nullptr;    ///< of where_
  bool only_counts_ = false;
  bool limits_ = false;
  bool has_nodes_ = false;

 private:
  [[noreturn]] static void refuse_forked(std::string_view what);

  /// The arenas in turn. Not inline: most machines have one, and callers stay short.
  [[nodiscard]] std::size_t next_arena() noexcept;

  [[nodiscard]] bool look_for_stop(std::uint64_t stops) const noexcept;

  std::atomic<std::uint64_t> arenas_used_{0};
  bool is_forked_ = false;                     ///< set before the forked child has a second thread
  std::stop_source source_{std::nostopstate};  ///< of a runtime
  std::stop_token own_token_;                  ///< of source_
};

/// A place among the pending tasks of a runtime, while one is submitted. Without a limit, or
/// without a context, it is nothing.
class pending_place {
 public:
  explicit pending_place(const host_context* context) {
    if (context == nullptr || !context->home().limits()) return;
    context->home().take_place();
    limited_ = &context->home();
  }
  pending_place(const pending_place&) = delete;
  pending_place& operator=(const pending_place&) = delete;
  ~pending_place() {
    if (limited_ != nullptr) limited_->give_place_back();
  }

 private:
  host_context* limited_ = nullptr;
};

}  // namespace hocket::detail
