// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "placement/stuck_tasks.hpp"

#include <algorithm>
#include <limits>
#include <string>

namespace hocket::placement {

void stuck_tasks::fail(device_id device) {
  find_stuck_commands(device);
  const std::vector<placed_task*> fetching = set_fetches_aside();
  if (s_.log.is_on()) return;
  const failure why(failure_code::device_lost, s_.devices[device.value].lost);
  s_.commands.each([&](const command_record& c) {
    if (is_stuck(c.number)) fail_tasks_of(c, why);
  });
  for (placed_task* const t : fetching) {
    finisher_.cancel(*t, why.downstream(std::string(t->label_text())));
  }
  fail_tasks_that_name(device);
}

/// All commands of the device are stuck, and on other devices those that come after a stuck one.
void stuck_tasks::find_stuck_commands(device_id device) {
  first_.assign(s_.nodes.streams.size(), std::numeric_limits<std::uint64_t>::max());
  for (std::size_t i = 0; i < first_.size(); ++i) {
    if (s_.nodes.streams[i].device == device) first_[i] = 0;
  }
  for (bool is_new = true; is_new;) {
    is_new = false;
    s_.commands.each([&](const command_record& c) {
      if (is_stuck(c.number) || c.after == nullptr) return;
      if (!std::any_of(c.after->begin(), c.after->end(), [&](point p) { return is_stuck(p); })) {
        return;
      }
      first_[c.number.stream.value] = c.number.value;
      is_new = true;
    });
  }
}

bool stuck_tasks::is_stuck(point number) const {
  return number.value >= first_[number.stream.value] && !s_.commands.done(number);
}

void stuck_tasks::fail_tasks_of(const command_record& c, const failure& why) {
  if (c.copy != nullptr) return fail_views_of(*c.copy, why);
  placed_task& t = *c.launched;
  if (t.is_preparation || t.is_duplicate) return;
  finisher_.fail_early(t, s_.failed_on_device(t, why));
}

/// A view that was issued has no command.
void stuck_tasks::fail_views_of(const copied_part& copy, const failure& why) {
  if (copy.to != host_memory) return;
  for (const task_id each : s_.awaited_views) {
    placed_task* const view = s_.tasks.find(each);
    if (view == nullptr) continue;
    const bool reads_it = std::ranges::any_of(view->accesses, [&](const task_access& a) {
      return a.data == copy.data && reads_content(a.mode) && overlap(a.region(), copy.region);
    });
    if (reads_it) s_.work.end_later(*view, view->behind(why));
  }
}

/// Returns the tasks whose data do not come.
std::vector<placed_task*> stuck_tasks::set_fetches_aside() {
  std::vector<placed_task*> found;
  for (const device_record& d : s_.devices) {
    (void)d.absent.until([&](const place_in_queue& place) {
      if (awaits_stuck_copy(*place.task)) found.push_back(place.task);
      return false;
    });
  }
  for (const placed_task* const t : found) fetches_.set_aside(*t);
  return found;
}

bool stuck_tasks::awaits_stuck_copy(const placed_task& t) const {
  if (!t.run.fetching) return false;
  const memory_id memory = s_.node_of(t).memory;
  return std::ranges::any_of(t.accesses, [&](const task_access& a) {
    if (!reads_content(a.mode) || a.is_empty()) return false;
    const timepoint_set arrives = s_.content.ready(a.data, a.region(), memory);
    return std::any_of(arrives.begin(), arrives.end(), [&](point p) { return is_stuck(p); });
  });
}

void stuck_tasks::fail_tasks_that_name(device_id device) {
  for (const task_id each : s_.waiting) {
    placed_task* const t = s_.tasks.find(each);
    if (t != nullptr && t->on == device) s_.work.end_later(*t, s_.without_device(*t));
  }
}

}  // namespace hocket::placement
