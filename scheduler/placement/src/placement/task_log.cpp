// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "placement/task_log.hpp"

#include <algorithm>
#include <string>
#include <utility>

namespace hocket::placement {

bool task_log::is_repeatable(const placed_task& t) {
  if (t.kind != task_kind::launch || t.host_only) return false;
  const kernel_definition& kernel = *t.launch->kernel;
  if (!kernel.keeps_captures) return true;
  // Texts are what they are; a function may do another thing when it is called again.
  return !kernel.sources.empty() &&
         std::ranges::none_of(kernel.sources,
                              [](const kernel_source& s) { return static_cast<bool>(s.native); });
}

logged_task* task_log::find(task_id task) {
  const auto found = positions_.find(task.value);
  return found == positions_.end() ? nullptr : &at(found->second);
}

bool task_log::have_ended(std::uint64_t position) const {
  return std::ranges::all_of(positions_, [&](const auto& each) {
    const logged_task& t = at(each.second);
    const auto reads = [](const logged_task::access& a) { return !writes_content(a.mode); };
    return each.second > position || (t.is_view && std::ranges::all_of(t.accesses, reads));
  });
}

void task_log::for_running(function_ref<void(const logged_task&)> visit) const {
  for (const auto& [task, position] : positions_) visit(at(position));
  for (const auto& [task, each] : cut_off_) visit(each);
}

void task_log::add(const placed_task& t) {
  positions_[t.id.value] = next();
  logged_task& made = log_.emplace_back();
  made.id = t.id;
  made.label = t.label;
  const bool has_name = !t.label.empty() || is_repeatable(t);
  if (!has_name) made.label = task_label(std::string(t.label_text()));
  made.bytes = t.bytes;
  made.trace_name = t.trace_name;
  made.on = t.on;
  made.is_view = t.kind == task_kind::view;
  made.is_brief = t.is_brief;
  for (const task_access& a : t.accesses) {
    made.accesses.push_back({array_part_ref(a.part), a.data, a.mode});
    ++uses_[a.data.value];
  }
  if (!is_repeatable(t)) return;
  made.kernel = t.launch->kernel;
  made.scalars = t.launch->scalars;
  made.cost = t.launch->cost;
  made.width = t.launch->width;
}

void task_log::add_drop(const tracked_buffer& buffer) {
  // Content that no task reads any more, but tasks that are run again may.
  logged_task& made = log_.emplace_back();
  made.ended = made.failed = true;
  made.accesses.push_back(
      {part_of_array(buffer.type, buffer.all.end, buffer.all), buffer.id, access_mode::write});
  ++uses_[buffer.id.value];
}

logged_task* task_log::end(task_id task) {
  cut_off_.erase(task);
  logged_task* const found = find(task);
  positions_.erase(task.value);
  return found;
}

void task_log::cut(std::uint64_t position) {
  for (; first_ <= position; ++first_, log_.pop_front()) {
    for (const logged_task::access& a : log_.front().accesses) {
      const auto uses = uses_.find(a.data.value);
      if (--uses->second == 0) uses_.erase(uses);
    }
    // A view that is open.
    const task_id id = log_.front().id;
    if (positions_.erase(id.value) > 0) cut_off_.emplace(id, std::move(log_.front()));
  }
}

}  // namespace hocket::placement
