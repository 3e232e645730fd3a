// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "runtime/unseen_failures.hpp"

#include <algorithm>
#include <cstdio>
#include <iterator>
#include <utility>

namespace hocket::detail {

void unseen_failures::keep(task_state& failed) {
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
  if (failed.empty()) return nullptr;
  task_state_ptr first = failed.front();
  first->outcome().look();
  const std::scoped_lock lock(guard_);
  failed_.insert(failed_.end(), failed.begin() + 1, failed.end());
  any_ = !failed_.empty();
  return first;
}

void unseen_failures::report() noexcept {
  for (const task_state_ptr& task : take_all()) {
    if (task->outcome().is_seen()) continue;
    std::fprintf(stderr, "hocket: unhandled failure: %s\n", task->error().message().c_str());
  }
}

}  // namespace hocket::detail
