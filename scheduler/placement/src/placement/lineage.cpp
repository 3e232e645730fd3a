// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "placement/lineage.hpp"

#include <utility>

namespace hocket::placement {

void lineage::failed_unissued(const placed_task& t, const failure& why) {
  tasks_.add(t);
  ended(t.id, why);
}

void lineage::ended(task_id task, const failure& why) {
  logged_task* const found = tasks_.end(task);
  if (found == nullptr) return;
  found->ended = true;
  found->torn = false;
  found->failed = static_cast<bool>(why);
  found->why = why;
  if (why) versions_.forget_written(*found);
}

void lineage::torn(task_id task) {
  logged_task& found = *tasks_.find(task);
  found.torn = true;
  versions_.forget_written(found);
}

void lineage::undone(task_id task) {
  logged_task* const found = tasks_.end(task);
  if (found == nullptr) return;
  found->undone = true;
  versions_.forget_written(*found);
}

void lineage::failed_again(std::uint64_t position, const failure& why) {
  logged_task& found = tasks_.at(position);
  found.failed = true;
  found.why = why;
}

void lineage::lacks(std::uint64_t position, const failure& why) {
  failed_again(position, why);
  tasks_.at(position).lacks = true;
}

recovery_plan lineage::plan(function_ref<const box&(data_id)> all_of, poisoned_parts poisoned) {
  versions_.forget_torn();
  return plan_recovery(tasks_, versions_, cut_, all_of, poisoned);
}

void lineage::begin_cut() {
  cut_ = tasks_.next() - 1;
  awaits_copies_ = true;
  versions_.begin_cut();
}

bool lineage::end_cut() {
  const std::uint64_t position = std::exchange(cut_, 0);
  awaits_copies_ = false;
  if (!versions_.end_cut(position)) return false;
  tasks_.cut(position);
  return true;
}

void lineage::forgets_poisoned(data_id data, const box& part) {
  // A task of the log that failed has poisoned content that older tasks of the log may have read.
  std::vector<box> left{part};
  for (std::uint64_t position = tasks_.first(); position < tasks_.next(); ++position) {
    const logged_task& t = tasks_.at(position);
    for (const logged_task::access& a : t.accesses) {
      if (a.data != data || !writes_content(a.mode) || t.undone) continue;
      for (const box& each : std::exchange(left, {})) {
        const auto rest = difference(each, a.region());
        left.insert(left.end(), rest.begin(), rest.end());
      }
    }
  }
  for (const box& each : left) versions_.forget_at_cut(data, each);
}

}  // namespace hocket::placement
