// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "data/line_check.hpp"

#include <algorithm>

#include "tasks/caught.hpp"

namespace hocket::detail {

namespace {

/// Longer ways are not looked at.
constexpr std::size_t most_tasks = 20'000;

/// True if the task ends in time whatever it waits for.
bool ends_by_itself(const in_place_task& task) {
  return task.control() != nullptr && task.control()->has_timeout();
}

}  // namespace

line_check::line_check(in_place_task& first) {
  follow(first);
  for (; current_ < steps_.size() && steps_.size() < most_tasks; ++current_) {
    in_place_task& task = *steps_[current_].task;
    if (!ends_by_itself(task)) task.tell_awaited(*this);
  }
}

line_check::~line_check() {
  for (const host_task_ptr& each : read_) each->before().stop_reading();
}

void line_check::follow(task_state& task) {
  auto* const here = dynamic_cast<in_place_task*>(&task);
  if (here == nullptr || !seen_.emplace(here, steps_.size()).second) return;
  const in_place_control* const control = here->control();
  if (!steps_.empty() && control != nullptr && control->request().in_order) {
    in_order_.push_back(control->request().id);
  }
  steps_.push_back({here, current_});
}

failure line_check::contradiction(task_id behind, std::string_view device) const {
  return explained([&]() -> failure {
    const auto is_behind = [&](const step& s) {
      return s.task->control() != nullptr && s.task->control()->request().id == behind;
    };
    const auto last = std::find_if(steps_.begin() + 1, steps_.end(), is_behind);
    std::vector<std::string> names;
    for (auto at = static_cast<std::size_t>(last - steps_.begin()); at != 0; at = steps_[at].before)
      names.push_back(steps_[at].task->name());
    const std::string first = steps_.front().task->name();
    std::string text = first + " never starts: it ";
    for (std::size_t i = names.size(); i > 0; --i) {
      text += "waits for " + in_a_sentence(names[i - 1]) + ", which ";
    }
    text += "starts on " + std::string(device) + " only after " + in_a_sentence(first) +
            ". The order of tasks with in_order contradicts what they wait for.";
    return {failure_code::task_failed, text};
  });
}

}  // namespace hocket::detail
