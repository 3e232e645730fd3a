// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <cstddef>

#include <boost/smart_ptr/intrusive_ptr.hpp>

namespace hocket::detail {

class first_end;
class host_task;
using first_end_ptr = boost::intrusive_ptr<first_end>;
using host_task_ptr = boost::intrusive_ptr<host_task>;

/// Tasks that have become ready, in that order, and are not on their way yet. The thread that ends
/// a task has one of these, so that long chains are walked in a loop and never by recursion.
class ready_list {
 public:
  ready_list() = default;
  ready_list(const ready_list&) = delete;
  ready_list& operator=(const ready_list&) = delete;
  ~ready_list() {
    if (!empty()) settle();
  }

  [[nodiscard]] bool empty() const noexcept { return first_ == nullptr && !has_unnotified(); }

  /// Takes over the reference that the machinery holds to a task until it has run.
  void add(host_task& ready) noexcept;

  /// The same of a task that was cancelled while it waited, and whose last predecessor has ended.
  void add_abandoned(host_task& over) noexcept;

  /// A when_any that has its value, and whose end is not announced yet.
  void add_ended(first_end_ptr over) noexcept;

  /// Notifies the former and announces the latter. In a loop too: there may be long chains of them.
  void let_leave() noexcept {
    if (has_unnotified()) let_all_leave();
  }

  /// Posts all of them; what is cheap or cannot run is ended at once, with what follows from it.
  void settle() noexcept;

  /// The same, but for one that the caller may run itself after the given task. Not if empty().
  [[nodiscard]] host_task_ptr settle_but_one(const host_task& after) noexcept;

 private:
  friend class task_starter;

  [[nodiscard]] bool has_unnotified() const noexcept {
    return abandoned_ != nullptr || last_ended_ != nullptr;
  }
  void let_all_leave() noexcept;
  [[nodiscard]] first_end_ptr take_ended() noexcept;
  [[nodiscard]] host_task_ptr settle_all_but_one(const host_task& after) noexcept;
  [[nodiscard]] host_task_ptr take() noexcept;
  /// It is not to be posted, but run, or ended, by the thread that has the list.
  [[nodiscard]] static bool runs_at_once(const host_task& ready) noexcept;

  host_task* first_ = nullptr;
  host_task* last_ = nullptr;
  host_task* abandoned_ = nullptr;
  first_end* last_ended_ = nullptr;  ///< leads to the first one
};

/// One thread's helping a task that it waits for.
struct helping {
  static constexpr std::size_t max_depth = 16;
  static constexpr std::size_t max_visits = 256;

  std::size_t depth = max_depth;    ///< how many more steps back to predecessors
  std::size_t visits = max_visits;  ///< how many more tasks may be looked at in vain
  ready_list next;
};

}  // namespace hocket::detail
