// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <atomic>
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

#include "data/held_view.hpp"
#include "tasks/parked_wait.hpp"

namespace hocket::placement {
class engine;
}

namespace hocket::detail {

class wait_listing;

/// Which threads and tasks wait for which in a runtime, as far as stacks that wait and open views
/// are concerned; the tasks know the rest. Nothing is entered for tasks that merely run. It may
/// outlive the runtime, for those that are still about to leave it.
class wait_graph final : public wait_registry, public std::enable_shared_from_this<wait_graph> {
 public:
  explicit wait_graph(const host_context& home) noexcept : home_(home) {}

  // Views.
  void opened(held_view&& view);
  /// Returns false if the view is not known, or not any more.
  [[nodiscard]] bool closed(const held_view& view);
  /// Notes that no stack holds the view any more. Returns false as closed() does.
  [[nodiscard]] bool detached(const held_view& view);
  [[nodiscard]] std::vector<held_view> views() const;
  /// Whether the calling stack holds one.
  [[nodiscard]] bool holds_view() const {
    // Relaxed: a stack sees the views that it has opened itself.
    return views_held_.load(std::memory_order_relaxed) != 0 && holds_one_of_views();
  }

  /// The calling stack is about to wait. Returns false if it works on no task and holds no view:
  /// then nothing can wait for it.
  [[nodiscard]] bool add(parked_wait& by);

  enum class finding : std::uint8_t { nothing, circle, needs_engine };
  /// Whether what the stack waits for waits for that stack. If so, says it in a sentence. The
  /// placement engine is null if there is none, or if it is not stepped for the caller.
  [[nodiscard]] finding look(const parked_wait& by, const placement::engine* placement,
                             std::string& sentence);

  /// Fills the listing, which goes when nothing is locked any more, and writes it to the report.
  void list(wait_listing& listing, std::span<const task_state* const> known, pending_report& to,
            const std::function<std::optional<time_stamp>(const task_state&)>& since);

  /// Waits until no thread reads the lists of what follows tasks. To be called between the claim of
  /// a task that ends while it waits for others, and its end.
  void let_readers_leave() { const std::lock_guard lock(guard_); }

  void remove(parked_wait& by) noexcept override;

 private:
  friend class wait_search;
  friend class wait_listing;

  [[nodiscard]] bool holds_one_of_views() const;

  const host_context& home_;
  std::atomic<std::size_t> views_held_{0};  ///< how many there are; changed under the lock
  mutable std::mutex guard_;                // for what follows
  std::vector<held_view> views_;
  std::unordered_map<std::uint64_t, parked_wait*> stacks_;
  std::unordered_multimap<const task_state*, parked_wait*> working_on_;
  std::unordered_multimap<const host_context*, parked_wait*> within_;
};

/// The tasks that the calling stack works on, innermost first; some may have ended.
[[nodiscard]] boost::container::small_vector<task_state*, 4> tasks_at_hand();

}  // namespace hocket::detail
