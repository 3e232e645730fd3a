// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "placement/scheduled_tasks.hpp"

#include <algorithm>

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
      t->on.valid() ? queues_.enqueue(*t, t->on) : pool_.add(*t);
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

/// True if a command is in flight whose end needs nothing of the program: a body of the host may
/// wait for what another task does.
bool scheduled_tasks::has_to_come() const {
  for (std::size_t i = 0; i < s_.devices.size(); ++i) {
    if (!s_.nodes.devices[i].runs_host_tasks && !s_.lanes.is_idle(device_id{i})) return true;
  }
  // Copies alone may be in flight.
  std::size_t bodies = s_.commands.apart().size();
  for (std::size_t i = 0; i < s_.devices.size(); ++i) {
    if (s_.nodes.devices[i].runs_host_tasks) bodies += s_.lanes.in_flight(device_id{i});
  }
  return s_.commands.in_flight() > bodies;
}

bool scheduled_tasks::is_wanted(const held_task& held) {
  const scheduled_task& place = schedule_keeper::recorded_place(*held.task);
  if (held.rank.due <= s_.now || schedule_keeper::is_ahead(*held.task, place)) return true;
  if (!is_idle(place.device)) return false;
  return schedule_keeper::is_next(*held.task, place) || !has_to_come();
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

bool scheduled_tasks::wake_idle() {
  bool some = false;
  // Those that wait for a turn wait for the first, and it alone can have one.
  if (has_to_come()) {
    some = is_wanted(*all_.first());
    if (some) s_.work.mark_dirty(schedule_keeper::recorded_place(*all_.first()->task).device);
    return some;
  }
  for (std::size_t i = 0; i < held_.size(); ++i) {
    const held_task* const first = held_[i].first();
    if (first == nullptr || !is_wanted(*first)) continue;
    s_.work.mark_dirty(device_id{i});
    some = true;
  }
  return some;
}

}  // namespace hocket::placement
