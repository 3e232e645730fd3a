// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <atomic>
#include <stop_token>

#include <hocket/scheduler/detail/dependencies.hpp>
#include <hocket/scheduler/detail/host_context.hpp>
#include <hocket/scheduler/detail/host_options.hpp>
#include <hocket/scheduler/detail/ready_list.hpp>
#include <hocket/scheduler/detail/run_place.hpp>
#include <hocket/scheduler/detail/task_memory.hpp>
#include <hocket/scheduler/detail/task_state.hpp>

namespace hocket::detail {

/// A function that runs on the host once its predecessors have ended: one allocation, which holds
/// the function and its result too. It runs task to task on a counter, without locks.
///
/// This class holds what the task is; task_starter hands it over to the machinery, which then keeps
/// a reference, and task_runner runs it.
class host_task : public task_state {
 public:
  host_task(host_context* context, host_options&& options);
  /// Without options.
  explicit host_task(host_context& context)
      : task_state(&context), only_counts_(context.only_counts()), place_(context) {}
  /// The same in a runtime, where it is known what that does: run_inline() is for it.
  host_task(in_runtime mark, host_context& context, bool only_counts, bool has_nodes) noexcept
      : task_state(mark, context),
        only_counts_(only_counts),
        is_inline_(true),
        place_(context, has_nodes) {}

  [[nodiscard]] dependencies& before() noexcept { return before_; }
  [[nodiscard]] run_place& place() noexcept { return place_; }
  [[nodiscard]] const std::stop_token& stop() const noexcept { return stop_; }

  [[nodiscard]] std::uint32_t arena() const noexcept final { return place_.arena(); }
  [[nodiscard]] task_status status() const noexcept override;
  void request_cancel() noexcept override;
  bool help(helping& by) noexcept override;
  void tell_awaited(wait_visitor& to) override;
  [[nodiscard]] bool is_waiting() const noexcept override {
    return before_.count().waits() && !before_.count().is_claimed();
  }

  /// Time is up: cancels the task, or tells it to stop if it runs.
  virtual void time_out() noexcept;

 protected:
  // What the machinery calls, for each kind of task to do its own way.
  friend class ready_list;
  friend class task_runner;
  friend class task_starter;

  /// Calls the function and keeps its result; throws what it throws.
  virtual void execute() = 0;
  /// Destroys the function.
  virtual void discard() noexcept = 0;
  /// Tells the function that runs to end early.
  virtual void request_stop() noexcept {}
  [[nodiscard]] virtual bool stop_requested() const noexcept { return stop_.stop_requested(); }

  /// What became of the function, that has just thrown.
  [[nodiscard]] virtual failure explain_failure() noexcept;

  /// Why the task does not run, of which something that it waits for has failed; empty if it is to
  /// run nevertheless, which a look at what is held may show.
  [[nodiscard]] virtual failure failure_of_predecessors();

  /// All but one of the predecessors have ended. Called only where one arrival is no edge's.
  virtual void one_is_left(ready_list& /*next*/) noexcept {}

  /// The task was given up, and it is known why; it is not announced as yet.
  virtual void given_up(bool /*waited*/, ready_list& /*next*/) noexcept {}
  /// All predecessors have ended of a task that was, or is being, given up while it waited.
  virtual void abandoned(ready_list& /*next*/) noexcept {}

  /// The function has run, or will not.
  virtual void end(failure why, ready_list& next) noexcept;
  /// The same as end({}, next).
  virtual void end_well(ready_list& next) noexcept { end({}, next); }

  /// How a worker runs a function without options in a runtime: without a look at what it cannot
  /// have. Returns false, and has done nothing, if there is something in its way.
  [[nodiscard]] virtual bool run_inline(ready_list& /*next*/) noexcept { return false; }

 private:
  [[no_unique_address]] dependencies before_;
  std::atomic<bool> late_{false};  ///< its own deadline has passed
  bool gathers_ : 1 = false;       ///< see host_options
  bool only_counts_ : 1;           ///< as its context, which may be gone before an item is run
  bool is_inline_ : 1 = false;     ///< see run_inline()
  run_place place_;
  host_task* next_ready_ = nullptr;  ///< in a ready_list
  std::stop_token stop_;
};

inline void ready_list::add(host_task& ready) noexcept {
  (last_ == nullptr ? first_ : last_->next_ready_) = &ready;
  last_ = &ready;
}

inline bool ready_list::runs_at_once(const host_task& ready) noexcept {
  return ready.place_.is_immediate() || ready.before_.count().is_claimed() ||
         ready.before_.prevents_run();
}

/// Mostly there is one.
inline host_task_ptr ready_list::settle_but_one(const host_task& after) noexcept {
  if (has_unnotified() || first_ != last_) return settle_all_but_one(after);
  // What is inline waits for a worker, or finds out there why it is not to be run.
  const bool at_once = !first_->is_inline_ && runs_at_once(*first_);
  if (at_once || !first_->place_.may_come_after(after.place_)) return settle_all_but_one(after);
  host_task_ptr sole(first_, false);
  first_ = last_ = nullptr;
  sole->place_.prefer(after.place_.arena());
  return sole;
}

}  // namespace hocket::detail
