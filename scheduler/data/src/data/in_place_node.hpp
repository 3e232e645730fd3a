// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <optional>
#include <span>

#include <hocket/core/function_ref.hpp>
#include <hocket/scheduler/detail/buffer_state.hpp>
#include <hocket/scheduler/detail/host_task.hpp>

#include "data/access_history.hpp"
#include "tasks/meeting.hpp"

namespace hocket::detail {

class in_place_node;
class domain_node;
class in_place_history;
using in_place_node_ptr = boost::intrusive_ptr<in_place_node>;
using node_accesses = access_history<in_place_node_ptr>;

/// One access of a node to a region of a buffer.
struct in_place_use {
  in_place_use() = default;
  in_place_use(const buffer_ref& of, access_mode by) : data(of), mode(by) {}
  in_place_use(const buffer_ref& of, const box* where, access_mode by)
      : data(of), part(where), mode(by) {}

  buffer_ref data;
  const box* part = nullptr;  ///< null: all of it; else it lives as long as the node
  access_mode mode = access_mode::read;

  [[nodiscard]] const box& where() const noexcept {
    return part != nullptr ? *part : data->whole();
  }
  [[nodiscard]] bool empty() const noexcept {
    return part != nullptr ? part->empty() : data->bytes() == 0;
  }
};

/// Whether a node that takes its place locks each of its buffers, or the caller has locked all.
enum class lock_each : bool { no, yes };

/// A host task that stands in the order of buffers: what conflicts with it comes before or after,
/// as their submissions did. It leaves its place when it is over and everything before it is; it
/// may have ended earlier, if it was cancelled.
class in_place_node : public host_task {
 public:
  [[nodiscard]] bool attach_to_place(continuation& node) noexcept override {
    return place_.push(node);
  }
  void each_follower(const std::function<void(task_state&)>& visit) const override {
    task_state::each_follower(place_, visit);
    host_task::each_follower(visit);
  }
  /// What became of its content is entered by then.
  [[nodiscard]] bool has_left() const noexcept { return place_.closed(); }

 protected:
  using host_task::host_task;
  ~in_place_node() override;

  /// What a node waits for beside those that have used its buffers, and where it stands.
  struct registration {
    std::span<const task_state_ptr> after = {};
    std::uint32_t more = 0;  ///< see host_task::expect
    domain_node* within = nullptr;
    /// If there is one, it is called while the buffers are locked: what it does in one place has
    /// the order of the tasks in their data. It may throw.
    std::optional<function_ref<void()>> in_order = {};
  };

  /// Takes a place behind everything that was submitted before. Edges are kept in `near`,
  /// uninitialised memory for so many of them that lives as long as this does, if they fit.
  void take_place(std::span<const in_place_use> uses, std::span<host_edge> near,
                  const registration& with);

  /// The same where there is nothing else, and starts it. There are references for the machinery
  /// and for each use, and the edges fit if there is one for each use.
  void take_place_and_start(std::span<const in_place_use> uses, std::span<host_edge> near);

  /// Takes a place within a run_registration, without anything else: no thread can run the node
  /// before attach_edges() is called. Returns false if it waits for nothing: then it is claimed.
  [[nodiscard]] bool take_place_in_run(std::span<const in_place_use> uses,
                                       std::span<host_edge> near, domain_node* within,
                                       lock_each locks);

  /// It has left its place, and is to take one again. Only while no other thread knows it.
  void begin_anew() noexcept {
    if (has_far_edges_) drop_far_edges();
    host_task::begin_anew();
    reopen();
    place_.reopen();
  }

  /// There were more edges than there was room for: the destructor gives their memory back.
  [[nodiscard]] bool has_far_edges() const noexcept { return has_far_edges_; }

  /// Why it must not read what it uses; empty if it may. Only once everything before it is over.
  [[nodiscard]] failure unusable_input() const;
  /// The accesses of the node, until it has left its place. A cancelled node may have null buffers.
  [[nodiscard]] virtual std::span<const in_place_use> accesses() const noexcept = 0;

  /// It is over, and so is everything that it waited for: what became of its content is entered.
  virtual void leave_place(ready_list& next) noexcept;
  /// The rest of it, where that was done.
  void leave_committed(ready_list& next) noexcept { leave_for(place_.close_as_pushed(), next); }

  /// It has ended before that, or the rest is over: whichever comes second leaves the place, since
  /// the tasks that wait there ask how it ended.
  void ended_early(ready_list& next) noexcept;
  void rest_is_over(ready_list& next) noexcept;

  void given_up(bool waited, ready_list& next) noexcept override;
  void abandoned(ready_list& next) noexcept override { rest_is_over(next); }
  void end(failure why, ready_list& next) noexcept override;
  [[nodiscard]] failure failure_of_predecessors() override;
  /// It is not to run because of another task: false if another thread has told why it ended.
  [[nodiscard]] virtual bool may_name_cause() noexcept { return true; }

 private:
  class edge_list;

  // These take a reference for each use, which is there already.
  template <std::size_t Count>
  void find_edges(std::span<const in_place_use, Count> uses, edge_list& found, domain_node* within);
  void find_edges_of(const in_place_use& use, edge_list& found, domain_node* within);
  void add_edges(const in_place_use& use, edge_list& found, domain_node* within);
  template <std::size_t Count>
  [[gnu::noinline]] void take_places_and_start(std::span<const in_place_use, Count> uses,
                                               std::span<host_edge> near);
  void expect_all(edge_list& found);
  void attach_only(host_edge& to_place) noexcept;
  /// Nothing but edges waits for a place. Mostly there is one.
  void leave_for(continuation* newest, ready_list& next) noexcept {
    if (newest == nullptr) return;
    if (newest->link != nullptr) return leave_for_all(newest, next);
    static_cast<host_edge*>(newest)->run(*this, next);
  }
  void leave_for_all(continuation* newest, ready_list& next) noexcept;
  [[nodiscard]] bool depend_on(in_place_node& earlier, edge_kind by);
  /// Of a node that asks itself: true if something else orders it and the earlier one.
  [[nodiscard]] virtual bool is_ordered_with(const in_place_node& /*earlier*/) const noexcept {
    return false;
  }
  template <class Earlier>
  [[nodiscard]] bool add_edge(Earlier&& earlier, edge_kind by, edge_list& found, bool& decides);
  void add_edges_of_part(const in_place_use& use, edge_list& found, node_accesses& history);
  void ask_about(const in_place_use& use);
  void poison_outputs() noexcept;
  void drop_far_edges() noexcept;

  continuation_list<continuation> place_;
  meeting early_end_;
  bool has_far_edges_ = false;  ///< they did not fit into the memory that there was for them

 protected:
  [[nodiscard]] static bool is_boundary(const in_place_node& other) noexcept {
    return other.is_boundary_;
  }

  bool is_domain_ = false;
  bool is_boundary_ = false;
  bool asks_itself_ = false;  ///< of a domain or boundary node: its tasks look at what they read
};

}  // namespace hocket::detail
