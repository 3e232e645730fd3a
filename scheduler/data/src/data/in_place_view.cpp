// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "data/in_place_view.hpp"

#include <hocket/scheduler/detail/task_runner.hpp>
#include <hocket/scheduler/detail/task_waits.hpp>

#include "data/data_runtime.hpp"
#include "data/host_view.hpp"
#include "data/in_place_history.hpp"
#include "tasks/wait_visitor.hpp"

namespace hocket::detail {

namespace {

host_options options_of_view(const region_ref& what) {
  host_options made;
  made.label = "view of " + what.data->label();
  made.cheap = true;
  return made;
}

}  // namespace

view_node::view_node(data_runtime& home, const region_ref& what, access_mode mode)
    : in_place_node({.may_leave_content = writes_content(mode)}, &home, options_of_view(what)),
      home_(home),
      part_(what.part() != nullptr ? std::optional<box>(*what.part()) : std::nullopt),
      use_{what.data, part_ ? &*part_ : nullptr, mode} {}

void view_node::take_place() {
  in_place_node::take_place({&use_, 1}, {}, {});
  // It ends when its content is there; the runtime waits until it is closed.
  home_.submission_made();
}

void view_node::close() noexcept {
  ready_list next;
  leave_place(next);
  next.let_leave();
}

void view_node::refuse() noexcept {
  if (task_runner::give_up(*this, {})) return;
  // A worker opens it at this moment, or has opened it.
  if (!refusal_meets_end_.come(meeting::party::other) || error()) return;
  is_refused_ = true;
  close();
}

void view_node::tell_awaited(wait_visitor& to) {
  if (has_left()) return;
  // A view that was refused was never opened, and may still stand in its place.
  if (done() && !is_ended_early()) {
    to.follow_holder_of(*this);
  } else {
    in_place_node::tell_awaited(to);
  }
}

void view_node::end(failure why, ready_list& next) noexcept {
  outcome().settle(std::move(why));
  if (refusal_meets_end_.come(meeting::party::one) && !error()) is_refused_ = true;
  if (is_refused_ || error()) leave_place(next);
  announce(next);
}

void view_node::given_up(bool waited, ready_list& next) noexcept {
  is_refused_ = !error();
  in_place_node::given_up(waited, next);
}

void view_node::leave_place(ready_list& next) noexcept {
  // A view that was refused has written nothing: what became of its region before stays true.
  if (is_refused_) {
    leave_committed(next);
  } else {
    in_place_node::leave_place(next);
  }
  // The order of the buffer, which the buffer has, keeps this.
  use_.data.reset();
  home_.submission_gone();
}

std::unique_ptr<open_host_view> open_in_place_view(const std::shared_ptr<data_runtime>& home,
                                                   const region_ref& what, access_mode mode) {
  const boost::intrusive_ptr<view_node> node(new view_node(*home, what, mode));
  // What is read has memory, or the view fails.
  if (mode == access_mode::write && !what.where().empty()) {
    what.data->order()->obtain(node->label_text());
  }
  node->take_place();
  task_starter::start(*node);
  try {
    wait_for_end(*node);
    if (node->error()) node->error().raise();
    return hold_view(home, what, what.data->order()->address(), {.node = node});
  } catch (...) {
    node->refuse();
    throw;
  }
}

}  // namespace hocket::detail
