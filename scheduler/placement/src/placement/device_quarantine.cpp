// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "placement/device_quarantine.hpp"

#include <algorithm>
#include <chrono>
#include <string>
#include <utility>

namespace hocket::placement {

namespace {

constexpr nanoseconds longest_rest = std::chrono::seconds(10);

}  // namespace

void device_quarantine::begin(device_id device, const failure& why) {
  if (!s_.devices[device.value].is_used()) return;
  if (first_rest_ == nanoseconds{0}) return give_up(device, why);
  ++s_.losses.counts.quarantined;
  s_.work.actions().emplace_back(warn{
      s_.nodes.devices[device.value].label_text() +
      " is not used for a while, because its commands fail one after another: " + why.message()});
  roster_.stop(device, device_state::quarantined);
  rest(device);
}

void device_quarantine::rest(device_id device) {
  nanoseconds time = first_rest_;
  for (std::size_t i = 0; i < s_.devices[device.value].probe.failed; ++i) {
    time = std::max(time, std::min(2 * time, longest_rest));
  }
  s_.work.actions().emplace_back(await_probe{device, time});
}

void device_quarantine::rest_ended(device_id device) {
  device_record& d = s_.devices[device.value];
  if (d.state != device_state::quarantined) return;
  d.probe.is_awaited = true;
  if (placed_task* const t = find_probe(device)) roster_.place_again(*t);
}

/// A task that waits, or that has not begun on another device; the oldest. None while tasks are
/// held: then the next one that is placed probes the device. A task whose turn has not come might
/// wait for another that waits for the device.
placed_task* device_quarantine::find_probe(device_id device) const {
  const auto may_be = [&](const placed_task& t) {
    if (s_.waiting.contains(t.id)) return true;
    const bool is_free = t.phase == task_phase::open ||
                         (t.phase == task_phase::queued && t.blockers == 0 && !t.run.fetching);
    return is_free && !s_.losses.holds_tasks() && t.kind == task_kind::launch;
  };
  for (placed_task* const t : s_.tasks.sorted()) {
    if (t->poisoned || !s_.throttle.has_turn(*t)) continue;
    if (may_be(*t) && s_.view.could_run(*t, device)) return t;
  }
  return nullptr;
}

void device_quarantine::launch_succeeded(device_id device, const placed_task& t) {
  if (s_.devices[device.value].probe.task != t.id) return;
  ++s_.losses.counts.readmitted;
  s_.work.actions().emplace_back(
      warn{s_.nodes.devices[device.value].label_text() + " is used again."});
  roster_.start(device);
}

void device_quarantine::command_failed(device_id device, const placed_task* t,
                                       const command_record& record, const failure& why) {
  const device_probe& probe = s_.devices[device.value].probe;
  if (t == nullptr && record.copy->from == s_.nodes.devices[device.value].memory) {
    // Content of the device cannot be fetched: only a loss lets it be made again.
    give_up(device, why);
  } else if (probe.task.valid() && probe.task == (t == nullptr ? record.task : t->id)) {
    probe_failed(device, why);
  }
}

void device_quarantine::probe_failed(device_id device, const failure& why) {
  device_probe& probe = s_.devices[device.value].probe;
  probe.task = {};
  if (++probe.failed >= max_probes) return give_up(device, why);
  rest(device);
}

void device_quarantine::give_up(device_id device, const failure& why) {
  const failure lost(
      failure_code::device_lost,
      s_.nodes.devices[device.value].label_text() +
          " is not used any more, because its commands fail one after another: " + why.message());
  (void)recovery_.expect_loss(lost);
  s_.work.actions().emplace_back(give_up_device{device, lost});
}

}  // namespace hocket::placement
