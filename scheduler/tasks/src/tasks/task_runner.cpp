// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <hocket/scheduler/detail/task_runner.hpp>

#include <utility>

#include <hocket/execution/item_note.hpp>
#include <hocket/execution/own_items.hpp>
#include <hocket/scheduler/detail/wait_checker.hpp>

#include "tasks/helping_scope.hpp"
#include "tasks/host_trace.hpp"

namespace hocket::detail {

namespace {

/// How many tasks one posted item runs one after the other before it lets others have the worker.
constexpr int max_in_a_row = 64;

/// While it lives, a thread that took the task up while it waited is in the task.
class task_in_hand {
 public:
  explicit task_in_hand(task_state& task)
      : helps_(home_of(task), home_of(task) != nullptr && home_of(task)->where().inside()),
        note_(item_note::kind::task, &task) {}

 private:
  [[nodiscard]] static host_context* home_of(const task_state& task) noexcept {
    return task.context() == nullptr ? nullptr : &task.context()->home();
  }

  helping_scope helps_;
  item_note note_;
};

}  // namespace

void host_edge::run(task_state& from, ready_list& next) noexcept {
  task_runner::follow_data(*owner, from);
  task_runner::arrive(*owner, owner->before().is_failed_by(*this, from), next);
}

task_state* host_edge::follower() const noexcept { return owner; }

void task_runner::post(host_task_ptr task) noexcept {
  try {
    run_place& place = task->place_;
    std::size_t arena = place.arena();
    if (arena == no_arena) {
      arena = task->context()->arena_for_host_tasks();
      place.prefer(static_cast<std::uint32_t>(arena));
    }
    // The item holds the reference.
    place.where()->post_bare(arena, place.priority(), {run_item, task.get()},
                             current_worker(place.where()->pool()));
    (void)task.detach();
  } catch (...) {
    run_without_item(std::move(task));
  }
}

void task_runner::run_without_item(host_task_ptr task) noexcept {
  run_posted(std::move(task), runner::anybody);
}

void task_runner::run_at_once(host_task& task, ready_list& next) noexcept {
  run(task, task.before_.count().claim(false), runner::anybody, next);
}

bool task_runner::claim_and_run(host_task& task, ready_list& next) noexcept {
  const claim::claimed how = task.before_.count().claim(false);
  if (how == claim::claimed::refused) return false;
  const host_task_ptr item(take_item_back(task) ? &task : nullptr, false);
  // The function may take long: others are not to wait for it.
  next.settle();
  run(task, how, runner::anybody, next);
  return true;
}

/// Where the item is the first of those that threads which are no workers have posted, as that of a
/// thread that waits for what it posts, no worker need find it. The task is claimed, and so its
/// executor is there.
bool task_runner::take_item_back(const host_task& task) noexcept {
  const run_place& place = task.place_;
  return !place.has_arena() && place.arena() != no_arena && place.priority() == 0 &&
         place.where()->take_back(place.arena(), &task);
}

bool task_runner::give_up(host_task& task, failure why) noexcept {
  bool waited = false;
  const claim::claimed how = task.before_.count().claim(true, waited);
  if (how == claim::claimed::refused) return false;
  task.before_.drop_sources(how);
  // Those that wait for it may be looked at.
  host_context* const context = task.context();
  wait_checker* const waits = context == nullptr ? nullptr : context->waits();
  if (waited && waits != nullptr) waits->let_readers_leave();
  // The function, which goes here, may hold the last owner of its runtime.
  const task_in_hand here(task);
  ready_list next;
  task.discard();
  task.outcome().settle(std::move(why));
  task.given_up(waited, next);
  task.announce(next);
  return true;
}

/// What run() does for a worker, where nothing is in its way and no thread is to be notified but
/// those that wait. Returns false, and has done nothing, if it is otherwise.
inline bool task_runner::run_plainly(host_task& task, ready_list& next) noexcept {
  if (!task.place_.is_at_home() || !task.only_counts_) return false;
  if (!task.before_.count().claim_untouched()) return false;
  if (task.stop_.stop_requested() || task.context()->stop().is_requested()) {
    refuse(task, next);
    return true;
  }
  if (!task.before_.empty()) task.before_.drop();
  try {
    task.execute();
  } catch (...) {
    task.end(task.explain_failure(), next);
    return true;
  }
  task.end_well(next);
  return true;
}

inline bool task_runner::run_simply(host_task& task, ready_list& next) noexcept {
  return task.is_inline_ ? task.run_inline(next) : run_plainly(task, next);
}

void task_runner::run(host_task& task, claim::claimed how, runner by, ready_list& next) noexcept {
  // The caller drops what may be the last reference, and the result with it.
  if (how == claim::claimed::refused) return make_owed_call();
  failure why = refusal(task);
  // What the predecessors hold goes before the function runs, or a long chain would keep it all.
  task.before_.drop_sources(how);
  if (!why) why = attempt(task, by);
  if (by == runner::worker) return task.end(std::move(why), next);
  // What the function holds may be the last owner of its runtime.
  const task_in_hand here(task);
  task.end(std::move(why), next);
}

void task_runner::refuse(host_task& task, ready_list& next) noexcept {
  run(task, claim::claimed::alone, runner::worker, next);
}

failure task_runner::refusal(host_task& task) {
  if (task.before_.count().poisoned()) {
    if (failure why = task.failure_of_predecessors()) return why;
  }
  if (task.stop_.stop_requested()) {
    return {failure_code::cancelled, task.name() + " was cancelled before it started."};
  }
  const host_context* const context = task.context();
  if (context != nullptr && context->stop().is_requested()) return context->stop().refusal_of(task);
  return {};
}

failure task_runner::attempt(host_task& task, runner by) noexcept {
  host_context* const home = task.context();
  if (home == nullptr || home->trace() == nullptr) return call(task, by);
  const std::int64_t begin = home->where().ticks();
  failure why = call(task, by);
  home->trace()->push(task.label(), begin);
  return why;
}

bool task_runner::execute_traced(host_task& task) noexcept {
  host_context& home = *task.context();
  const std::int64_t begin = home.where().ticks();
  failure why = call(task);
  home.trace()->push(task.label(), begin);
  if (!why) return true;
  task.outcome().settle(std::move(why));
  return false;
}

failure task_runner::call(host_task& task, runner by) noexcept {
  if (by == runner::worker) return call(task);
  const task_in_hand here(task);
  return call(task);
}

failure task_runner::call(host_task& task) noexcept {
  try {
    task.execute();
    return {};
  } catch (...) {
    return task.explain_failure();
  }
}

void task_runner::refuse_item(host_task& task) noexcept {
  const host_task_ptr own(&task, false);
  ready_list next;
  refuse(task, next);
}

void task_runner::end_failed_item(host_task& task) noexcept {
  const host_task_ptr own(&task, false);
  ready_list next;
  task.discard();
  task.announce(next);
}

void task_runner::tell_of_item(host_task& task, continuation* newest) noexcept {
  const host_task_ptr own(&task, false);
  host_context& context = *task.context();
  ready_list next;
  run_all(newest, task, next);
  task.count_end(context, after_its_end(task));
  if (!next.empty()) run_posted(next.settle_but_one(task), runner::worker);
}

void task_runner::run_item(void* counted) {
  host_task_ptr task(static_cast<host_task*>(counted), false);
  ready_list next;
  if (!run_simply(*task, next)) {
    run_posted(std::move(task), runner::worker);
  } else if (!next.empty()) {
    run_posted(next.settle_but_one(*task), runner::worker);
  }
}

void task_runner::run_posted(host_task_ptr task, runner by) noexcept {
  ready_list next;
  const item_note at(item_note::kind::chain, &task);
  for (int in_a_row = 0; task; ++in_a_row) {
    if (in_a_row == max_in_a_row) return post(std::move(task));
    if (by != runner::worker || !run_simply(*task, next)) {
      const runner who = task->place_.is_at_home() ? by : runner::anybody;
      run(*task, task->before_.count().claim(false), who, next);
    }
    if (next.empty()) return;
    host_task_ptr following = next.settle_but_one(*task);
    task.swap(following);
  }
}

}  // namespace hocket::detail
