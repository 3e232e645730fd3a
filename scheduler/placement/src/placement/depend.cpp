// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <algorithm>

#include "data/seeded_bug.hpp"
#include "placement/engine.hpp"

namespace hocket::placement {

void engine::consider(placed_task& t) {
  if (t.phase != task_phase::blocked) {
    if (t.poisoned && !t.is_issued()) end_later(t, t.poisoned);
    return;
  }
  // A poisoned task waits like any other: its outputs are poisoned after all tasks before it have
  // taken their versions, and not earlier.
  if (t.poisoned && seeded_bug(bug::poison_out_of_order)) return end_later(t, t.poisoned);
  if (t.order > 0 || t.unissued > 0) return;
  if (t.poisoned) return end_later(t, t.poisoned);
  if (t.blockers == 0) return start(t);
  if (const auto device = device_behind_predecessors(t)) enqueue(t, *device);
}

/// The device on which a task may be enqueued before its predecessors end; none if it has to wait.
std::optional<device_id> engine::device_behind_predecessors(placed_task& t) const {
  if (t.kind != task_kind::launch || t.takes_bytes()) return std::nullopt;
  device_id common;
  for (const task_edge& edge : t.edges) {
    const placed_task* const before = edge.before;
    if (before == nullptr || !before->is_issued()) continue;
    if (before->poisoned || (common.valid() && before->run.device != common)) return std::nullopt;
    common = before->run.device;
  }
  // A device with a queue of its own orders the two itself; elsewhere the task would block a lane.
  if (!common.valid() || machine_.devices[common.value].depth == 1) return std::nullopt;
  return choose_device(t) == common ? std::optional(common) : std::nullopt;
}

void engine::start(placed_task& t) {
  if (t.takes_bytes()) {
    t.phase = task_phase::budget;
    throttle_.want_bytes(throttled(t));
    fetch_early(t);
    return;
  }
  place(t);
}

}  // namespace hocket::placement
