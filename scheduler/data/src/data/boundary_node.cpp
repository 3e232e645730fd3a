// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "data/boundary_node.hpp"

#include "tasks/wait_visitor.hpp"

namespace hocket::detail {

boundary_node::boundary_node(host_context& context, boundary_link_ptr run, std::uint32_t task,
                             const task_label& label, std::uint32_t uses)
    : in_place_node({.is_boundary = true, .asks_itself = true}, context),
      link_(std::move(run)),
      name_(label),
      task_(task),
      uses_(uses) {
  place().be_cheap();
}

bool boundary_node::renew() noexcept {
  if (!is_unshared()) return false;
  begin_anew();
  // No other thread knows it: relaxed.
  has_begun_.store(false, std::memory_order_relaxed);
  if (error()) outcome().settle({});
  return true;
}

bool boundary_node::enter(boundary_owner& run, std::uint64_t run_number,
                          std::span<const in_place_use> uses, domain_node* within,
                          lock_each locks) {
  owner_ = &run;
  run_number_ = run_number;
  set_references(1 + uses_);  // those of the histories
  return take_place_in_run(uses, {reinterpret_cast<host_edge*>(this + 1), uses_}, within, locks);
}

void boundary_node::leave(const failure& why, ready_list& next) noexcept {
  if (why) outcome().settle(failure(why));
  leave_committed(next);
  next.let_leave();
  run_all(followers().close_as_pushed(), *this, next);
}

task_status boundary_node::status() const noexcept {
  if (has_left()) return task_status::done;
  // Relaxed: see begin().
  const bool runs = has_begun_.load(std::memory_order_relaxed);
  return runs ? task_status::running : task_status::pending;
}

bool boundary_node::is_ordered_with(const in_place_node& earlier) const noexcept {
  return earlier.kind().is_boundary && static_cast<const boundary_node&>(earlier).link_ == link_;
}

void boundary_node::end(failure /*why*/, ready_list& /*next*/) noexcept {
  // If the runtime stops, the run knows it and does not call the function.
  owner_->opened(task_);
}

void boundary_node::tell_awaited(wait_visitor& to) {
  if (has_left()) return;
  in_place_node::tell_awaited(to);
  link_->visit(run_number_, [&](boundary_owner& run) { run.tell_awaited_of(task_, to); });
}

void boundary_node::each_follower(const std::function<void(task_state&)>& visit) const {
  in_place_node::each_follower(visit);
  if (has_left()) return;
  link_->visit(run_number_, [&](boundary_owner& run) { run.each_follower_of(task_, visit); });
}

}  // namespace hocket::detail
