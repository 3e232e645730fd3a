// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include <boost/container/small_vector.hpp>
#include <boost/smart_ptr/intrusive_ptr.hpp>

#include <hocket/core/ids.hpp>
#include <hocket/scheduler/detail/task_state.hpp>
#include <hocket/scheduler/pending.hpp>

namespace hocket::placement {
class engine;
}

namespace hocket::detail {

class wait_graph;
class wait_listing;

/// A host view that is open. It is held by the stack that opened it.
struct held_view {
  task_id id = {};           ///< of a placed view
  task_state_ptr node = {};  ///< of one without placement: a view_node
  std::uint64_t holder = 0;  ///< its stack_number()
  std::string label = {};    ///< of the buffer

  [[nodiscard]] bool is_same(const held_view& other) const noexcept {
    return id == other.id && node == other.node;
  }
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
  ~parked_wait();

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
  std::shared_ptr<wait_graph> in_;                                 ///< null: it is in none
};

/// Who waits for what in a runtime, as far as stacks that wait and open views are concerned; the
/// tasks know the rest. Nothing is entered for tasks that merely run. It may outlive the runtime,
/// for those that are still about to leave it.
class wait_graph : public std::enable_shared_from_this<wait_graph> {
 public:
  explicit wait_graph(const host_context& home) noexcept : home_(home) {}

  // Views.
  void opened(held_view&& view);
  /// Returns false if the view is not known, or not any more.
  [[nodiscard]] bool closed(const held_view& view);
  [[nodiscard]] std::vector<held_view> views() const;
  /// Whether the calling stack holds one.
  [[nodiscard]] bool holds_view() const;

  /// The calling stack is about to wait. Returns false if it works on no task and holds no view:
  /// then nothing can wait for it.
  [[nodiscard]] bool add(parked_wait& by);

  enum class finding : std::uint8_t { nothing, circle, needs_engine };
  /// Whether what the stack waits for waits for that stack. If so, says it in a sentence. The
  /// placement engine is null where there is none or nobody steps it for the caller.
  [[nodiscard]] finding look(const parked_wait& by, const placement::engine* placement,
                             std::string& sentence);

  /// Fills the listing, which goes when nothing is locked any more, and writes it to the report.
  void list(wait_listing& listing, std::span<const task_state* const> known, pending_report& to,
            const std::function<std::optional<time_stamp>(const task_state&)>& since);

  /// Waits until nobody reads the lists of what follows tasks. To be called between the claim of a
  /// task that ends while it waits for others, and its end.
  void let_readers_leave() { const std::lock_guard lock(guard_); }

 private:
  friend class parked_wait;
  friend class wait_search;
  friend class wait_listing;

  void remove(parked_wait& by) noexcept;

  const host_context& home_;
  mutable std::mutex guard_;  // for what follows
  std::vector<held_view> views_;
  std::unordered_map<std::uint64_t, parked_wait*> stacks_;
  std::unordered_multimap<const task_state*, parked_wait*> working_on_;
  std::unordered_multimap<const host_context*, parked_wait*> within_;
};

/// The tasks that the calling stack works on, innermost first; some may have ended.
[[nodiscard]] boost::container::small_vector<task_state*, 4> tasks_at_hand();

}  // namespace hocket::detail
