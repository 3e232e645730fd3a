// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include <boost/container/small_vector.hpp>

#include <hocket/core/function_ref.hpp>
#include <hocket/scheduler/detail/buffer_state.hpp>
#include <hocket/scheduler/detail/host_task.hpp>

#include "data/access_history.hpp"
#include "tasks/meeting.hpp"

namespace hocket::detail {

class in_place_node;
class domain_node;
class in_place_history;
struct whole_uses;
using in_place_node_ptr = boost::intrusive_ptr<in_place_node>;

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
  [[nodiscard]] virtual const domain_node* as_domain() const noexcept { return nullptr; }
  [[nodiscard]] bool has_left() const noexcept { return place_.closed(); }
  /// True if no task has to wait for this: it has left its place, and its content is there.
  [[nodiscard]] bool left_well() const noexcept {
    return place_.closed() && !error() && !leaves_doubt_;
  }

  /// Why a part of what this has written, or left as it was, must not be used by a reader. Only
  /// for one that has left its place.
  [[nodiscard]] virtual failure poison_for(const in_place_node& reader, const in_place_use& use,
                                           const box& part) const;

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

  /// There were more edges than there was room for: the destructor gives their memory back.
  [[nodiscard]] bool has_far_edges() const noexcept { return has_far_edges_; }

  /// It is over, and so is everything that it waited for.
  virtual void leave_place(ready_list& next) noexcept;
  /// The same of one that is straight, and has nothing to look at closely.
  void leave_inline(ready_list& next) noexcept {
    if (held_ != nullptr) [[unlikely]]
      return leave_place(next);
    leave_for(place_.close_as_pushed(), next);
  }

  /// It has ended before that, or the rest is over: whichever comes second leaves the place, since
  /// the tasks that wait there ask how it ended.
  void ended_early(ready_list& next) noexcept;
  void rest_is_over(ready_list& next) noexcept;

  void given_up(bool waited, ready_list& next) noexcept override;
  void abandoned(ready_list& next) noexcept override { rest_is_over(next); }
  void end(failure why, ready_list& next) noexcept override;
  [[nodiscard]] failure failure_of_predecessors() override;

 private:
  class edge_list;
  /// A part of what it reads that a nested domain has left. Of few nodes.
  struct held_part {
    in_place_node_ptr domain;
    const in_place_use* use;
    box where;
  };
  /// Out of the way of those that have none.
  struct drop_held {
    void operator()(std::vector<held_part>* held) const noexcept;
  };

  // These take a reference for each use, which is there already.
  template <std::size_t Count>
  void find_edges(std::span<const in_place_use, Count> uses, edge_list& found, domain_node* within);
  void add_edges(const in_place_use& use, edge_list& found, domain_node* within);
  void add_edges_of_whole(const in_place_use& use, whole_uses& known, edge_list& found);
  void wait_for_readers(whole_uses& known, edge_list& found);
  void wait_for_writer(const in_place_use& use, whole_uses& known, edge_list& found);
  void wait_for_other_writer(const in_place_use& use, whole_uses& known, edge_list& found);
  template <std::size_t Count>
  void take_places_and_start(std::span<const in_place_use, Count> uses, std::span<host_edge> near);
  void expect_all(edge_list& found);
  void attach_only(host_edge& to_place) noexcept;
  void add_edges_of_part(const in_place_use& use, in_place_history& order, edge_list& found,
                         domain_node* within);
  /// Nothing but edges waits for a place. Mostly there is one.
  void leave_for(continuation* newest, ready_list& next) noexcept {
    if (newest == nullptr) return;
    if (newest->link != nullptr) return leave_for_all(newest, next);
    static_cast<host_edge*>(newest)->run(*this, next);
  }
  void leave_for_all(continuation* newest, ready_list& next) noexcept;
  [[nodiscard]] host_edge::kind kind_of(edge_kind kind, const in_place_node& earlier) const;
  void note_held(const in_place_node_ptr& domain, const in_place_use& use, const box& there);

  std::unique_ptr<std::vector<held_part>, drop_held> held_;
  continuation_list<continuation> place_;
  meeting early_end_;
  bool has_far_edges_ = false;  ///< they did not fit into the memory that there was for them

 protected:
  bool is_domain_ = false;
  bool leaves_doubt_ = false;  ///< of a domain: see poison_for()
};

/// What the reader fails with of content that no task has written.
[[nodiscard]] failure not_written(const in_place_node& reader, const in_place_use& use);

}  // namespace hocket::detail
