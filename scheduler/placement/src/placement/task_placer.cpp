// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "placement/task_placer.hpp"

#include <algorithm>

#include "placement/time_counts.hpp"

namespace hocket::placement {

void task_placer::consider(placed_task& t) {
  if (s_.losses.holds(t)) return;
  if (t.phase != task_phase::blocked) {
    if (t.poisoned && !t.is_issued()) s_.work.end_later(t, t.poisoned);
    return;
  }
  // A poisoned task waits like any other: its outputs are poisoned after all tasks before it have
  // taken their versions, and not earlier.
  const bool waits =
      (t.order > 0 || t.unissued > 0) && !(t.poisoned && seeded_bug(bug::poison_out_of_order));
  if (waits) return;
  if (t.poisoned && !t.is_refused) return s_.work.end_later(t, t.poisoned);
  if (t.traced != nullptr && t.blockers == 0) decision_log::ready(t, s_.now);
  if (t.blockers > 0) {
    leave_lost_device(t);
    if (const auto device = device_behind_predecessors(t)) enqueue(t, *device, kept_place(t));
  } else if (t.takes_bytes()) {
    t.phase = task_phase::budget;
    s_.throttle.want_bytes(t);
    fetches_.fetch_early(t);
  } else {
    place(t);
  }
}

/// A task that survives is not bound to a device that is gone. One in order stays in its line. All
/// tasks wait for those of a recovery, which are not bound to a device that is drained either.
void task_placer::leave_lost_device(placed_task& t) const {
  if ((s_.lost == 0 && !t.is_recovery) || !t.on.valid() || t.in_order) return;
  const device_record& named = s_.devices[t.on.value];
  if (named.is_left || (t.is_recovery && !named.is_used())) t.on = {};
}

/// All tasks in order of a device that is left go to one other, where their data stay, if that can
/// run them.
std::optional<device_id> task_placer::stand_in_for(placed_task& t) const {
  device_record& left = s_.devices[t.on.value];
  if (left.stand_in.valid() && s_.view.can_run(t, left.stand_in)) return left.stand_in;
  const std::optional<device_id> chosen = s_.chooser->choose(t, s_.view);
  if (chosen) left.stand_in = *chosen;
  return chosen;
}

/// The device on which a task may be enqueued before its predecessors end; none if it has to wait.
std::optional<device_id> task_placer::device_behind_predecessors(placed_task& t) const {
  if (t.kind != task_kind::launch || t.takes_bytes()) return std::nullopt;
  device_id common;
  for (const task_edge& edge : t.edges) {
    const placed_task* const before = edge.before;
    if (before == nullptr || !before->is_issued()) continue;
    // A task that was issued behind the first run would wait for that.
    if (s_.duplicates.is_any() && s_.duplicates.of(before->id) != nullptr) return std::nullopt;
    const device_id device = before->run.device;
    if (before->poisoned || (common.valid() && device != common)) return std::nullopt;
    common = device;
  }
  // A device with a queue of its own orders the two itself; elsewhere the task would block a lane.
  if (!common.valid() || s_.nodes.devices[common.value].depth == 1) return std::nullopt;
  if (const scheduled_task* const kept = kept_place(t)) {
    return kept->device == common ? std::optional(common) : std::nullopt;
  }
  if (choose_device(t) != common || preparations_.begin(t, common)) return std::nullopt;
  return common;
}

void task_placer::place(placed_task& t) {
  if (t.kind != task_kind::launch) return views_.open(t);
  leave_lost_device(t);
  if (s_.quarantined > 0) {
    if (const auto probed = probed_device(t)) return queues_.enqueue(t, *probed);
  }
  if (const scheduled_task* const kept = kept_place(t)) return scheduled_.add(t, *kept);
  if (!t.on.valid() && s_.plans_ahead()) return pool_.add(t);
  const std::optional<device_id> device = choose_device(t);
  if (device) return queues_.enqueue(t, *device);
  if (!s_.waits_for_device(t)) s_.work.end_later(t, s_.without_device(t));
}

/// The quarantined device that the task is to probe, or has begun to; none if it is no probe. All
/// tasks wait for those of a recovery, which are not put at risk while another device can run them.
std::optional<device_id> task_placer::probed_device(const placed_task& t) const {
  if (!s_.throttle.has_turn(t)) return std::nullopt;
  for (std::size_t i = 0; t.is_recovery && i < s_.devices.size(); ++i) {
    if (s_.view.can_run(t, device_id{i})) return std::nullopt;
  }
  for (std::size_t i = 0; i < s_.devices.size(); ++i) {
    device_record& d = s_.devices[i];
    if (d.state != device_state::quarantined) continue;
    if (!d.probe.is_awaited && d.probe.task != t.id) continue;
    if (!s_.view.could_run(t, device_id{i})) continue;
    d.probe.is_awaited = false;
    d.probe.task = t.id;
    return device_id{i};
  }
  return std::nullopt;
}

/// Where the task is in the schedule that its run repeats; null if it repeats none, or not there.
const scheduled_task* task_placer::kept_place(placed_task& t) const {
  const scheduled_task* const place = schedule_keeper::place_of(t);
  if (place == nullptr || !s_.devices[place->device.value].is_used()) return nullptr;
  t.suits = t.suits || s_.view.can_run(t, place->device);
  return t.suits ? place : nullptr;
}

void task_placer::enqueue(placed_task& t, device_id device, const scheduled_task* kept) {
  if (kept != nullptr) t.upward = kept->rank;
  queues_.enqueue(t, device);
}

std::optional<device_id> task_placer::choose_device(placed_task& t) const {
  if (!t.on.valid() && s_.devices.size() == 1) {
    const device_id only{0};
    return s_.view.can_run(t, only) ? std::optional(only) : std::nullopt;
  }
  if (!t.on.valid()) return s_.chooser->choose(t, s_.view);
  if (s_.devices[t.on.value].is_left) return stand_in_for(t);
  // This changes only when the device is lost.
  t.suits = t.suits || s_.view.can_run(t, t.on);
  if (t.suits && s_.devices[t.on.value].is_used()) return t.on;
  return std::nullopt;
}

void task_placer::future_ended(external_ended& e) {
  placed_task* t = s_.tasks.find(e.task);
  if (t == nullptr) return;
  --t->blockers;
  --t->unissued;
  if (e.why && !t->poisoned && !seeded_bug(bug::ignore_external)) t->poisoned = e.why;
  consider(*t);
}

void task_placer::pass_followers(placed_task& t) {
  if (t.has_to_end()) return;
  for (task_edge& edge : t.followers) {
    if (edge.waits_for_end) continue;
    placed_task& next = *edge.after;
    if (edge.kind == edge_kind::order) {
      --next.order;
      edge.is_passed = true;
    } else {
      --next.unissued;
    }
    consider(next);
  }
}

void task_placer::note_end_before(placed_task& next, const placed_task& ended) {
  next.traced->cause = ended.id;
  if (ended.traced == nullptr) return;
  const nanoseconds chain = limited_sum(ended.traced->before, ended.traced->least);
  next.traced->before = std::max(next.traced->before, chain);
}

void task_placer::release_followers(placed_task& t, bool was_passed, const failure& why) {
  for (const task_edge& edge : t.followers) {
    if (edge.is_passed) continue;
    placed_task& next = *edge.after;
    if (edge.kind == edge_kind::order) {
      --next.order;
    } else {
      --next.blockers;
      if (!was_passed || edge.waits_for_end) --next.unissued;
      if (next.traced != nullptr) note_end_before(next, t);
      // A task within a nested domain looks for poison itself when it starts.
      if (why && next.kind != task_kind::domain) next.poison_behind(why);
    }
    const std::unique_ptr<failure>& early = next.run.early_result;
    if (early && next.blockers == 0) {
      s_.work.end_later(next, next.poisoned ? next.poisoned : *early);
    } else {
      consider(next);
    }
  }
}

}  // namespace hocket::placement
