// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "placement/task_issuer.hpp"

#include <algorithm>
#include <cassert>
#include <utility>

#include "placement/recovery_run.hpp"

namespace hocket::placement {

std::optional<std::size_t> task_issuer::free_lane(const placed_task& t) const {
  const machine::device_node& node = s_.node_of(t);
  const number_set& open = s_.lanes.open(t.run.device);
  if (t.launch->width == body_width::wide) {
    return open.size() == node.compute.size() ? std::optional<std::size_t>(0) : std::nullopt;
  }
  if (open.empty()) return std::nullopt;
  // A lane of the host would stand still while the task waits for one in another lane, and others
  // could run there.
  if (t.blockers > 0 && node.runs_host_tasks && node.compute.size() > 1) {
    return lane_of_predecessors(t);
  }
  if (open.size() == 1) return open.first();
  // In the lane of its predecessor the command needs no wait.
  const auto follows_on = [&](stream_id stream) {
    return std::ranges::any_of(t.edges, [&](const task_edge& edge) {
      return edge.before != nullptr && edge.before->run.number.stream == stream;
    });
  };
  std::optional<std::size_t> best;
  nanoseconds least = nanoseconds::max();
  open.until([&](std::size_t at) {
    const stream_id stream = node.compute[at];
    const nanoseconds backlog = s_.commands.load(stream).backlog;
    const bool follows = !t.edges.empty() && follows_on(stream);
    if (best && !follows && backlog >= least) return false;
    best = at;
    least = backlog;
    return follows || (t.edges.empty() && backlog == nanoseconds{0});
  });
  return best;
}

std::optional<std::size_t> task_issuer::lane_of_predecessors(const placed_task& t) const {
  const machine::device_node& node = s_.node_of(t);
  std::optional<std::size_t> found;
  s_.lanes.open(t.run.device).until([&](std::size_t at) {
    const bool has_all = std::ranges::all_of(t.edges, [&](const task_edge& edge) {
      return edge.before == nullptr || edge.before->run.number.stream == node.compute[at];
    });
    if (has_all) found = at;
    return has_all;
  });
  return found;
}

bool task_issuer::issue_present(placed_task& t, std::size_t lane) {
  const machine::device_node& node = s_.node_of(t);
  for (const task_access& a : t.accesses) {
    if (!a.is_all || !coherence::at_hand(*a.buffer->where, node.memory, reads_content(a.mode))) {
      return false;
    }
  }
  if (s_.duplicates.is_on()) note_older(t);
  t.run.number = s_.commands.next(node.compute[lane]);
  const std::uint32_t pins = seeded_bug(bug::forget_pins) ? 0 : 1;
  timepoint_set waits;
  coherence::whole_access how{
      .data = {}, .memory = node.memory, .number = t.run.number, .task = t.id, .pins = pins};
  for (task_access& a : t.accesses) {
    a.buffer->last_use = ++uses_;
    a.is_pinned = pins > 0;
    how.data = a.data;
    how.writes = writes_content(a.mode);
    a.block = s_.content.note_at_hand(*a.buffer->where, how, waits);
    if (how.writes) ++a.buffer->changes;
  }
  t.run.wrote = true;
  plan(t, lane, std::move(waits));
  mark_issued(t);
  return true;
}

void task_issuer::issue(placed_task& t) {
  const machine::device_node& node = s_.node_of(t);
  // The reservation may have been granted late: then the lane that the task needs is not free, and
  // the command queues in another one, open or not.
  const number_set& open = s_.lanes.open(t.run.device);
  const std::size_t lane = free_lane(t).value_or(open.empty() ? 0 : open.first());
  if (s_.duplicates.is_on()) note_older(t);
  timepoint_set waits = acquire(t, node.memory);
  t.run.number = s_.commands.next(node.compute[lane]);
  for (task_access& a : t.accesses) {
    assert(a.is_empty() || s_.content.has_room(a.data, a.region(), node.memory));
    a.block = s_.content.block(a.data, node.memory);
  }
  plan(t, lane, std::move(waits));
  note_accesses(t, node.memory, t.run.number);
  mark_issued(t);
}

/// Notes which other memories have what the task updates: a duplicate of it may begin with that.
void task_issuer::note_older(const placed_task& t) {
  if (t.on.valid() || t.host_only || t.is_recovery) return;
  const memory_id own = s_.node_of(t).memory;
  for (std::size_t i = 0; i < t.accesses.size(); ++i) {
    const task_access& a = t.accesses[i];
    if (!reads_content(a.mode) || !writes_content(a.mode) || a.is_empty()) continue;
    for (std::size_t m = 0; m < s_.nodes.memories.size(); ++m) {
      const memory_id memory{m};
      if (memory == own || !s_.content.valid(a.data, a.region(), memory)) continue;
      if (s_.content.band(a.data, memory) != nullptr) continue;
      if (!s_.commands.all_done(s_.content.ready(a.data, a.region(), memory))) continue;
      s_.duplicates.note_older(t.id, {i, memory, s_.content.block(a.data, memory)});
    }
  }
}

timepoint_set task_issuer::acquire(const placed_task& t, memory_id memory) {
  timepoint_set waits;
  for (const task_access& a : t.accesses) {
    if (a.is_empty()) continue;
    if (reads_content(a.mode)) waits.add(s_.transfers.bring(a.data, a.region(), memory, t.id));
  }
  for (const task_access& a : t.accesses) {
    if (a.is_empty()) continue;
    if (writes_content(a.mode)) waits.add(s_.content.before_write(a.data, a.region(), memory));
    a.buffer->last_use = ++uses_;
  }
  return waits;
}

void task_issuer::log_issue(const placed_task& t, memory_id memory) {
  if (!t.is_recovery) s_.log.issued(t);
  if (memory != host_memory) return;
  const std::uint64_t position =
      t.is_recovery ? static_cast<const recovery_task&>(t).position : s_.log.tasks().next() - 1;
  for (const task_access& a : t.accesses) {
    if (writes_content(a.mode)) s_.guard.writes(*a.buffer, a.region(), position);
  }
}

void task_issuer::plan(placed_task& t, std::size_t lane, timepoint_set&& waits) {
  const machine::device_node& node = s_.node_of(t);
  if (s_.log.is_on()) log_issue(t, node.memory);
  device_record& d = s_.device_of(t);
  attempt& run = t.run;
  waits.add(d.last_wide);
  if (t.launch->width == body_width::wide) {
    for (const stream_id other : node.compute) {
      const point next = s_.commands.next(other);
      if (next.value > 1) waits.add({other, next.value - 1});
    }
    d.last_wide = run.number;
  }
  const stream_id own = node.compute[lane];
  if (seeded_bug(bug::drop_waits)) waits.clear();
  if (!waits.empty()) {
    waits.prune([&](point p) { return p.stream == own || s_.commands.done(p); });
  }
  command_record& record = s_.commands.plan<issue_launch>(
      run.number, run.predicted.time, std::move(waits), s_.work.actions(), &t, bool{run.may_leave});
  record.task = t.id;
  record.launched = &t;
  if (t.traced != nullptr) {
    record.wanted = t.traced->submitted;
    decision_log::issued(t, s_.now);
  }
  // The body may also block without the scheduler knowing.
  record.alone = run.may_leave;
  record.unmeasured = run.predicted.known == nullptr && !s_.costs.knows(*t.launch, run.device);
  s_.lanes.planned(record, s_.commands.load(own));
}

void task_issuer::note_accesses(placed_task& t, memory_id memory, point number) {
  for (const task_access& a : t.accesses) {
    if (a.is_empty()) continue;
    if (writes_content(a.mode)) {
      s_.content.note_write(a.data, a.region(), memory, number, t.id);
    } else {
      s_.content.note_read(a.data, a.region(), memory, number);
    }
  }
  t.run.wrote = true;
}

void task_issuer::mark_issued(placed_task& t) {
  t.phase = task_phase::issued;
  ++s_.issued;
  s_.latest_issued = std::max(s_.latest_issued, t.age);
  s_.evictions.remove(t);
  s_.throttle.leave_line(t);
  if (t.kind == task_kind::launch) s_.schedules.launch_issued(t, s_.now);
}

}  // namespace hocket::placement
