// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>

#include <hocket/scheduler/detail/task_state.hpp>

namespace hocket::detail {

/// The tasks that were submitted last, so that a thread which waits for all of them can run those
/// that no worker has begun. A few references at most, whatever the number of tasks. Any thread;
/// the orderings are sequentially consistent.
class recent_tasks {
 public:
  static constexpr std::size_t most = 32;

  recent_tasks() = default;
  recent_tasks(const recent_tasks&) = delete;
  recent_tasks& operator=(const recent_tasks&) = delete;
  ~recent_tasks() { clear(); }

  void add(task_state& task) noexcept {
    intrusive_ptr_add_ref(&task);
    drop(kept_[added_.fetch_add(1) % most].exchange(&task));
  }

  void clear() noexcept {
    const std::size_t used = std::min<std::size_t>(added_, most);
    for (std::size_t i = 0; i < used; ++i) drop(kept_[i].exchange(nullptr));
  }

  /// Runs one of them here, the newest that can be run first. Returns whether there was one.
  [[nodiscard]] bool help(helping& by) noexcept {
    std::size_t newest = added_;
    const std::size_t used = std::min(newest, most);
    for (std::size_t i = 0; i < used; ++i) {
      std::atomic<task_state*>& place = kept_[--newest % most];
      // A look costs less than an exchange.
      if (place.load() == nullptr) continue;
      const task_state_ptr task(place.exchange(nullptr), false);
      if (task != nullptr && !task->done() && task->help(by)) return true;
    }
    return false;
  }

 private:
  static void drop(task_state* task) noexcept {
    if (task != nullptr) intrusive_ptr_release(task);
  }

  std::array<std::atomic<task_state*>, most> kept_{};
  std::atomic<std::size_t> added_{0};
};

}  // namespace hocket::detail
