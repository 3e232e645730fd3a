// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <algorithm>

#include "placement/engine.hpp"
#include "tasks/caught.hpp"

namespace hocket::placement {

namespace {

// An idle device looks at so many tasks of another device's queue for one to steal.
constexpr std::size_t steal_window = 16;

}  // namespace

void engine::place(placed_task& t) {
  if (t.kind == task_kind::domain) return open_nested(t);
  if (t.kind != task_kind::launch) return issue_view(t);
  const std::optional<device_id> device = choose_device(t);
  if (device) return enqueue(t, *device);
  const std::optional<device_id> on = t.on;
  const std::string lost =
      on ? machine_.devices[on->value].label_text() + " was lost: " + devices_[on->value].lost
         : "every device that could was lost.";
  end_later(t, failure(failure_code::no_device,
                       detail::task_name(t.label_text()) + " has no device to run on: " + lost));
}

std::optional<device_id> engine::choose_device(placed_task& t) const {
  if (!t.on) return policy_->choose(t, view_);
  // This changes only when the device is lost.
  t.suits = t.suits || view_.can_run(t, *t.on);
  return t.suits && devices_[t.on->value].alive ? t.on : std::nullopt;
}

void engine::enqueue(placed_task& t, device_id device) {
  device_record& d = devices_[device.value];
  t.run.device = device;
  t.run.predicted = costs_.estimate_of(*t.launch, device);
  t.run.may_leave = may_leave(t);
  if (alone_ && issue_at_once(t)) return;
  t.phase = task_phase::queued;
  d.queued += t.run.predicted.time;
  if (data_present(t)) {
    d.present.insert(place_of(t));
  } else {
    d.absent.insert(place_of(t));
    fetch_ahead(device);
  }
  if (!is_full(device)) mark_dirty(device);
}

void engine::dequeue(placed_task& t) {
  device_record& d = devices_[t.run.device.value];
  const bool was_there = d.present.erase(place_of(t)) || d.absent.erase(place_of(t));
  // One that was taken out to be issued, and could not be, comes again when it ends.
  if (was_there) d.queued -= t.run.predicted.time;
}

bool engine::data_present(const placed_task& t) const {
  const memory_id memory = machine_.devices[t.run.device.value].memory;
  // Content that a lane of this device is still computing counts as present: the launch is ordered
  // behind it.
  const auto there = [&](point arrives) {
    return !arrives.valid() || lanes_.is_lane_of(arrives.stream, t.run.device) ||
           commands_.done(arrives);
  };
  for (const task_access& a : t.accesses) {
    const buffer_state& at = *a.buffer->where;
    if (!reads_content(a.mode) || a.is_empty()) continue;
    if (const std::optional<point> one = coherence::ready(at, memory)) {
      if (!there(*one)) return false;
      continue;
    }
    if (!coherence_.valid(a.data, a.region(), memory)) return false;
    const timepoint_set arrives = coherence_.ready(a.data, a.region(), memory);
    if (!std::all_of(arrives.begin(), arrives.end(), there)) return false;
  }
  return true;
}

bool engine::steal_for(device_id thief) {
  placed_task* best = nullptr;
  for (std::size_t i = 0; i < devices_.size(); ++i) {
    const device_record& victim = devices_[i];
    // An idle device takes its task itself.
    if (i == thief.value || victim.present.empty() || lanes_.is_idle(device_id{i})) continue;
    std::size_t looked = 0;
    (void)victim.present.until_from_last([&](const place_in_queue& at) {
      if (looked++ == steal_window || best != nullptr) return true;
      placed_task* const t = at.task;
      // While its predecessors run on the device where it is queued, the task stays there.
      if (t->blockers > 0 || !view_.can_run(*t, thief)) return false;
      if (policy_->should_steal(*t, thief, view_)) best = t;
      return false;
    });
  }
  if (best == nullptr) return false;
  dequeue(*best);
  enqueue(*best, thief);
  return true;
}

}  // namespace hocket::placement
