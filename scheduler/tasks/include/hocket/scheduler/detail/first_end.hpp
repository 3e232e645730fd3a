// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include <hocket/scheduler/detail/continuation.hpp>
#include <hocket/scheduler/detail/task_state.hpp>

namespace hocket::detail {

class first_end;
using first_end_ptr = boost::intrusive_ptr<first_end>;

/// Attached to each of several tasks. The first one that ends is told to a first_end, which goes to
/// the ready_list of that end. The nodes live until all of the tasks have ended, and keep nothing
/// then.
class end_race {
 public:
  explicit end_race(std::size_t tasks);
  end_race(const end_race&) = delete;
  end_race& operator=(const end_race&) = delete;

  /// Attaches the nodes and gives up the caller's reference. told: a task of the end.
  static void begin(boost::intrusive_ptr<end_race> race, first_end_ptr told,
                    std::span<const task_state_ptr> sources) noexcept;

  /// Ends the race without a winner. Returns null if it has ended before.
  [[nodiscard]] first_end_ptr call_off() noexcept { return claim(); }

 private:
  struct node final : continuation {
    void run(task_state& source, ready_list& next) noexcept override;

    end_race* race = nullptr;
    std::size_t index = 0;
  };

  friend void intrusive_ptr_add_ref(end_race* of) noexcept {
    // A new reference comes from an old one, which keeps the object alive: nothing to order.
    of->references_.fetch_add(1, std::memory_order_relaxed);
  }
  friend void intrusive_ptr_release(end_race* of) noexcept {
    // Release and acquire pair with one another: the deletion comes after all uses.
    if (of->references_.fetch_sub(1, std::memory_order_acq_rel) == 1) delete of;
  }
  ~end_race() = default;

  /// The task that is to be told; null for all but the first caller.
  [[nodiscard]] first_end_ptr claim() noexcept;

  std::unique_ptr<node[]> nodes_;
  std::atomic<first_end*> told_{nullptr};  ///< counted; null once claimed
  std::atomic<std::size_t> references_{0};
};

/// A task that ends when the first of others does, and has as its value which one that is. It does
/// not fail as that one did, and fails only if it is cancelled before.
class first_end : public task_state {
 public:
  /// The context is that of one of the tasks that have not ended.
  explicit first_end(host_context* context) : task_state(context, "when_any") {}

  /// The end of one without a context that is attached to no task.
  void end_with(std::size_t index, task_state_ptr ended) noexcept;

  void request_cancel() noexcept override;

 protected:
  /// For the destructor: releases what take_kept() has returned. That may be the first_end before
  /// this one in a long chain, which is walked in a loop.
  static void release(task_state_ptr kept) noexcept;

 private:
  friend class end_race;
  friend class ready_list;

  /// Keeps a handle of the task, which has ended, as the value.
  virtual void keep(std::size_t index, task_state_ptr ended) noexcept = 0;
  /// The task of that handle; the value is gone then. Null if there is none. No other thread knows
  /// this any more.
  [[nodiscard]] virtual task_state_ptr take_kept() noexcept = 0;

  boost::intrusive_ptr<end_race> race_;  ///< null if it is attached to no task
  first_end* next_ended_ = nullptr;      ///< in a ready_list
};

/// Throws usage_error for a future without a task, for one that cannot be waited for, and if there
/// are none. Returns the index of the first task that has ended, or how many tasks there are.
[[nodiscard]] std::size_t find_ended(std::span<const task_state_ptr> sources);

/// The context of the first of the tasks that has one; null if all have ended.
[[nodiscard]] host_context* context_among(std::span<const task_state_ptr> sources) noexcept;

}  // namespace hocket::detail
