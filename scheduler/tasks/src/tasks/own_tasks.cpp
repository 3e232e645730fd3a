// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "tasks/own_tasks.hpp"

#include <hocket/execution/item_note.hpp>
#include <hocket/execution/own_items.hpp>
#include <hocket/scheduler/detail/host_task.hpp>
#include <hocket/scheduler/detail/task_runner.hpp>

namespace hocket::detail {

namespace {

/// True if the inner one is the other, or a scope in it.
bool is_in(const host_context* inner, const host_context& outer) noexcept {
  while (inner != nullptr && inner != &outer) inner = inner->around();
  return inner != nullptr;
}

bool is_claimed(void* what) noexcept {
  return static_cast<host_task*>(what)->before().count().is_claimed();
}

}  // namespace

/// Where its item is the newest of this worker's, that goes too: a recursion would leave one behind
/// in every call.
bool run_own_or_ready(host_task& task, helping& by) noexcept {
  const bool has_item = take_own_item(&task);
  const host_task_ptr item(has_item ? &task : nullptr, false);
  // What is to run in one arena only may run here if its item is this worker's.
  const bool may_run = has_item || !task.place().has_arena();
  if (!may_run || !task_runner::claim_and_run(task, by.next)) return false;
  if (!has_item) note_own_item_passed_over();
  return true;
}

bool help_one_of(const host_context& scope) noexcept {
  const auto accepts = [](void* what, const void* of) {
    // The context of a task that has ended may be gone, unless it runs on this worker's executor.
    if (is_claimed(what)) return true;
    auto& task = *static_cast<host_task*>(what);
    return task.place().is_at_home() &&
           is_in(task.context(), *static_cast<const host_context*>(of));
  };
  const host_task_ptr item(static_cast<host_task*>(take_own_item_if(accepts, &scope)), false);
  if (item == nullptr) return false;
  // If another thread has claimed it, only the item goes.
  helping by;
  (void)task_runner::claim_and_run(*item, by.next);
  return true;
}

void drop_items_passed_over() noexcept {
  const auto is_over = [](void* what, const void*) { return is_claimed(what); };
  while (void* const over = take_passed_over_item(is_over)) {
    intrusive_ptr_release(static_cast<host_task*>(over));
  }
}

bool runs_in_a_waiter(const host_context& context) noexcept {
  const auto is_it = [&](const item_note& note) {
    return note.of() == item_note::kind::context && note.what() == &context;
  };
  const item_note* each = item_note::innermost();
  while (each != nullptr && !is_it(*each)) each = each->outer();
  return each != nullptr;
}

}  // namespace hocket::detail
