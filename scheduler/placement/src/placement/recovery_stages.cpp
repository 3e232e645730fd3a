// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "placement/recovery_stages.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <utility>

namespace hocket::placement {

namespace {

/// A part of a buffer as the stages before have left it.
struct staged_content {
  std::uint64_t position = 0;  ///< of its version; 0: they have not written it
  bool is_stored = false;      ///< it was restored, and is still where that came from
  friend bool operator==(const staged_content&, const staged_content&) = default;
};

template <class Visit>
void for_written(const recovery_step& step, const Visit& visit) {
  if (step.task == nullptr) return visit(step.data, step.region);
  for (const logged_task::access& a : step.task->accesses) {
    if (writes_content(a.mode) && !a.region().empty()) visit(a.data, a.region());
  }
}

}  // namespace

void recovery_stages::shorten(recovery_plan& plan) {
  saves_.clear();
  older_.clear();
  tasks_ = 0;
  std::size_t steps = 0;
  for (; steps < plan.steps.size(); ++steps) {
    if (plan.steps[steps].task == nullptr) continue;
    if (tasks_ == limit_) break;
    ++tasks_;
  }
  are_left_ = steps < plan.steps.size();
  if (!are_left_) return;
  std::map<data_id, region_map<staged_content>> written;
  const auto of = [&](data_id data) -> region_map<staged_content>& {
    return written.try_emplace(data, s_.buffers.find(data)->all, staged_content{}).first->second;
  };
  for (std::size_t i = 0; i < plan.steps.size(); ++i) {
    const recovery_step& step = plan.steps[i];
    for_written(step, [&](data_id data, const box& region) {
      if (i < steps) return of(data).replace(region, {step.position, step.task == nullptr});
      of(data).visit(region, [&](const box& part, const staged_content& c) {
        if (c.position > 0) older_.push_back({0, nullptr, data, part});
      });
    });
  }
  for (const auto& each : written) {
    const data_id data = each.first;
    each.second.visit(s_.buffers.find(data)->all, [&](const box& part, const staged_content& c) {
      if (c.position > 0 && !c.is_stored) saves_.push_back({c.position, nullptr, data, part});
    });
  }
  plan.steps.resize(steps);
}

void recovery_stages::poison_older(task_id fresh, const failure& why) {
  for (const recovery_step& each : older_) {
    s_.evictions.touch(each.data);
    s_.content.poison_unissued(each.data, each.region, fresh, why);
  }
  older_.clear();
}

void recovery_stages::failed() {
  limit_ = std::max<std::size_t>(tasks_ / 2, 1);
  ++failures_;
}

void recovery_stages::ended(const recovery_run& ran) {
  bool has_all = true, has_failed = false;
  for (const recovery_task& t : ran.all()) {
    if (!t.saves) {
      has_failed |= static_cast<bool>(t.poisoned);
    } else if (t.poisoned) {
      has_all = false;
    } else {
      const task_access& a = t.accesses.front();
      has_saved_ = true;
      s_.log.versions().save(*a.buffer, a.region(), t.position);
    }
  }
  // A task that has failed for good is not run again, which is a step ahead too.
  const bool is_ahead = has_all || has_failed;
  failures_ = is_ahead ? 0 : failures_ + 1;
  // Where nothing can be saved, all may get through in one stage.
  limit_ = is_ahead ? 2 * tasks_ : no_limit;
}

bool recovery_stages::are_hopeless() const noexcept {
  // A stage of one task is tried as often as a task, and a copy that it needs as well.
  constexpr std::size_t for_halving = 2, for_each_attempt = 8;
  return failures_ / for_each_attempt >= for_halving &&
         failures_ / for_each_attempt - for_halving >= s_.retries.max_attempts();
}

recovery_plan recovery_stages::given_up() const {
  recovery_plan made;
  made.hopeless = "it has failed " + std::to_string(failures_) + " times in a row";
  return made;
}

void recovery_stages::end() {
  if (std::exchange(has_saved_, false)) s_.log.versions().forget_saved();
  limit_ = no_limit;
  failures_ = 0;
}

}  // namespace hocket::placement
