// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "placement/task_duplicates.hpp"

#include <algorithm>
#include <cassert>
#include <utility>

namespace hocket::placement {

task_duplicates::outcome task_duplicates::start(placed_task& t, nanoseconds used) {
  if (!rules_.may_have_one(t)) return outcome::impossible;
  const std::optional<duplicate_rules::candidate> best = rules_.best_device(t);
  if (!best) return outcome::impossible;
  if (best->time >= used) return outcome::not_yet;
  make(t, best->device);
  return outcome::started;
}

void task_duplicates::make(placed_task& t, device_id device) {
  const memory_id memory = s_.nodes.devices[device.value].memory;
  boost::intrusive_ptr<task_duplicate> made(new task_duplicate);
  task_duplicate& d = *made;
  d.id = task_id{first_duplicate_number + t.id.value};
  d.of = t.id;
  d.first = t.run.number;
  d.begun = s_.losses.begun();
  d.label = t.label;
  d.trace_name = t.trace_name;
  d.bytes = t.bytes;
  d.run.device = device;
  d.run.predicted = s_.costs.estimate_of(*t.launch, device);
  d.launch = new counted_launch;
  d.launch->kernel = t.launch->kernel;
  d.launch->scalars = t.launch->scalars;
  d.launch->cost = t.launch->cost;
  d.launch->width = t.launch->width;
  d.accesses.reserve(t.accesses.size());
  for (std::size_t i = 0; i < t.accesses.size(); ++i) {
    const task_access& own = t.accesses[i];
    task_access& a = d.accesses.emplace_back();
    d.launch->buffers.emplace_back().part = t.launch->buffers[i].part;
    a.data = own.data;
    a.buffer = own.buffer;
    a.part = own.part;
    a.mode = own.mode;
    a.is_all = own.is_all;
    a.is_in_history = false;
    if (!a.is_empty()) s_.replicas.take_block(a.data, memory);
  }
  s_.replicas.pin(d, memory);
  timepoint_set waits = bring_input(t, d);
  s_.duplicates.add(std::move(made));
  plan(d, std::move(waits));
}

/// Returns what the duplicate has to wait for.
timepoint_set task_duplicates::bring_input(const placed_task& t, const task_duplicate& made) {
  const memory_id memory = s_.node_of(made).memory;
  timepoint_set waits;
  for (std::size_t i = 0; i < made.accesses.size(); ++i) {
    const task_access& a = made.accesses[i];
    if (a.is_empty()) continue;
    if (only_reads(a)) {
      waits.add(s_.transfers.bring(a.data, a.region(), memory, made.id));
      continue;
    }
    const auto from = only_writes(a) ? std::nullopt : rules_.older_content(t, i, memory);
    if (from && *from != memory) {
      const point copied =
          s_.transfers.copy({.data = a.data,
                             .from = *from,
                             .to = memory,
                             .region = a.region(),
                             .bytes = std::uint64_t{a.region().elements()} * a.buffer->element_size,
                             .after = {}},
                            made.id);
      s_.content.note_read(a.data, a.region(), *from, copied);
      s_.content.note_read(a.data, a.region(), memory, copied);
      waits.add(copied);
    } else if (memory == host_memory) {
      s_.guard.writes(*a.buffer, a.region(), 0);
    }
  }
  return waits;
}

/// The device is idle: any of its lanes will do, and a wide launch waits for no other.
void task_duplicates::plan(task_duplicate& made, timepoint_set&& waits) {
  const machine::device_node& node = s_.node_of(made);
  const stream_id lane = node.compute[s_.lanes.open(made.run.device).first()];
  made.run.number = s_.commands.next(lane);
  if (made.launch->width == body_width::wide) s_.device_of(made).last_wide = made.run.number;
  waits.prune([&](point p) { return s_.commands.done(p); });
  for (task_access& a : made.accesses) {
    if (a.is_empty()) continue;
    assert(s_.content.has_room(a.data, a.region(), node.memory));
    a.block = s_.content.block(a.data, node.memory);
    s_.content.note_read(a.data, a.region(), node.memory, made.run.number);
    s_.evictions.touch(*a.buffer);
  }
  command_record& record = s_.commands.plan<issue_launch>(
      made.run.number, made.run.predicted.time, std::move(waits), s_.work.actions(), &made, false);
  record.task = made.id;
  record.launched = &made;
  record.wanted = s_.now;
  record.unmeasured = !s_.costs.knows(*made.launch, made.run.device);
  s_.lanes.planned(record, s_.commands.load(lane));
  ++s_.issued;
}

bool task_duplicates::takes_end(const command_record& record, const command_result& how) {
  placed_task* const t = record.launched;
  if (t == nullptr) return false;
  if (!t->is_duplicate) return first_run_ended(*t, record, how);
  auto& d = static_cast<task_duplicate&>(*t);
  // The failure of a duplicate is not tried again: the task has another run.
  if (how.why && !d.poisoned) d.poisoned = how.why;
  retries_.command_ended(record, how);
  finisher_.count_launch(record, how);
  if (!how.why) {
    s_.costs.measured(*d.launch, d.run.device, how.end - how.begin, d.run.predicted);
  }
  s_.work.mark_dirty(d.run.device);
  d.ended != nullptr ? first_run_ended_last(d, how) : duplicate_ended(d, how);
  return true;
}

void task_duplicates::command_lost(const command_record& record, const failure& why) {
  auto& d = static_cast<task_duplicate&>(*record.launched);
  const command_result how{.why = why};
  if (d.ended != nullptr) return first_run_ended_last(d, how);
  d.poisoned = why;
  duplicate_ended(d, how);
}

/// Returns true if the task waits for the duplicate, because its first run has failed.
bool task_duplicates::first_run_ended(placed_task& t, const command_record& record,
                                      const command_result& how) {
  task_duplicate* const d = s_.duplicates.of(t.id);
  if (d == nullptr) return false;
  if (retry_table::may_pass(how.why) && !d->poisoned && !s_.log.is_cutting() && may_commit(*d, t)) {
    finisher_.count_launch(record, how);
    d->failed = kept_end{record, how};
    s_.work.mark_dirty(t.run.device);
    return true;
  }
  d->of = {};
  unpin(*d);
  release_outputs(*d, s_.node_of(*d).memory);
  return false;
}

void task_duplicates::duplicate_ended(task_duplicate& d, const command_result& how) {
  placed_task* const t = d.of.valid() ? s_.tasks.find(d.of) : nullptr;
  if (!d.poisoned && t != nullptr && may_commit(d, *t) && has_right_of_way(d)) {
    commit(d, *t, how);
  } else {
    drop(d);
  }
}

/// The task is as it was when the duplicate was issued, and none was issued behind the first run
/// that reads or replaces what that writes.
bool task_duplicates::may_commit(const task_duplicate& d, const placed_task& t) const {
  if (!t.is_issued() || t.run.number != d.first || t.poisoned) return false;
  if (s_.losses.begun() != d.begun || rules_.has_issued_reader(t)) return false;
  return std::ranges::all_of(t.accesses, [&](const task_access& a) {
    return only_reads(a) || a.is_empty() || rules_.is_sole_writer(t, a);
  });
}

/// No other command is to write where the duplicate, which has ended, has written.
bool task_duplicates::has_right_of_way(const task_duplicate& d) const {
  const memory_id memory = s_.node_of(d).memory;
  return std::ranges::all_of(d.accesses, [&](const task_access& a) {
    if (only_reads(a) || a.is_empty()) return true;
    return s_.content.block(a.data, memory) == a.block && rules_.is_untouched(a, memory);
  });
}

void task_duplicates::commit(task_duplicate& d, placed_task& t, const command_result& how) {
  ++s_.duplicates.counts.won;
  const memory_id memory = s_.node_of(d).memory;
  for (const task_access& a : t.accesses) {
    if (only_reads(a) || a.is_empty()) continue;
    s_.content.note_write(a.data, a.region(), memory, point{}, t.id);
    s_.evictions.touch(*a.buffer);
  }
  unpin(d);
  forget_first_run(t);
  s_.times.launch_ended(how.begin, how.end);
  finisher_.note_times(t, how);
  if (!d.failed) return stand_for_first_run(d, t);
  --s_.issued;
  remove(d);
  finisher_.finish(t, {});
}

/// Where the first run is in the memory of the host, the log thinks that the content is there.
void task_duplicates::forget_first_run(const placed_task& t) {
  if (s_.node_of(t).memory != host_memory || !s_.log.is_on()) return;
  if (s_.log.is_cutting()) s_.log.versions().invalidate_cut();
  for (const task_access& a : t.accesses) {
    if (!only_reads(a)) s_.log.versions().forget(a.data, a.region());
  }
}

/// The task ends, and its command goes on.
void task_duplicates::stand_for_first_run(task_duplicate& d, placed_task& t) {
  const memory_id memory = s_.node_of(t).memory;
  s_.commands.find(d.first)->launched = &d;
  d.of = {};
  d.run.device = t.run.device;
  d.run.predicted = t.run.predicted;
  d.run.number = d.first;
  d.ended = finisher_.finish_before_command(t);
  release_outputs(*d.ended, memory);
}

void task_duplicates::drop(task_duplicate& d) {
  const memory_id memory = s_.node_of(d).memory;
  --s_.issued;
  unpin(d);
  release_outputs(d, memory);
  if (d.failed) {
    // Now the task ends as its first run did.
    placed_task* const t = d.failed->record.launched;
    retries_.command_ended(d.failed->record, d.failed->how);
    s_.work.end_later(*t, t->poisoned ? t->poisoned : s_.failed_on_device(*t, d.failed->how.why));
  }
  remove(d);
}

void task_duplicates::first_run_ended_last(task_duplicate& d, const command_result& how) {
  --s_.issued;
  // Copies of what it was to write may be on their way to the host.
  if (how.why && s_.log.is_cutting()) s_.log.versions().invalidate_cut();
  finisher_.command_ended_after(std::move(d.ended));
  remove(d);
}

void task_duplicates::remove(task_duplicate& d) {
  s_.work.actions().emplace_back(keep_task{task_ref(&d)});
  s_.duplicates.remove(d);
}

/// The task may have ended before, and its buffers, or their blocks, may be gone.
void task_duplicates::unpin(task_duplicate& d) {
  const memory_id memory = s_.node_of(d).memory;
  for (task_access& a : d.accesses) {
    if (!std::exchange(a.is_pinned, false)) continue;
    tracked_buffer* const buffer = s_.buffers.find(a.data);
    if (buffer == nullptr || s_.content.block(a.data, memory) != a.block) continue;
    s_.content.unpin(a.data, memory);
    s_.evictions.put_in_order_later(*buffer);
  }
  memory_.pins_dropped(memory);
}

void task_duplicates::release_outputs(const placed_task& t, memory_id memory) {
  if (s_.losses.holds_tasks() || !s_.device_of(t).alive()) return;
  for (const task_access& a : t.accesses) {
    if (only_reads(a) || a.is_empty() || s_.buffers.find(a.data) == nullptr) continue;
    if (s_.content.block(a.data, memory) != a.block || s_.content.pinned(a.data, memory)) continue;
    const bool is_wanted =
        s_.content.sole_copy(a.data, memory) || s_.content.valid(a.data, a.region(), memory);
    if (!is_wanted) memory_.evict(a.data, memory);
  }
}

}  // namespace hocket::placement
