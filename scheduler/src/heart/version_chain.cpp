// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "heart/version_chain.hpp"

#include <algorithm>

#include "heart/planted.hpp"

namespace hocket::heart {

void version_chain::append(task_id task, const box& region, access_mode mode, const is_live& live,
                           const add_edge& depend) {
  const auto report = [&](const std::vector<entry>& entries, edge_kind kind) {
    for (const entry& earlier : entries) {
      if (overlap(earlier.region, region)) depend(earlier.task, kind);
    }
  };
  const bool bound = reads_content(mode) && !planted(bug::forget_writers);
  report(writers_, bound ? edge_kind::content : edge_kind::order);
  if (!writes_content(mode)) {
    readers_.push_back({task, region});
  } else {
    if (!planted(bug::forget_readers)) report(readers_, edge_kind::order);
    // Who comes later depends on this task, and through it on everything it replaces.
    cut_out(writers_, region);
    cut_out(readers_, region);
    writers_.push_back({task, region});
  }
  if (writers_.size() + readers_.size() >= tidy_at_) {
    forget_ended(writers_, live);
    forget_ended(readers_, live);
    // Doubling keeps the cost of tidying constant for each access.
    tidy_at_ = std::max<std::size_t>(16, 2 * (writers_.size() + readers_.size()));
  }
}

void version_chain::cut_out(std::vector<entry>& entries, const box& region) {
  std::vector<entry> remains;
  for (const entry& e : entries) {
    if (!overlap(e.region, region)) continue;
    for (const box& rest : difference(e.region, region)) remains.push_back({e.task, rest});
  }
  std::erase_if(entries, [&](const entry& e) { return overlap(e.region, region); });
  entries.insert(entries.end(), remains.begin(), remains.end());
}

void version_chain::forget_ended(std::vector<entry>& entries, const is_live& live) {
  std::erase_if(entries, [&](const entry& e) { return !live(e.task); });
}

task_id version_chain::next_user(const std::function<bool(task_id)>& unissued) const {
  task_id first;
  for (const auto* entries : {&writers_, &readers_}) {
    for (const entry& e : *entries) {
      if (e.task < first && unissued(e.task)) first = e.task;
    }
  }
  return first;
}

}  // namespace hocket::heart
