// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>

#include <boost/smart_ptr/intrusive_ptr.hpp>

#include <hocket/core/access.hpp>
#include <hocket/core/error.hpp>
#include <hocket/core/ids.hpp>
#include <hocket/execution/executor.hpp>
#include <hocket/scheduler/detail/description.hpp>
#include <hocket/scheduler/detail/lent_memory.hpp>
#include <hocket/scheduler/detail/runtime_context.hpp>
#include <hocket/scheduler/host_view.hpp>

#include "data/held_view.hpp"
#include "tasks/zero_wait.hpp"

namespace hocket::detail {

class in_place_runtime;

/// A runtime as its buffers, views and tasks with data see it, wherever those run.
class data_runtime : public runtime_context, public std::enable_shared_from_this<data_runtime> {
 public:
  [[nodiscard]] bool is_open() const noexcept { return open_; }

  /// Among all runtimes of the process, from 1 on: what its device handles have of it.
  [[nodiscard]] std::uint64_t number() const noexcept { return number_; }

  /// For buffers, tasks and budgets: each number is given once.
  [[nodiscard]] std::uint64_t next_number() noexcept { return next_numbers(1); }
  /// The first of so many.
  [[nodiscard]] std::uint64_t next_numbers(std::uint64_t count) noexcept {
    return numbers_.fetch_add(count);
  }

  // The runtime does not end between the two calls.
  void use_begins() noexcept final { uses_.fetch_add(1); }
  void use_ends() noexcept final { one_less(uses_); }
  void submission_made() noexcept { submissions_.fetch_add(1); }
  void submission_gone() noexcept { one_less(submissions_); }

  /// Throws usage_error as submitter::submit does.
  [[nodiscard]] virtual task_state_ptr launch(task_description&& task) = 0;

  /// Null if tasks are placed. Connects the devices if no task has done so.
  [[nodiscard]] virtual in_place_runtime* in_place() = 0;

  /// The memory that programs have lent to the runtime.
  [[nodiscard]] const std::shared_ptr<lent_ranges>& lent() const noexcept { return lent_; }

  // Of a runtime whose tasks are placed.
  /// lent: memory of the program that the buffer lies over; null: none.
  virtual void add_data(const buffer_state& data, lent_memory_ptr lent) = 0;
  virtual void drop_data(data_id data) noexcept = 0;
  [[nodiscard]] virtual std::unique_ptr<open_host_view> open_placed_view(const region_ref& what,
                                                                         access_mode mode,
                                                                         view_span span) = 0;
  virtual void cancel_placed(task_id task, failure why) = 0;
  /// Learns of ends on the stream in the calling thread, which waits for the task. Returns whether
  /// it has ended. Between use_begins() and use_ends().
  virtual bool poll(const task_state& task, stream_id on) noexcept = 0;

  /// Where views are noted while stacks hold them.
  [[nodiscard]] virtual view_registry& views() noexcept = 0;

  /// No stack holds the view any more, and the runtime may end before the view does. Returns false
  /// if the end of the runtime has closed the view.
  [[nodiscard]] bool detach(const held_view& view);
  void close_detached(const held_view& view) noexcept;

 protected:
  data_runtime() noexcept;

  /// To be called by the end of the runtime when its tasks have ended. If views are detached, the
  /// runtime keeps itself, end_later() is called after the last of them, and true is returned.
  [[nodiscard]] bool is_kept_by_views();
  /// Detached views that are open.
  [[nodiscard]] bool has_detached_views();
  /// Ends the runtime, whose owner has let go of it before. The caller may be in a step of the
  /// placement engine.
  virtual void end_later(std::shared_ptr<data_runtime>&& self) noexcept = 0;

  /// Nothing keeps the runtime from ending. Under the lock of ends_.
  [[nodiscard]] bool is_idle() const noexcept {
    return own_counts_.unfinished() == 0 && submissions_ == 0 && uses_ == 0;
  }
  /// Waits until reached(), which looks at the counts. check, if there is one, is called now and
  /// again while it is waited, and may throw.
  void wait_until(const std::function<bool()>& reached,
                  const std::function<void()>& check = nullptr);

  /// A task has ended. The caller touches the runtime no more.
  void one_task_less() noexcept {
    worker_record* const by = caller();
    if (own_counts_.try_end(by)) {
      // Another thread may not touch the runtime any more.
      if (by != nullptr && own_counts_.seems_awaited()) look_at_counts();
      return;
    }
    ends_.look([this] { return own_counts_.unfinished() == 0; },
               [this] { own_counts_.end_awaited(); });
  }
  /// Adds all counts up only where nothing follows that does: it would cost each task of a worker
  /// as much as there are workers, while a thread waits.
  void look_for_waiters(worker_record& by, after_end next) noexcept final {
    if (next == after_end::user_code) return look_at_counts();
    by.owes_call = true;  // at the latest when the worker looks for an item and finds none
  }
  /// Called by a worker that has run out of items, or owes it: wakes those that wait if all tasks
  /// have ended.
  void look_at_counts() noexcept {
    if (!own_counts_.is_awaited() || own_counts_.unfinished() != 0) return;
    ends_.look([this] { return own_counts_.unfinished() == 0; }, [] {});
  }

  /// Wakes those that wait in ends_ when the count comes to zero.
  void one_less(std::atomic<std::int64_t>& count) noexcept { ends_.one_less(count); }

  std::atomic<bool> open_{true};
  task_count own_counts_;

 private:
  std::atomic<std::int64_t> submissions_{0};
  std::atomic<std::int64_t> uses_{0};
  zero_wait<std::shared_ptr<executor::gate>> ends_;
  const std::uint64_t number_;
  std::atomic<std::uint64_t> numbers_{0};
  const std::shared_ptr<lent_ranges> lent_ = std::make_shared<lent_ranges>();

  std::mutex guard_of_detached_;  // for what follows
  std::size_t detached_ = 0;      ///< views
  std::shared_ptr<data_runtime> kept_;
};

}  // namespace hocket::detail
