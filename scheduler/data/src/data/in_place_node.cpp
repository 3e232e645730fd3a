// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "data/in_place_node.hpp"

#include <mutex>
#include <type_traits>

#include "data/edge_finder.hpp"
#include "data/history_locks.hpp"
#include "tasks/wait_visitor.hpp"

namespace hocket::detail {

namespace {

/// Attaches the one edge of a node, which is to a place. Then the node may be running, and may be
/// gone.
inline void attach_only(host_edge& to_place) noexcept {
  auto& source = static_cast<in_place_node&>(*to_place.source);
  if (source.in_place_node::attach_to_place(to_place)) [[likely]]
    return;
  ready_list next;
  to_place.run(source, next);
}

/// Without memory the program ends: see in_place_node.
void find_edges(in_place_node& node, std::span<const in_place_use> uses, edge_list& found,
                domain_node* within) noexcept {
  edge_finder finder(node, found, within);
  for (const in_place_use& use : uses) finder.find_for(use);
}

}  // namespace

in_place_node::~in_place_node() {
  if (has_far_edges_) drop_far_edges();
}

void in_place_node::drop_far_edges() noexcept {
  void* const memory = before().edges().data();
  before().drop();
  ::operator delete(memory);
  has_far_edges_ = false;
}

void in_place_node::take_place(std::span<const in_place_use> uses, std::span<host_edge> near,
                               const registration& with) {
  edge_list found(near);
  for (const task_state_ptr& before : with.after) found.add(before, host_edge::kind::end);
  const order_locks locks(uses);
  if (with.in_order) (*with.in_order)();
  for (std::size_t i = 0; i < uses.size(); ++i) intrusive_ptr_add_ref(this);
  find_edges(*this, uses, found, with.within);
  // Others find this in the order of its buffers as soon as they are unlocked: by then it has to
  // know that it waits.
  before().be_known_early();
  expect_found(found, with.more);
}

void in_place_node::take_place_and_start(std::span<const in_place_use> uses,
                                         std::span<host_edge> near) noexcept {
  if (uses.size() == 1) {
    take_places_and_start(uses.first<1>(), near);
  } else {
    take_places_and_start(uses, near);
  }
}

template <std::size_t Count>
void in_place_node::take_places_and_start(std::span<const in_place_use, Count> uses,
                                          std::span<host_edge> near) noexcept {
  edge_list found(near);
  host_edge* sole = nullptr;
  bool is_ready = false;
  {
    const std::conditional_t<Count == 1, order_lock, order_locks> locks(uses);
    edge_finder finder(*this, found, nullptr);
    for (const in_place_use& use : uses) finder.find_for(use);
    // Others may run it as soon as the buffers are unlocked, if it is ready.
    context()->started(*this);
    sole = found.sole();
    is_ready = found.empty() && !before().asks_when_poisoned();
    if (sole != nullptr && !before().asks_when_poisoned()) [[likely]] {
      before().expect_only(*this, *sole);
    } else if (!is_ready) {
      sole = nullptr;
      // No thread can run it before its last edge is attached; if it has none, before it is
      // started.
      if (found.empty()) before().be_known_early();
      expect_found(found, 0);
    }
  }
  if (sole != nullptr) {
    attach_only(*sole);
  } else if (is_ready) {
    task_starter::post(*this, *context(), task_runner::run_item, context()->caller());
  } else {
    task_starter::attach_edges(*this);
  }
}

bool in_place_node::take_place_in_run(std::span<const in_place_use> uses, std::span<host_edge> near,
                                      domain_node* within, lock_each locks) {
  edge_list found(near);
  edge_finder finder(*this, found, within);
  for (const in_place_use& use : uses) {
    tbb::spin_mutex::scoped_lock lock;
    if (locks == lock_each::yes) lock.acquire(use.data->order()->guard());
    finder.find_for(use);
  }
  if (found.empty()) return !before().count().claim_untouched();
  // Others may find this before all of its edges are attached, and must not run it then.
  before().be_known_early();
  expect_found(found, 0);
  return true;
}

void in_place_node::expect_found(const edge_list& found, std::uint32_t more) noexcept {
  has_far_edges_ = found.are_far();
  before().expect(*this, found.all(), more);
  if (before().asks_when_poisoned()) before().count().poison();
}

void in_place_node::tell_awaited(wait_visitor& to) {
  if (is_ended_early()) {
    to.follow_holders_before(*this);
  } else {
    host_task::tell_awaited(to);
  }
}

void in_place_node::leave_place(ready_list& next) noexcept {
  const bool loses_outputs = error() && !seeded_bug(bug::keep_failed_outputs);
  for (const in_place_use& use : accesses()) {
    if (use.data == nullptr) continue;
    in_place_history& history = *use.data->order();
    if (!loses_outputs) {
      // What a domain leaves, the tasks within it have committed.
      if (!kind_.is_domain) history.commit(use);
    } else if (writes_content(use.mode) && !use.empty()) {
      history.poison(use.where(), error());
    }
  }
  leave_committed(next);
}

void in_place_node::ended_early(ready_list& next) noexcept {
  if (early_end_.come(meeting::party::one)) leave_place(next);
}

void in_place_node::abandoned(ready_list& next) noexcept {
  if (early_end_.come(meeting::party::other)) leave_place(next);
}

void in_place_node::given_up(bool waited, ready_list& next) noexcept {
  if (waited) {
    ended_early(next);
  } else {
    leave_place(next);
  }
}

void in_place_node::end(failure why, ready_list& next) noexcept {
  discard();
  outcome().settle(std::move(why));
  leave_place(next);
  // Before the runtime may believe that nothing is left.
  next.let_leave();
  announce(next);
}

failure in_place_node::failure_of_predecessors() {
  for (const host_edge& e : before().edges()) {
    if (e.waits_for != host_edge::kind::end || !e.source->error()) continue;
    return may_name_cause() ? outcome().follow(*e.source, *this)
                            : task_outcome::because_of(*e.source, *this);
  }
  return unusable_input(accesses(), label_text());
}

}  // namespace hocket::detail
