// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "heart/version_chain.hpp"

namespace hocket::heart {

void version_chain::replace(task_id task, const box& region) {
  // Who comes later depends on this task, and through it on everything it replaces.
  cut_out(writers_, region);
  cut_out(readers_, region);
  writers_.push_back({task, region});
}

void version_chain::cut_out(std::vector<entry>& entries, const box& region) {
  std::vector<entry> remains;
  std::erase_if(entries, [&](const entry& e) {
    if (!overlap(e.region, region)) return false;
    if (contains(region, e.region)) return true;
    for (const box& rest : difference(e.region, region)) remains.push_back({e.task, rest});
    return true;
  });
  entries.insert(entries.end(), remains.begin(), remains.end());
}

}  // namespace hocket::heart
