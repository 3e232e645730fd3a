// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "graphs/run_batches.hpp"

#include "graphs/placed_plan.hpp"
#include "graphs/schedule_batches.hpp"
#include "placement/placed_runtime.hpp"

namespace hocket::detail {

run_batches::run_batches(std::shared_ptr<placed_plan> each) : each_(std::move(each)) {
  each_->kept().want_batches();
}

std::shared_ptr<placed_plan> run_batches::plan(const recorded_nodes& content,
                                               placed_runtime& home) {
  const placement::settled_schedule now = each_->kept().settled();
  {
    const std::lock_guard lock(guard_);
    if (now.repeated == sought_in_) return newest();
    batches_ = nullptr;
    sought_in_ = now.repeated;
    if (sought_in_ == nullptr) return each_;
  }
  // Runs of other threads are submitted task by task until this is done.
  std::shared_ptr<placed_plan> made = compiled(content, now, home);
  const std::lock_guard lock(guard_);
  if (now.repeated == sought_in_) batches_ = std::move(made);
  return newest();
}

const std::shared_ptr<placed_plan>& run_batches::newest() {
  if (batches_ != nullptr && batches_->kept().settled().repeated == nullptr) batches_ = nullptr;
  return batches_ != nullptr ? batches_ : each_;
}

std::shared_ptr<placed_plan> run_batches::compiled(const recorded_nodes& content,
                                                   const placement::settled_schedule& by,
                                                   placed_runtime& home) const try {
  const std::vector<task_group> groups =
      batches_of(content, *each_, *by.repeated, home.description());
  if (groups.empty()) return nullptr;
  recorded_nodes fewer = content;
  const std::vector<std::size_t> moved = fewer.group(groups, batch_rule(home.description()), home);
  std::shared_ptr<placed_plan> made = placed_plan::compiled(fewer, home);
  made->kept().begin_with(
      {schedule_of_batches(*by.repeated, moved, fewer.nodes.size()), by.planned, by.changes});
  return made;
} catch (...) {
  // Task by task a run needs less memory, and asks no kernel again what it costs.
  return nullptr;
}

}  // namespace hocket::detail
