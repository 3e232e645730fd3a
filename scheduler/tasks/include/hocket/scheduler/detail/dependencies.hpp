// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>

#include <hocket/scheduler/detail/claim.hpp>
#include <hocket/scheduler/detail/task_state.hpp>

namespace hocket::detail {

class host_task;

/// What a task waits for, in one direction.
struct host_edge final : continuation {
  host_edge() = default;
  explicit host_edge(const task_state_ptr& from) noexcept : source(from) {}
  host_edge(host_task& to, const task_state_ptr& from) noexcept : owner(&to), source(from) {}

  enum class kind : std::uint8_t {
    end,      ///< the source ends; if it fails, the task does not run
    content,  ///< the source retires from the history of a buffer; failure as above
    order     ///< the same, but failure does not matter
  };

  void run(task_state& from, ready_list& next) noexcept override;
  [[nodiscard]] task_state* follower() const noexcept override;

  /// Returns false if the source is over already.
  [[nodiscard]] bool attach() noexcept {
    return waits_for == kind::end ? source->attach(*this) : source->attach_to_place(*this);
  }

  /// True if the task must not run, because of how the source ended.
  [[nodiscard]] bool fails_with(const task_state& from) const noexcept {
    return waits_for != kind::order && static_cast<bool>(from.error());
  }

  kind waits_for = kind::end;
  host_task* owner = nullptr;
  task_state_ptr source;
};

/// What a host task waits for: its edges, in memory that lives as long as the task, how many
/// arrivals are left, and what is known of failures before it.
class dependencies {
 public:
  dependencies() = default;
  dependencies(const dependencies&) = delete;
  dependencies& operator=(const dependencies&) = delete;
  ~dependencies() {
    if (edge_count_ != 0) drop();
  }

  /// The edges, and how many more arrivals than theirs and that of the start there will be. Before
  /// any other thread knows the task.
  void expect(host_task& owner, std::span<host_edge> edges, std::uint32_t more) noexcept {
    edges_ = edges.data();
    edge_count_ = static_cast<std::uint32_t>(edges.size());
    has_more_ = more > 0;
    for (host_edge& e : edges) e.owner = &owner;
    // The start stands for one more predecessor, unless nothing is left to do for it after the
    // first that it attaches to.
    const std::uint32_t start = edge_count_ + 2 * more < 2 && !is_known_early_ ? 0 : 1;
    count_.expect(edge_count_ + more + start);
  }
  /// The same of edges that know their owner, and nothing else.
  void expect_made(std::span<host_edge> edges) noexcept {
    edges_ = edges.data();
    edge_count_ = static_cast<std::uint32_t>(edges.size());
    count_.expect(edge_count_ < 2 ? edge_count_ : edge_count_ + 1);
  }
  /// The same of one edge, and nothing else: no thread can run the task before that is attached.
  void expect_only(host_task& owner, host_edge& e) noexcept {
    e.owner = &owner;
    edges_ = &e;
    edge_count_ = 1;
    count_.expect(1);
  }
  /// Others will know of the task before it is started: none may run it by then. Before expect().
  void be_known_early() noexcept { is_known_early_ = true; }
  /// A look at what the task reads may find that no failure before it concerns it.
  void ask_when_poisoned() noexcept { asks_when_poisoned_ = true; }
  /// The task has run, and is to run again: without edges as yet. Only while no other thread knows
  /// it.
  void begin_anew() noexcept {
    if (edge_count_ != 0) drop();
    is_known_early_ = false;
    asks_when_poisoned_ = false;
    count_.expect(0);
  }

  [[nodiscard]] std::span<host_edge> edges() const noexcept { return {edges_, edge_count_}; }
  [[nodiscard]] bool empty() const noexcept { return edge_count_ == 0; }
  /// There are arrivals beside those of edges and of the start.
  [[nodiscard]] bool has_more() const noexcept { return has_more_; }
  /// The start counts as an arrival.
  [[nodiscard]] bool counts_start() const noexcept {
    return edge_count_ > 1 || has_more_ || is_known_early_;
  }
  [[nodiscard]] bool asks_when_poisoned() const noexcept { return asks_when_poisoned_; }

  /// The arrivals that are left, and who has claimed the task.
  [[nodiscard]] claim& count() noexcept { return count_; }
  [[nodiscard]] const claim& count() const noexcept { return count_; }

  /// The source of the edge is over. Returns whether the task must not run.
  [[nodiscard]] bool is_failed_by(const host_edge& e, const task_state& from) noexcept {
    if (!e.fails_with(from)) [[likely]]
      return false;
    // Relaxed: see has_failed_before().
    if (e.waits_for == host_edge::kind::end) {
      has_failed_before_.store(true, std::memory_order_relaxed);
    }
    return true;
  }
  /// Something whose end the task waits for has failed: then it will not run, whatever it asks.
  [[nodiscard]] bool has_failed_before() const noexcept {
    // Relaxed: ordered by the arrival, which comes after it.
    return has_failed_before_.load(std::memory_order_relaxed);
  }
  /// Something before the task has failed, and it does not ask: it will not run.
  [[nodiscard]] bool prevents_run() const noexcept {
    return count_.poisoned() && !asks_when_poisoned_;
  }

  /// Destroys the edges, and leaves their memory alone.
  void drop() noexcept { std::destroy_n(edges_, std::exchange(edge_count_, 0)); }
  /// For the thread that has claimed the task: what the predecessors hold is not kept any more.
  void drop_sources(claim::claimed how) noexcept {
    if (how == claim::claimed::alone || count_.leave()) drop_sources();
  }
  /// The edges, which were entered by count().enter(), are not read any more.
  void stop_reading() noexcept {
    if (count_.leave()) drop_sources();
  }

 private:
  void drop_sources() noexcept {
    for (host_edge& e : edges()) e.source.reset();
  }

  claim count_{0};
  host_edge* edges_ = nullptr;
  std::uint32_t edge_count_ = 0;
  bool is_known_early_ : 1 = false;      ///< others know of the task before it is started
  bool asks_when_poisoned_ : 1 = false;  ///< it may run although something before it has failed
  bool has_more_ : 1 = false;
  std::atomic<bool> has_failed_before_{false};
};

}  // namespace hocket::detail
