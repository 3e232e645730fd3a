// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "placement/task_hold.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace hocket::placement {

void task_hold::take_all(const failure& why) {
  std::vector<placed_task*> held = pool_.take_all();
  for (std::size_t i = 0; i < s_.devices.size(); ++i) {
    const device_id device{i};
    if (placed_task* const waited = memory_.withdraw(device)) held.push_back(waited);
    for (placed_task* const t : queues_.queued_at(device)) {
      queues_.dequeue(*t);
      held.push_back(t);
    }
    scheduled_.evacuate(device, held);
  }
  for (const task_id id : std::exchange(s_.waiting, {})) {
    if (placed_task* const t = s_.tasks.find(id)) held.push_back(t);
  }
  for (placed_task* const t : held) {
    if (t->run.device.valid()) memory_.unpin(*t, s_.node_of(*t).memory);
    t->begin_attempt();
    if (t->is_recovery) {
      // All that it belongs to is planned anew.
      s_.work.end_later(*t, why);
    } else {
      take(*t);
    }
  }
}

void task_hold::release() {
  std::vector<placed_task*> all = s_.tasks.sorted();
  std::ranges::sort(all, {}, &placed_task::age);
  const auto held = std::exchange(held_, {});
  for (placed_task* const t : all) {
    const bool is_blocked = t->phase == task_phase::blocked;
    if (is_blocked && !t->poisoned && held.contains(t->id)) {
      // The task has had its turn, and has its bytes.
      placer_.place(*t);
    } else if (is_blocked || t->phase == task_phase::budget) {
      placer_.consider(*t);
    }
  }
}

void task_hold::pause() {
  s_.losses.pause(true);
  take_all({});
}

void task_hold::resume() {
  s_.losses.pause(false);
  if (!s_.losses.is_recovering()) release();
}

}  // namespace hocket::placement
