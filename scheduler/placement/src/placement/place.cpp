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

void engine::place(task& t) {
  if (t.request->kind == task_kind::domain) return open_domain(t);
  if (t.request->kind != task_kind::launch) return issue_view(t);
  const std::optional<device_id> device = choose_device(t);
  if (device) return enqueue(t, *device);
  const std::optional<device_id> on = t.request->on;
  const std::string lost =
      on ? machine_.devices[on->value].label_text() + " was lost: " + devices_[on->value].lost
         : "every device that could was lost.";
  end_later(t.request->id,
            failure(failure_code::no_device, detail::task_name(t.request->label_text()) +
                                                 " has no device to run on: " + lost));
}

bool engine::can_run(const request& r, device_id device) const {
  const machine::device_node& node = machine_.devices[device.value];
  if (!devices_[device.value].alive || (r.on && *r.on != device)) return false;
  if (r.host_only) return node.runs_host_tasks;
  if (!node.runs(*r.launch->kernel) || r.bytes > ledger_.capacity(node.memory)) return false;
  return node.largest_binding == 0 ||
         std::all_of(r.accesses.begin(), r.accesses.end(),
                     [&](const task_access& a) { return can_bind(a, node); });
}

bool engine::can_bind(const task_access& a, const machine::device_node& node) const {
  if (a.is_empty()) return true;
  const data_state& d = *data_.find(a.data);
  const index_list strides = dense_strides(d.all.end);
  std::uint64_t span = 1;
  for (std::size_t i = 0; i < strides.size(); ++i) {
    span += (a.region().end[i] - a.region().begin[i] - 1) * strides[i];
  }
  return span * d.element_size <= node.largest_binding;
}

std::optional<device_id> engine::choose_device(task& t) const {
  const request& r = *t.request;
  if (r.on) {
    // This changes only when the device is lost.
    t.suits = t.suits || can_run(r, *r.on);
    return t.suits && devices_[r.on->value].alive ? r.on : std::nullopt;
  }
  std::optional<device_id> best;
  std::optional<nanoseconds> best_end;  // not computed if only one device can run the task
  for (std::size_t i = 0; i < devices_.size(); ++i) {
    const device_id device{i};
    if (!can_run(r, device)) continue;
    if (!best) {
      best = device;
      continue;
    }
    if (!best_end) best_end = predicted_end(t, *best);
    const nanoseconds end = predicted_end(t, device);
    if (end < *best_end) {
      best = device;
      best_end = end;
    }
  }
  return best;
}

nanoseconds engine::predicted_end(const task& t, device_id device) const {
  const request& r = *t.request;
  const machine::device_node& node = machine_.devices[device.value];
  const device_state& d = devices_[device.value];
  const nanoseconds backlog =
      (d.queued + d.backlog) / static_cast<std::int64_t>(node.compute.size());
  nanoseconds arrival{0};
  for (std::size_t i = 0; i < t.data.size(); ++i) {
    const task_access& a = r.accesses[i];
    if (!reads_content(a.mode) || coherence::ready(*t.data[i]->where, node.memory)) continue;
    const std::uint64_t bytes = coherence_.missing(a.data, a.region(), node.memory);
    if (bytes == 0) continue;
    if (machine_.link_between(host_memory, node.memory)) {
      arrival += costs_.predict_copy(host_memory, node.memory, bytes);
    }
  }
  return std::max(backlog, arrival) + costs_.predict(*r.launch, device);
}

void engine::enqueue(task& t, device_id device) {
  device_state& d = devices_[device.value];
  t.device = device;
  t.predicted = costs_.estimate_of(*t.request->launch, device);
  t.may_leave = may_leave(t);
  if (alone_ && issue_at_once(t)) return;
  t.state = phase::queued;
  d.queued += t.predicted.time;
  if (data_present(t)) {
    d.present.insert(place_of(t));
  } else {
    d.absent.insert(place_of(t));
    fetch_ahead(device);
  }
  if (!is_full(device)) mark_dirty(device);
}

void engine::dequeue(task& t) {
  device_state& d = devices_[t.device.value];
  const bool was_there = d.present.erase(place_of(t)) || d.absent.erase(place_of(t));
  // One that was taken out to be issued, and could not be, comes again when it ends.
  if (was_there) d.queued -= t.predicted.time;
}

bool engine::data_present(const task& t) const {
  const memory_id memory = machine_.devices[t.device.value].memory;
  // Content that a lane of this device is still computing counts as present: the launch is ordered
  // behind it.
  const auto there = [&](point arrives) {
    return !arrives.valid() || lanes_[arrives.stream.value].device == t.device ||
           commands_.done(arrives);
  };
  data_state* const* used = t.data.data();
  for (const task_access& a : t.request->accesses) {
    const buffer_state& at = *(*used++)->where;
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
  task* best = nullptr;
  for (std::size_t i = 0; i < devices_.size(); ++i) {
    const device_state& victim = devices_[i];
    // An idle device takes its task itself.
    if (i == thief.value || victim.present.empty() || idle(device_id{i})) continue;
    std::size_t looked = 0;
    (void)victim.present.until_from_last([&](const place_in_queue& at) {
      if (looked++ == steal_window || best != nullptr) return true;
      task* t = find(at.task);
      // While its predecessors run on the device where it is queued, the task stays there.
      if (t->blockers > 0 || !can_run(*t->request, thief)) return false;
      if (predicted_end(*t, thief) < predicted_end(*t, t->device)) best = t;
      return false;
    });
  }
  if (best == nullptr) return false;
  dequeue(*best);
  enqueue(*best, thief);
  return true;
}

}  // namespace hocket::placement
