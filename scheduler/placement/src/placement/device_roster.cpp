// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "placement/device_roster.hpp"

#include <algorithm>
#include <utility>

#include "placement/schedule_keeper.hpp"

namespace hocket::placement {

void device_roster::set(device_id device, device_state state) {
  device_record& d = s_.devices[device.value];
  if (d.state == device_state::quarantined) --s_.quarantined;
  d.state = state;
  d.is_left = !d.alive() && s_.log.is_on();
  if (d.is_left) s_.throttle.line_may_run_anywhere();
  if (state == device_state::quarantined) ++s_.quarantined;
  d.is_waited_for = false;
  // Tasks may have no other device now than one that compiles their kernel.
  for (device_record& each : s_.devices) each.compiling.clear();
  ++s_.changes;
  s_.costs.note_change();
}

void device_roster::stop(device_id device, device_state as) {
  set(device, as);
  // Otherwise the reservation would be granted, and the task issued here, when a block is freed.
  placed_task* const reserving = memory_.withdraw(device);
  for (placed_task* const t : take_tasks(device, reserving)) {
    // Data that were fetched to a hung device do not come.
    if (as == device_state::hung) t->run.fetching = false;
    // One that was queued behind its predecessors waits for their ends.
    t->blockers > 0 ? placer_.consider(*t) : placer_.place(*t);
  }
  pool_.look_again();
  place_waiting();
}

void device_roster::start(device_id device) {
  set(device, device_state::in_use);
  s_.devices[device.value].probe = {};
  place_waiting();
  pool_.look_again();
  s_.work.mark_dirty(device);
}

void device_roster::place_elsewhere(device_id device, placed_task* reserving) {
  for (placed_task* const t : take_tasks(device, reserving)) placer_.place(*t);
}

void device_roster::place_waiting() {
  for (const task_id id : std::exchange(s_.waiting, {})) {
    if (placed_task* const t = s_.tasks.find(id)) placer_.place(*t);
  }
}

std::vector<placed_task*> device_roster::movable_at(device_id device) const {
  std::vector<placed_task*> found = queues_.queued_at(device);
  std::erase_if(found, [](const placed_task* t) {
    return t->blockers > 0 || t->on.valid() || t->run.fetching ||
           schedule_keeper::place_of(*t) != nullptr;
  });
  return found;
}

void device_roster::place_again(placed_task& t) {
  if (t.phase == task_phase::open) pool_.remove(t);
  if (t.phase == task_phase::queued) queues_.dequeue(t);
  s_.waiting.erase(t.id);
  t.begin_attempt();
  placer_.place(t);
}

std::vector<placed_task*> device_roster::take_tasks(device_id device, placed_task* reserving) {
  std::vector<placed_task*> taken = queues_.queued_at(device);
  if (reserving != nullptr) taken.push_back(reserving);
  scheduled_.evacuate(device, taken);
  std::ranges::sort(taken, {}, [](const placed_task* t) { return t->id; });
  const memory_id memory = s_.nodes.devices[device.value].memory;
  for (placed_task* const t : taken) {
    if (t->phase == task_phase::queued) queues_.dequeue(*t);
    memory_.unpin(*t, memory);
    t->begin_attempt();
  }
  return taken;
}

}  // namespace hocket::placement
