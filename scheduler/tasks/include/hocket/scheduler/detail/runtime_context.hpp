// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <atomic>
#include <cstddef>
#include <string>
#include <string_view>

#include <hocket/scheduler/detail/host_context.hpp>

namespace hocket {
struct device_handle;
}

namespace hocket::detail {

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

/// The context of the tasks of a runtime, and of the scopes in it.
class runtime_context : public host_context {
 public:
  /// It is among the live_runtimes from here on.
  runtime_context();
  ~runtime_context() override;

  // It does not end in between. See live_runtimes::user.
  virtual void use_begins() noexcept {}
  virtual void use_ends() noexcept {}

  /// The arena of a device that runs functions; throws usage_error for others. The name begins a
  /// sentence.
  [[nodiscard]] virtual std::size_t arena_of(const device_handle& device, const std::string& name);
  /// The arenas in turn.
  [[nodiscard]] std::size_t next_arena() noexcept;

  /// A worker has counted an end while a thread waits for the last.
  virtual void look_for_waiters(worker_record& /*by*/, after_end /*next*/) noexcept {}

  /// Called in a child process that was forked just now, before fork() returns there. No other
  /// thread exists, and threads of the parent may have held any lock.
  void forked() noexcept;
  /// Throws usage_error in a forked child. The name begins a sentence, which goes on with "is
  /// submitted".
  void check_not_forked(std::string_view what) const {
    if (is_forked_) refuse_forked(what);
  }

  /// True if take_place() is to be called before a task is submitted.
  [[nodiscard]] bool limits() const noexcept { return limits_; }
  /// Enters the gate, if there is one. Throws usage_error in a forked child.
  void take_place() {
    check_not_forked("A task");
    if (gate_ != nullptr) gate_->enter();
  }
  void give_place_back() noexcept {
    if (gate_ != nullptr) gate_->leave();
  }

  /// The stops of this and of all scopes in it.
  [[nodiscard]] std::atomic<std::uint64_t>& stops() noexcept { return stop_.stops(); }

 protected:
  void request_stop() noexcept { stop_.request(); }
  /// Before the first task.
  void set_gate(submission_gate& gate) noexcept {
    gate_ = &gate;
    limits_ = true;
  }

 private:
  [[noreturn]] static void refuse_forked(std::string_view what);

  runtime_stop stop_;
  submission_gate* gate_ = nullptr;
  bool limits_ = false;
  bool is_forked_ = false;  ///< set before the forked child has a second thread
  std::atomic<std::uint64_t> arenas_used_{0};
};

inline std::size_t host_context::arena_for_host_tasks() noexcept {
  return has_nodes_ ? home_.next_arena() : 0;
}

inline bool host_context::only_counted_end(after_end next) noexcept {
  if (!only_counts_) return false;
  worker_record* const by = caller();
  if (!counts_->try_end(by)) return false;
  // Another thread may not touch the runtime any more.
  if (by != nullptr && counts_->seems_awaited()) [[unlikely]]
    home_.look_for_waiters(*by, next);
  return true;
}

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
  runtime_context* limited_ = nullptr;
};

}  // namespace hocket::detail
