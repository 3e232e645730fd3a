// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "runtime/unseen_failures.hpp"

#include <algorithm>
#include <cstdio>
#include <iterator>
#include <new>
#include <utility>

namespace hocket::detail {

namespace {

void say_without_memory() noexcept {
  std::fputs("hocket: a task has failed, and the host has no memory left to say more.\n", stderr);
}

}  // namespace

void unseen_failures::keep(task_state& failed) noexcept {
  try {
    list(failed);
  } catch (const std::bad_alloc&) {
    say_without_memory();
  }
}

void unseen_failures::list(task_state& failed) {
  std::vector<task_state_ptr> seen;  // goes outside of the lock
  const std::scoped_lock lock(guard_);
  if (failed_.size() == max_failed_) {
    const auto end = std::stable_partition(
        failed_.begin(), failed_.end(),
        [](const task_state_ptr& each) { return !each->outcome().is_seen(); });
    seen.assign(std::make_move_iterator(end), std::make_move_iterator(failed_.end()));
    failed_.erase(end, failed_.end());
    max_failed_ = std::max(max_failed_, 2 * failed_.size());
  }
  failed_.emplace_back(&failed);
  any_ = true;
}

std::vector<task_state_ptr> unseen_failures::take_all() {
  const std::scoped_lock lock(guard_);
  any_ = false;
  return std::exchange(failed_, {});
}

task_state_ptr unseen_failures::take_first_of() {
  std::vector<task_state_ptr> failed = take_all();
  std::erase_if(failed, [](const task_state_ptr& task) { return task->outcome().is_seen(); });
  task_state_ptr first;
  if (!failed.empty()) {
    first = failed.front();
    first->outcome().look();
    failed.erase(failed.begin());
  }
  put_back(failed);
  return first;
}

/// The list keeps the memory that it has had from the start.
void unseen_failures::put_back(std::vector<task_state_ptr>& older) {
  const std::scoped_lock lock(guard_);
  older.insert(older.end(), failed_.begin(), failed_.end());
  failed_.swap(older);
  any_ = !failed_.empty();
}

void unseen_failures::report() noexcept {
  for (const task_state_ptr& task : take_all()) {
    if (task->outcome().is_seen()) continue;
    try {
      std::fprintf(stderr, "hocket: unhandled failure: %s\n", task->error().message().c_str());
    } catch (const std::bad_alloc&) {
      say_without_memory();
    }
  }
}

}  // namespace hocket::detail
