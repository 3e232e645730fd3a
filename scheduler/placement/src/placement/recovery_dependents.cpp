// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "placement/recovery_dependents.hpp"

#include <algorithm>
#include <map>
#include <set>

#include <hocket/core/region_map.hpp>

namespace hocket::placement {

namespace {

/// Marked parts of buffers; at first none is.
class marked_parts {
 public:
  explicit marked_parts(function_ref<const box&(data_id)> all_of) : all_of_(all_of) {}

  void mark(data_id data, const box& part, bool is_marked = true) {
    of(data).replace(part, is_marked);
  }
  [[nodiscard]] bool all(data_id data, const box& part) {
    return of(data).all(part, [](bool is_marked) { return is_marked; });
  }
  [[nodiscard]] bool any(data_id data, const box& part) {
    return !of(data).all(part, [](bool is_marked) { return !is_marked; });
  }

 private:
  region_map<bool>& of(data_id data) {
    return parts_.try_emplace(data, all_of_(data), false).first->second;
  }

  function_ref<const box&(data_id)> all_of_;
  std::map<data_id, region_map<bool>> parts_;
};

template <class Visit>
void for_written(const logged_task& t, const Visit& visit) {
  for (const logged_task::access& a : t.accesses) {
    if (writes_content(a.mode) && !a.region().empty()) visit(a);
  }
}

std::vector<std::uint64_t> dependents(const recovery_plan& plan, const task_log& log,
                                      function_ref<const box&(data_id)> all_of) {
  std::set<std::uint64_t> repeated;
  for (const recovery_step& step : plan.steps) {
    if (step.task != nullptr) repeated.insert(step.position);
  }
  marked_parts missing(all_of);
  const std::uint64_t begin = std::max(plan.missing.position, log.first());
  std::vector<std::uint64_t> made;
  if (plan.missing.position >= log.first() && !log.at(begin).failed) made.push_back(begin);
  const auto miss = [&] {
    for (const missing_content::missing_part& each : plan.missing.parts) {
      missing.mark(each.data, each.region);
    }
  };
  if (plan.missing.position < begin) miss();
  for (std::uint64_t position = begin; position < log.next(); ++position) {
    if (position == plan.missing.position) {
      miss();
      continue;
    }
    const logged_task& t = log.at(position);
    if (t.undone) continue;
    const bool lacks =
        repeated.contains(position) &&
        std::ranges::any_of(t.accesses, [&](const logged_task::access& a) {
          return reads_content(a.mode) && !a.region().empty() && missing.any(a.data, a.region());
        });
    if (lacks) made.push_back(position);
    for_written(t, [&](const logged_task::access& a) { missing.mark(a.data, a.region(), lacks); });
  }
  return made;
}

}  // namespace

std::vector<std::uint64_t> tasks_to_fail(const recovery_plan& plan, const task_log& log,
                                         function_ref<const box&(data_id)> all_of,
                                         poisoned_parts poisoned) {
  std::vector<std::uint64_t> made = dependents(plan, log, all_of);
  marked_parts later(all_of);
  std::uint64_t seen = log.next();
  const auto has_poisoned_content = [&](const logged_task& t) {
    bool has = false;
    for_written(t, [&](const logged_task::access& a) {
      poisoned(a.data, [&](const box& part) {
        const box both = intersection(part, a.region());
        if (!both.empty() && !later.all(a.data, both)) has = true;
      });
    });
    return has;
  };
  std::vector<std::uint64_t> kept;
  for (auto it = made.rbegin(); it != made.rend(); ++it) {
    while (seen > *it + 1) {
      const logged_task& t = log.at(--seen);
      if (t.undone) continue;
      for_written(t, [&](const logged_task::access& a) { later.mark(a.data, a.region()); });
    }
    const logged_task& t = log.at(*it);
    if (t.torn || has_poisoned_content(t)) kept.push_back(*it);
  }
  std::ranges::reverse(kept);
  return kept;
}

}  // namespace hocket::placement
