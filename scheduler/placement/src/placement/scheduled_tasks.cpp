// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "placement/scheduled_tasks.hpp"

#include <algorithm>
#include <chrono>

namespace hocket::placement {

scheduled_tasks::held_task scheduled_tasks::entry_of(placed_task& t, const scheduled_task& place) {
  return {{schedule_keeper::due(t, place), place.turn}, t.age, &t};
}

void scheduled_tasks::add(placed_task& t, const scheduled_task& place) {
  t.upward = place.rank;
  t.phase = task_phase::scheduled;
  const held_task entry = entry_of(t, place);
  ++count_;
  all_.insert(entry);
  held_[place.device.value].insert(entry);
  s_.work.mark_dirty(place.device);
}

void scheduled_tasks::remove(placed_task& t) {
  const scheduled_task& place = schedule_keeper::recorded_place(t);
  const held_task entry = entry_of(t, place);
  --count_;
  all_.erase(entry);
  held_[place.device.value].erase(entry);
}

void scheduled_tasks::evacuate(device_id device, std::vector<placed_task*>& to) {
  while (const held_task* const first = held_[device.value].first()) {
    to.push_back(first->task);
    remove(*to.back());
  }
}

void scheduled_tasks::plan_late() {
  for (const submitted_run* const run : s_.schedules.take_late()) {
    std::vector<placed_task*> open;
    (void)all_.until([&](const held_task& held) {
      if (static_cast<const run_task*>(held.task)->part_of == run) open.push_back(held.task);
      return false;
    });
    for (placed_task* const t : open) remove(*t);
    for (placed_task* const t : open) {
      if (!t->on.valid()) {
        pool_.add(*t);
      } else {
        const bool is_left = s_.devices[t->on.value].is_left;
        queues_.enqueue(*t, is_left ? schedule_keeper::recorded_place(*t).device : t->on);
      }
    }
  }
}

void scheduled_tasks::release(placed_task& t) {
  remove(t);
  queues_.enqueue(t, schedule_keeper::recorded_place(t).device);
}

bool scheduled_tasks::is_idle(device_id device) {
  const auto is_idle_lane = [&](stream_id lane) { return s_.commands.load(lane).in_flight == 0; };
  // Tasks may be queued that cannot be next, because they wait for the turn of others.
  return std::ranges::any_of(s_.nodes.devices[device.value].compute, is_idle_lane) &&
         queues_.pick(device) == nullptr;
}

bool scheduled_tasks::is_wanted(const held_task& held) {
  const scheduled_task& place = schedule_keeper::recorded_place(*held.task);
  if (held.rank.due <= s_.now || schedule_keeper::is_ahead(*held.task, place)) return true;
  return schedule_keeper::is_next(*held.task, place) && is_idle(place.device);
}

void scheduled_tasks::release_due() {
  for (const held_task* first = all_.first(); first != nullptr && first->rank.due <= s_.now;
       first = all_.first()) {
    release(*first->task);
  }
}

bool scheduled_tasks::release(device_id device) {
  const held_queue& held = held_[device.value];
  bool some = false;
  for (const held_task* first = held.first(); first != nullptr && is_wanted(*first);
       first = held.first()) {
    release(*first->task);
    some = true;
  }
  return some;
}

void scheduled_tasks::await_due() {
  // Timers are set seldom, because other events come before that almost always.
  constexpr nanoseconds patience = std::chrono::milliseconds(1);
  const held_task& first = *all_.first();
  const nanoseconds late = std::max(patience, schedule_keeper::largest_delay(*first.task));
  const time_stamp at = std::max(first.rank.due, s_.now) + late;
  if (at >= awaited_) return;
  awaited_ = at;
  s_.work.actions().emplace_back(await_time{timed_part::schedule, at - s_.now});
}

bool scheduled_tasks::wake_idle() {
  // One that is later in the schedule waits for the first in vain until its own time has come.
  const held_task& first = *all_.first();
  if (!is_wanted(first)) return false;
  s_.work.mark_dirty(schedule_keeper::recorded_place(*first.task).device);
  return true;
}

}  // namespace hocket::placement
