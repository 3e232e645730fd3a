// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "runtime/pending_tasks.hpp"
#include "tasks/own_tasks.hpp"

#include <utility>

#include <hocket/scheduler/detail/host_task.hpp>

namespace hocket::detail {

namespace {

nanoseconds patience_of(const runtime_options& options, const executor& where) {
  const nanoseconds wanted = watchdog::patience_of(options.watchdog);
  // Only the real clock passes while nothing happens.
  return where.is_virtual() ? nanoseconds::zero() : wanted;
}

}  // namespace

pending_tasks::pending_tasks(const runtime_options& options, const host_context& home,
                             executor& where, event_pump& events, wait_checks& waits)
    : home_(home),
      where_(where),
      events_(events),
      waits_(waits),
      overload_(options.overload),
      patience_(patience_of(options, where)) {
  if (options.max_pending > 0 || options.max_pending_bytes > 0) {
    limit_ = std::make_unique<pending_limit>(options.max_pending, options.max_pending_bytes);
  }
  if (limit_ || patience_ != nanoseconds::zero()) registry_ = std::make_unique<task_registry>();
}

void pending_tasks::watch(watchdog::list_pending list) {
  if (patience_ == nanoseconds::zero()) return;
  watchdog_ = std::make_unique<watchdog>(patience_, std::move(list));
}

void pending_tasks::started(const task_state& task) noexcept {
  if (limit_) limit_->take(task.held_bytes());
  if (registry_) registry_->add(task, where_.now());
}

void pending_tasks::ended(const task_state& task) noexcept {
  if (limit_) limit_->give_back(task.held_bytes());
  if (registry_) registry_->remove(task);
  if (watchdog_) watchdog_->count_end();
}

bool pending_tasks::is_let_through() const {
  // What runs may be what has to end before there is a place.
  if (where_.inside() || runs_in_a_waiter(home_)) return true;
  if (overload_ == overload_kind::refuse) return false;
  return waits_.holds_view();
}

void pending_tasks::enter() {
  while (!limit_->try_take()) {
    if (is_let_through()) return limit_->take(0);
    if (overload_ == overload_kind::refuse) {
      throw error(
          {failure_code::overloaded, "A submission is refused: " + limit_->reached() + "."});
    }
    events_.stop_polling();
    limit_->wait(where_);
  }
}

}  // namespace hocket::detail
