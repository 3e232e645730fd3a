// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "runtime/wait_graph.hpp"

#include <algorithm>

#include <hocket/execution/item_note.hpp>
#include <hocket/execution/stack_number.hpp>
#include <hocket/scheduler/detail/host_task.hpp>

#include "data/in_place_view.hpp"
#include "graphs/host_run.hpp"
#include "placement/submission.hpp"
#include "runtime/wait_listing.hpp"

namespace hocket::detail {

boost::container::small_vector<task_state*, 4> tasks_at_hand() {
  boost::container::small_vector<task_state*, 4> all;
  bool in_chain = false;
  for (const item_note* note = item_note::innermost(); note != nullptr; note = note->outer()) {
    void* const what = const_cast<void*>(note->what());
    switch (note->of()) {
      case item_note::kind::task:
        all.push_back(static_cast<task_state*>(what));
        break;
      case item_note::kind::run: {
        const auto& slot = *static_cast<worker_slot*>(what);
        if (task_state* const task = slot.run().task_at(slot.node)) all.push_back(task);
        all.push_back(&slot.run());
        break;
      }
      case item_note::kind::chain:
        in_chain = true;
        all.push_back(static_cast<host_task_ptr*>(what)->get());
        break;
      case item_note::kind::launch:
        if (task_state* const task = task_of_launch(*static_cast<counted_launch*>(what))) {
          all.push_back(task);
        }
        break;
      case item_note::kind::context:
        break;
    }
  }
  // Only host tasks are bare items. In a chain the task of the item may be gone.
  if (!in_chain) {
    if (void* const own = bare_item_at_hand()) all.push_back(static_cast<host_task*>(own));
  }
  return all;
}

void wait_graph::opened(held_view&& view) {
  const std::lock_guard lock(guard_);
  views_.push_back(std::move(view));
  views_held_ = views_.size();
}

bool wait_graph::closed(const held_view& view) {
  held_view gone;  // goes outside of the lock: it may be the last to have the view
  const std::lock_guard lock(guard_);
  const auto at = std::ranges::find_if(views_, [&](const held_view& v) { return v.is_same(view); });
  if (at == views_.end()) return false;
  gone = std::move(*at);
  views_.erase(at);
  views_held_ = views_.size();
  return true;
}

bool wait_graph::detached(const held_view& view) {
  const std::lock_guard lock(guard_);
  const auto at = std::ranges::find_if(views_, [&](const held_view& v) { return v.is_same(view); });
  if (at == views_.end()) return false;
  at->holder = 0;
  return true;
}

std::vector<held_view> wait_graph::views() const {
  const std::lock_guard lock(guard_);
  return views_;
}

bool wait_graph::holds_one_of_views() const {
  const std::lock_guard lock(guard_);
  return std::ranges::any_of(
      views_, [own = stack_number()](const held_view& v) { return v.holder == own; });
}

bool wait_graph::add(parked_wait& by) {
  // Known to the stack alone, and alive until it goes on.
  by.working_on_ = tasks_at_hand();
  for (const task_state* task : by.working_on_) {
    // The context of a task that has ended may be gone.
    const host_context* context = task->done() ? nullptr : task->context();
    // What is nested deeper than this is found by way of what it waits for.
    for (int depth = 0; context != nullptr && context->is_scope() && depth < 8; ++depth) {
      by.within_.push_back(context);
      context = context->around();
    }
  }
  by.stack_ = stack_number();
  const std::lock_guard lock(guard_);
  by.holds_view_ =
      std::ranges::any_of(views_, [&](const held_view& v) { return v.holder == by.stack_; });
  stacks_[by.stack_] = &by;
  for (const task_state* task : by.working_on_) working_on_.emplace(task, &by);
  for (const host_context* scope : by.within_) within_.emplace(scope, &by);
  by.in_ = shared_from_this();
  return by.holds_view_ || !by.working_on_.empty();
}

void wait_graph::remove(parked_wait& by) noexcept {
  const auto erase_from = [&by](auto& map, const auto* key) {
    auto [at, end] = map.equal_range(key);
    while (at != end) at = at->second == &by ? map.erase(at) : std::next(at);
  };
  const std::lock_guard lock(guard_);
  const auto own = stacks_.find(by.stack_);
  if (own != stacks_.end() && own->second == &by) stacks_.erase(own);
  for (const task_state* task : by.working_on_) erase_from(working_on_, task);
  for (const host_context* scope : by.within_) erase_from(within_, scope);
}

void wait_graph::list(wait_listing& listing, std::span<const task_state* const> known,
                      pending_report& to,
                      const std::function<std::optional<time_stamp>(const task_state&)>& since) {
  const std::lock_guard lock(guard_);
  listing.run(known);
  listing.write_to(to, since);
}

wait_graph::finding wait_graph::look(const parked_wait& by, const placement::engine* placement,
                                     std::string& sentence) {
  wait_search search(*this, by, placement);
  const std::lock_guard lock(guard_);
  const finding found = search.run();
  if (found == finding::circle) sentence = search.sentence();
  return found;
}

}  // namespace hocket::detail
