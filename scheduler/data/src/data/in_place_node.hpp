// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <functional>
#include <optional>
#include <span>

#include <hocket/core/function_ref.hpp>
#include <hocket/scheduler/detail/host_task.hpp>
#include <hocket/scheduler/detail/task_starter.hpp>

#include "data/access_history.hpp"
#include "data/in_place_use.hpp"
#include "tasks/meeting.hpp"

namespace hocket::detail {

class in_place_node;
class domain_node;
class edge_list;
class in_place_history;
using in_place_node_ptr = boost::intrusive_ptr<in_place_node>;
using node_accesses = access_history<in_place_node_ptr>;

/// Whether a node that takes its place locks each of its buffers, or the caller has locked all.
enum class lock_each : bool { no, yes };

/// A host task that stands in the order of buffers: what conflicts with it comes before or after,
/// as their submissions did. It leaves its place when it is over and everything before it is; it
/// may have ended earlier, if it was cancelled.
class in_place_node : public host_task {
 public:
  /// What the nodes behind a node have to know of it.
  struct kinds {
    bool is_domain = false;
    bool is_boundary = false;
    bool asks_itself = false;  ///< its tasks look at what they read, instead of it
    /// The node may end well without having written its region, as a refused view does: tasks
    /// behind it check the content that they read.
    bool may_leave_content = false;
  };
  [[nodiscard]] const kinds& kind() const noexcept { return kind_; }

  /// Of a node that asks itself: true if something else orders it and the earlier one.
  [[nodiscard]] virtual bool is_ordered_with(const in_place_node& /*earlier*/) const noexcept {
    return false;
  }

  [[nodiscard]] bool attach_to_place(continuation& at_leave) noexcept override {
    return place_.push(at_leave);
  }
  void each_follower(const std::function<void(task_state&)>& visit) const override {
    detail::each_follower(place_, visit);
    host_task::each_follower(visit);
  }
  /// Calls visit for each task that waits until this node leaves the order of its buffers. Only
  /// while the node is sure to stay in it.
  void each_place_follower(const std::function<void(task_state&)>& visit) const {
    detail::each_follower(place_, visit);
  }
  /// What became of its content is entered by then.
  [[nodiscard]] bool has_left() const noexcept { return place_.closed(); }
  /// A thread has ended it, or is about to, though tasks before it are not over: it keeps its place
  /// until they are.
  [[nodiscard]] bool is_ended_early() noexcept {
    return !has_left() && before().count().is_claimed() && before().count().waits();
  }
  void tell_awaited(wait_visitor& to) override;

 protected:
  using host_task::host_task;
  explicit in_place_node(kinds kind, host_context* context, host_options&& options)
      : host_task(context, std::move(options)), kind_(kind) {}
  in_place_node(kinds kind, host_context& context) : host_task(context), kind_(kind) {}
  ~in_place_node() override;

  /// What a node waits for beside those that have used its buffers, and where it stands.
  struct registration {
    std::span<const task_state_ptr> after = {};
    std::uint32_t more = 0;  ///< see dependencies::expect
    domain_node* within = nullptr;
    /// If there is one, it is called while the buffers are locked: what it does in one place has
    /// the order of the tasks in their data. It may throw.
    std::optional<function_ref<void()>> in_order = {};
  };

  // A node that is in the order of some of its buffers only could not be taken out again: a
  // program that runs out of memory there ends.

  /// Takes a place behind everything that was submitted before. Edges are kept in near,
  /// uninitialised memory for so many of them that lives as long as this does, if they fit.
  void take_place(std::span<const in_place_use> uses, std::span<host_edge> near,
                  const registration& with);

  /// The same where there is nothing else, and starts it. There are references for the machinery
  /// and for each use, and the edges fit if there is one for each use.
  void take_place_and_start(std::span<const in_place_use> uses, std::span<host_edge> near) noexcept;

  /// Takes a place within a run_registration, without anything else: no thread can run the node
  /// before its edges are attached. Returns false if it waits for nothing: then it is claimed.
  [[nodiscard]] bool take_place_in_run(std::span<const in_place_use> uses,
                                       std::span<host_edge> near, domain_node* within,
                                       lock_each locks);

  /// It has left its place, and is to take one again. Only while no other thread knows it.
  void begin_anew() noexcept {
    if (has_far_edges_) drop_far_edges();
    before().begin_anew();
    followers().reopen();
    place_.reopen();
  }

  /// There were more edges than there was room for: the destructor gives their memory back.
  [[nodiscard]] bool has_far_edges() const noexcept { return has_far_edges_; }

  /// The accesses of the node, until it has left its place. A cancelled node may have null buffers.
  [[nodiscard]] virtual std::span<const in_place_use> accesses() const noexcept = 0;

  /// It is over, and so is everything that it waited for: what became of its content is entered.
  virtual void leave_place(ready_list& next) noexcept;
  /// The rest of it, where that was done.
  void leave_committed(ready_list& next) noexcept;
  /// It has ended before everything that it waited for is over. Whichever of these comes second
  /// leaves the place, since the tasks that wait there ask how it ended.
  void ended_early(ready_list& next) noexcept;

  void given_up(bool waited, ready_list& next) noexcept override;
  void abandoned(ready_list& next) noexcept override;
  void end(failure why, ready_list& next) noexcept override;
  [[nodiscard]] failure failure_of_predecessors() override;
  /// It is not to run because of another task: false if another thread has told why it ended.
  [[nodiscard]] virtual bool may_name_cause() noexcept { return true; }

 private:
  template <std::size_t Count>
  [[gnu::noinline]] void take_places_and_start(std::span<const in_place_use, Count> uses,
                                               std::span<host_edge> near) noexcept;
  void expect_found(const edge_list& found, std::uint32_t more) noexcept;
  void drop_far_edges() noexcept;

  follower_list place_;
  meeting early_end_;
  bool has_far_edges_ = false;  ///< they did not fit into the memory that there was for them
  kinds kind_;
};

/// Nothing but edges waits for a place. Mostly there is one.
inline void in_place_node::leave_committed(ready_list& next) noexcept {
  continuation* const newest = place_.close_as_pushed();
  if (newest == nullptr) return;
  if (newest->link != nullptr) return run_all(newest, *this, next);
  static_cast<host_edge*>(newest)->run(*this, next);
}

}  // namespace hocket::detail
