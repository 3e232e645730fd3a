// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "placement/device_queues.hpp"

#include <algorithm>

namespace hocket::placement {

namespace {

// An idle device looks at so many tasks of another device's queue for one to steal.
constexpr std::size_t steal_window = 16;

// While a task of a device waits for memory, a task that needs none is looked for only among so
// many at the front of the queue. Likewise while tasks wait for a lane in which others are.
constexpr std::size_t overtake_window = 16;

}  // namespace

bool may_leave(const kernel_definition& kernel, const machine::device_node& on) {
  if (!on.runs_host_tasks) return false;
  if (kernel.sequence.empty()) return kernel.sources.empty();
  return std::ranges::any_of(kernel.sequence,
                             [](const kernel_part& part) { return part.kernel->sources.empty(); });
}

void device_queues::enqueue(placed_task& t, device_id device) {
  device_record& d = s_.devices[device.value];
  if (t.traced != nullptr) s_.decisions.chosen(t, device, s_);
  if (t.is_of_run) s_.schedules.chosen(static_cast<run_task&>(t), device, s_.now);
  t.run.device = device;
  t.run.predicted = s_.costs.estimate_of(*t.launch, device);
  t.run.may_leave = may_leave(*t.launch->kernel, s_.node_of(t));
  t.run.is_trial = is_trial(t);
  if (s_.is_alone && issue_at_once(t)) return;
  t.phase = task_phase::queued;
  d.queued.add(t.run.predicted.time);
  if (d.waiting++ == 0) with_tasks_.insert(device.value);
  if (t.in_order) {
    ++d.in_line;
    ++s_.in_line;
  }
  if (data_present(t)) {
    d.present.insert(place_of(t));
  } else {
    d.absent.insert(place_of(t));
    fetches_.fetch_ahead(device);
  }
  if (!is_full(device)) s_.work.mark_dirty(device);
}

/// A task that is repeated where its device fails need not be a trial.
bool device_queues::is_trial(const placed_task& t) const {
  if (!s_.node_of(t).compiles() || s_.log.is_on()) return false;
  return !s_.device_of(t).compiled.contains(t.launch->kernel);
}

void device_queues::wake_thieves() {
  for (std::size_t i = 0; i < s_.devices.size(); ++i) {
    if (s_.lanes.is_idle(device_id{i}) && s_.devices[i].is_empty()) {
      s_.work.mark_dirty(device_id{i});
    }
  }
}

/// No task comes after it yet: it was just submitted.
bool device_queues::issue_at_once(placed_task& t) {
  const device_record& d = s_.device_of(t);
  if (!d.is_empty() || d.reserving != nullptr || !s_.throttle.has_turn(t)) return false;
  const std::optional<std::size_t> lane = issuer_.free_lane(t);
  return lane && issuer_.issue_present(t, *lane);
}

void device_queues::dequeue(placed_task& t) {
  device_record& d = s_.device_of(t);
  const bool was_there = d.present.erase(place_of(t)) || d.absent.erase(place_of(t));
  // One that was taken out to be issued, and could not be, comes again when it ends.
  if (!was_there) return;
  d.queued.take_away(t.run.predicted.time);
  if (--d.waiting == 0) with_tasks_.set(t.run.device.value, false);
  if (t.in_order) {
    --d.in_line;
    --s_.in_line;
  }
}

bool device_queues::data_present(const placed_task& t) const {
  const memory_id memory = s_.node_of(t).memory;
  // Content that a lane of this device is still computing counts as present: the launch is ordered
  // behind it.
  const auto there = [&](point arrives) {
    return !arrives.valid() || s_.lanes.is_lane_of(arrives.stream, t.run.device) ||
           s_.commands.done(arrives);
  };
  for (const task_access& a : t.accesses) {
    const buffer_state& at = *a.buffer->where;
    if (!reads_content(a.mode) || a.is_empty()) continue;
    if (const std::optional<point> one = coherence::ready(at, memory)) {
      if (!there(*one)) return false;
      continue;
    }
    if (!s_.content.valid(a.data, a.region(), memory)) return false;
    const timepoint_set arrives = s_.content.ready(a.data, a.region(), memory);
    if (!std::all_of(arrives.begin(), arrives.end(), there)) return false;
  }
  return true;
}

std::vector<placed_task*> device_queues::queued_at(device_id device) const {
  const device_record& d = s_.devices[device.value];
  std::vector<placed_task*> all;
  for (const task_queue* queue : {&d.present, &d.absent}) {
    (void)queue->until([&](const place_in_queue& p) {
      all.push_back(p.task);
      return false;
    });
  }
  return all;
}

placed_task* device_queues::pick(device_id device) {
  const device_record& d = s_.devices[device.value];
  if (d.reserving != nullptr) {
    // Tasks that use the block in its way could keep that for ever.
    if (d.reserving->run.awaits_band) return nullptr;
    return pick_without_needs(d, s_.nodes.devices[device.value].memory);
  }
  std::size_t without_lane = 0;
  const auto has_turn = [&](const place_in_queue& place) {
    const placed_task& t = *place.task;
    if (!s_.throttle.has_turn(t)) return false;
    if (t.blockers == 0 || issuer_.free_lane(t)) return true;
    ++without_lane;
    return false;
  };
  // Very many tasks may follow one.
  const std::size_t most = overtake_window + 2 * s_.view.lanes(device);
  if (d.absent.empty()) {
    const place_in_queue* const first = d.present.first_in_turn();
    if (first != nullptr && has_turn(*first)) return first->task;
  }
  placed_task* ready = nullptr;
  (void)d.present.until([&](const place_in_queue& place) {
    if (has_turn(place)) ready = place.task;
    return ready != nullptr || without_lane > most;
  });
  if (d.absent.empty() || !prefetcher::has_room(d)) return ready;
  placed_task* refused = nullptr;
  (void)d.absent.until([&](const place_in_queue& place) {
    if (!place.task->run.fetching && has_turn(place)) refused = place.task;
    return refused != nullptr || without_lane > most;
  });
  // Fetching ahead takes free memory only. A task that it could not serve is committed with its
  // copies, and with evictions, when it comes first or when the device would stand idle.
  if (refused == nullptr) return ready;
  if (ready == nullptr) return s_.lanes.is_idle(device) ? refused : nullptr;
  return place_of(*refused) < place_of(*ready) ? refused : ready;
}

placed_task* device_queues::pick_without_needs(const device_record& d, memory_id memory) const {
  placed_task* found = nullptr;
  std::size_t looked = 0;
  (void)d.present.until([&](const place_in_queue& place) {
    if (++looked > overtake_window) return true;
    placed_task* const t = place.task;
    if (s_.throttle.has_turn(*t) && s_.replicas.needs_of(*t, memory).empty()) found = t;
    return found != nullptr;
  });
  return found;
}

/// While its predecessors run on the device where it is queued, or copies are on the way there, a
/// task stays.
bool device_queues::should_steal(const placed_task& t, device_id thief) {
  return t.blockers == 0 && !t.run.fetching && !t.in_order && s_.view.can_run(t, thief) &&
         s_.chooser->should_steal(t, thief, s_.view);
}

bool device_queues::steal_for(device_id thief) {
  placed_task* best = nullptr;
  with_tasks_.until([&](std::size_t i) {
    const device_record& victim = s_.devices[i];
    // An idle device takes its task itself.
    if (i == thief.value || s_.lanes.is_idle(device_id{i})) return false;
    for (const task_queue* const queue : {&victim.absent, &victim.present}) {
      std::size_t looked = 0;
      (void)queue->until_from_last([&](const place_in_queue& at) {
        if (looked++ == steal_window || best != nullptr) return true;
        if (should_steal(*at.task, thief)) best = at.task;
        return false;
      });
    }
    return best != nullptr;
  });
  if (best == nullptr) return false;
  dequeue(*best);
  enqueue(*best, thief);
  return true;
}

}  // namespace hocket::placement
