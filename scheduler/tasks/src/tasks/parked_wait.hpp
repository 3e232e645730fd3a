// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <cstdint>
#include <memory>

#include <boost/container/small_vector.hpp>

#include <hocket/scheduler/detail/task_state.hpp>

namespace hocket::detail {

class host_context;
class parked_wait;

/// Where waits are noted.
class wait_registry {
 public:
  virtual void remove(parked_wait& by) noexcept = 0;

 protected:
  ~wait_registry() = default;
};

/// A stack that is about to wait, until it goes on: which tasks it works on meanwhile, and what it
/// waits for. It lies on that stack.
class parked_wait {
 public:
  /// For one task.
  explicit parked_wait(task_state& task) noexcept : task_(&task) {}
  /// For all tasks of a scope or of a runtime.
  explicit parked_wait(const host_context& all_of) noexcept : all_of_(&all_of) {}
  parked_wait(const parked_wait&) = delete;
  parked_wait& operator=(const parked_wait&) = delete;
  ~parked_wait() {
    if (in_ != nullptr) in_->remove(*this);
  }

  /// The wait ends by itself: what waits for this stack does not wait for ever.
  void is_limited() noexcept { limited_ = true; }

  /// True if what could keep the wait from ever ending may come while the stack waits already: it
  /// holds a view and waits for a set of tasks, to which others may add one behind that view.
  [[nodiscard]] bool is_to_be_checked_again() const noexcept {
    return holds_view_ && all_of_ != nullptr;
  }
  /// The task that is waited for stands for all of these.
  void stands_for(const host_context& all_of) noexcept { all_of_ = &all_of; }

 private:
  friend class wait_graph;
  friend class wait_search;

  task_state* task_ = nullptr;
  const host_context* all_of_ = nullptr;
  bool limited_ = false;
  bool holds_view_ = false;
  std::uint64_t stack_ = 0;
  boost::container::small_vector<task_state*, 4> working_on_;
  boost::container::small_vector<const host_context*, 4> within_;  ///< scopes of those
  std::shared_ptr<wait_registry> in_;                              ///< null: it is in none
};

}  // namespace hocket::detail
