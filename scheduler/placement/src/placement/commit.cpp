// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <algorithm>

#include "data/seeded_bug.hpp"
#include "data/unusable_input.hpp"
#include "placement/engine.hpp"
#include "tasks/caught.hpp"

namespace hocket::placement {

namespace {

// While a task of a device waits for memory, a task that needs none is looked for only among so
// many at the front of the queue.
constexpr std::size_t overtake_window = 16;

}  // namespace

void engine::pump(device_id device) {
  device_record& d = devices_[device.value];
  if (!d.alive) return;
  if (d.reserving != nullptr) find_memory(machine_.devices[device.value].memory);
  do {
    fetch_ahead(device);
    while (!d.present.empty() || !d.absent.empty()) {
      if (lanes_.open(device).empty()) return;
      placed_task* const t = pick(device);
      if (t == nullptr) break;
      const std::optional<std::size_t> lane = free_lane(*t);
      if (!lane) return;
      dequeue(*t);
      commit(*t, *lane);
    }
  } while (d.present.empty() && d.absent.empty() && d.reserving == nullptr &&
           lanes_.is_idle(device) && steal_for(device));
}

placed_task* engine::pick(device_id device) {
  device_record& d = devices_[device.value];
  if (d.absent.empty() && d.reserving == nullptr) {
    const place_in_queue* const first = d.present.first_in_turn();
    if (first != nullptr && has_turn(*first->task)) return first->task;
  }
  const memory_id memory = machine_.devices[device.value].memory;
  placed_task* ready = nullptr;
  if (d.reserving != nullptr) {
    std::size_t looked = 0;
    (void)d.present.until([&](const place_in_queue& place) {
      if (++looked > overtake_window) return true;
      placed_task* const t = place.task;
      if (has_turn(*t) && replicas_.needs_of(*t, memory).empty()) ready = t;
      return ready != nullptr;
    });
    return ready;
  }
  (void)d.present.until([&](const place_in_queue& place) {
    if (has_turn(*place.task)) ready = place.task;
    return ready != nullptr;
  });
  if (d.absent.empty() || d.fetching >= fetch_window) return ready;
  placed_task* refused = nullptr;
  (void)d.absent.until([&](const place_in_queue& place) {
    if (!place.task->run.fetching && has_turn(*place.task)) refused = place.task;
    return refused != nullptr;
  });
  // Fetching ahead takes free memory only. A task that it could not serve is committed with its
  // copies, and with evictions, when it comes first or when the device would stand idle.
  if (refused == nullptr) return ready;
  if (ready == nullptr) return lanes_.is_idle(device) ? refused : nullptr;
  return place_of(*refused) < place_of(*ready) ? refused : ready;
}

throttle_request engine::throttled(const placed_task& t) {
  throttle_request made;
  made.id = t.id;
  made.age = t.age;
  made.priority = t.priority;
  made.in_order = t.in_order;
  if (t.in_order) made.line = t.on->value;
  if (t.takes_bytes()) {
    made.budget = t.budgets->budget;
    made.bytes = t.budgets->bytes;
  }
  return made;
}

void engine::leave_line(const placed_task& t) {
  if (t.in_order && throttle_.leave_line(throttled(t))) mark_dirty(*t.on);
}

void engine::leave_throttle(const placed_task& t) {
  leave_line(t);
  if (t.takes_bytes()) throttle_.withdraw(throttled(t));
}

bool engine::is_full(device_id device) const {
  const device_record& d = devices_[device.value];
  return lanes_.open(device).empty() && d.absent.empty() && d.reserving == nullptr;
}

std::optional<std::size_t> engine::free_lane(const placed_task& t) const {
  const machine::device_node& node = machine_.devices[t.run.device.value];
  const number_set& open = lanes_.open(t.run.device);
  if (t.launch->width == body_width::wide) {
    return open.size() == node.compute.size() ? std::optional<std::size_t>(0) : std::nullopt;
  }
  if (open.empty()) return std::nullopt;
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
    const nanoseconds backlog = commands_.backlog(stream);
    const bool follows = !t.edges.empty() && follows_on(stream);
    if (best && !follows && backlog >= least) return false;
    best = at;
    least = backlog;
    return follows || (t.edges.empty() && backlog == nanoseconds{0});
  });
  return best;
}

failure engine::unusable_input(const placed_task& t) const {
  for (const task_access& a : t.accesses) {
    if (!reads_content(a.mode) || a.is_empty()) continue;
    failure why = detail::unusable_input(coherence_.content_of(a.data), a.region(), a.mode,
                                         t.label_text(), a.buffer->label);
    if (why) return why;
  }
  return {};
}

/// Issues the task without queueing it, if nothing waits on the device and the data of the task are
/// present.
bool engine::issue_at_once(placed_task& t) {
  const device_record& d = devices_[t.run.device.value];
  if (!d.present.empty() || !d.absent.empty() || d.reserving != nullptr || !has_turn(t))
    return false;
  const std::optional<std::size_t> lane = free_lane(t);
  return lane && issue_as_it_is(t, *lane);
}

/// Issues the task if it uses only whole buffers whose content is present: then nothing has to be
/// reserved or copied. Otherwise does nothing and returns false.
bool engine::issue_as_it_is(placed_task& t, std::size_t lane) {
  const machine::device_node& node = machine_.devices[t.run.device.value];
  for (const task_access& a : t.accesses) {
    if (!a.is_all || !coherence::at_hand(*a.buffer->where, node.memory, reads_content(a.mode))) {
      return false;
    }
  }
  t.run.number = commands_.next(node.compute[lane]);
  const bool pins = !seeded_bug(bug::forget_pins);
  timepoint_set waits;
  coherence::whole_access how{.data = {},
                              .memory = node.memory,
                              .number = t.run.number,
                              .task = t.id,
                              .pins = pins ? std::size_t{1} : 0};
  for (task_access& a : t.accesses) {
    a.buffer->last_use = ++uses_;
    a.is_pinned = pins;
    how.data = a.data;
    how.writes = writes_content(a.mode);
    a.block = coherence_.note_at_hand(*a.buffer->where, how, waits);
  }
  t.run.wrote = true;
  plan_launch(t, lane, std::move(waits));
  mark_issued(t);
  return true;
}

void engine::commit(placed_task& t, std::size_t lane) {
  if (issue_as_it_is(t, lane)) return;
  if (const failure why = unusable_input(t)) return end_later(t, why);
  const memory_id memory = machine_.devices[t.run.device.value].memory;
  replicas_.pin(t, memory);
  std::vector<need> needs = replicas_.needs_of(t, memory);
  if (needs.empty()) return issue(t);
  t.phase = task_phase::reserving;
  devices_[t.run.device.value].reserving = &t;
  replicas_.ledger().request(t.id, t.priority, std::move(needs));
  find_memory(memory);
}

timepoint_set engine::acquire(const placed_task& t, memory_id memory) {
  timepoint_set waits;
  for (const task_access& a : t.accesses) {
    if (a.is_empty()) continue;
    if (reads_content(a.mode)) waits.add(transfers_.bring(a.data, a.region(), memory, t.id));
  }
  for (const task_access& a : t.accesses) {
    if (a.is_empty()) continue;
    if (writes_content(a.mode)) waits.add(coherence_.before_write(a.data, a.region(), memory));
    a.buffer->last_use = ++uses_;
  }
  return waits;
}

/// True if the body of the task may block on a task that is submitted later, and yields its lane
/// then. Only bodies in C++ can; kernels of devices cannot.
bool engine::may_leave(const placed_task& t) const {
  if (!machine_.devices[t.run.device.value].runs_host_tasks) return false;
  const kernel_definition& kernel = *t.launch->kernel;
  if (kernel.sequence.empty()) return kernel.sources.empty();
  return std::ranges::any_of(kernel.sequence,
                             [](const kernel_part& part) { return part.kernel->sources.empty(); });
}

/// waits: the timepoints of what the task uses.
void engine::plan_launch(placed_task& t, std::size_t lane, timepoint_set&& waits) {
  const machine::device_node& node = machine_.devices[t.run.device.value];
  device_record& d = devices_[t.run.device.value];
  waits.add(d.last_wide);
  if (t.launch->width == body_width::wide) {
    for (const stream_id other : node.compute) {
      const point next = commands_.next(other);
      if (next.value > 1) waits.add({other, next.value - 1});
    }
    d.last_wide = t.run.number;
  }
  const stream_id own = node.compute[lane];
  if (seeded_bug(bug::drop_waits)) waits.clear();
  if (!waits.empty()) {
    waits.prune([&](point t2) { return t2.stream == own || commands_.done(t2); });
  }
  command_record& record = commands_.plan<issue_launch>(
      t.run.number, t.run.predicted.time, std::move(waits), *out_, &t, t.run.may_leave);
  record.task = t.id;
  record.launched = &t;
  record.wanted = t.submitted;
  // The body may also block without the scheduler knowing.
  record.alone = t.run.may_leave;
  record.unmeasured = t.run.predicted.known == nullptr && !costs_.knows(*t.launch, t.run.device);
  lanes_.planned(record, commands_.load(own));
}

void engine::note_accesses(placed_task& t, memory_id memory, point number) {
  for (const task_access& a : t.accesses) {
    if (a.is_empty()) continue;
    if (writes_content(a.mode)) {
      coherence_.note_write(a.data, a.region(), memory, number, t.id);
    } else {
      coherence_.note_read(a.data, a.region(), memory, number);
    }
  }
  t.run.wrote = true;
}

void engine::issue(placed_task& t) {
  const machine::device_node& node = machine_.devices[t.run.device.value];
  // The reservation may have been granted late: then no lane is free, and the command queues in
  // one.
  const std::size_t lane = free_lane(t).value_or(0);
  timepoint_set waits = acquire(t, node.memory);
  t.run.number = commands_.next(node.compute[lane]);
  for (task_access& a : t.accesses) a.block = coherence_.block(a.data, node.memory);
  plan_launch(t, lane, std::move(waits));
  note_accesses(t, node.memory, t.run.number);
  mark_issued(t);
}

void engine::mark_issued(placed_task& t) {
  t.phase = task_phase::issued;
  ++issued_;
  latest_issued_ = std::max(latest_issued_, t.id.value);
  leave_line(t);
  if (t.has_to_end()) return;
  for (task_edge& edge : t.followers) {
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

void engine::open_nested(placed_task& t) {
  t.opened = std::make_unique<open_domain>();
  for (const task_access& a : t.accesses) t.opened->histories.cover(a.data);
  mark_issued(t);
  out_->emplace_back(deliver{task_ref(&t), {}});
}

void engine::issue_view(placed_task& t) {
  if (const failure why = unusable_input(t)) return end_later(t, why);
  for (const task_access& a : t.accesses) {
    if (!a.is_empty()) replicas_.take_block(a.data, host_memory);
  }
  replicas_.pin(t, host_memory);
  const timepoint_set waits = acquire(t, host_memory);
  note_accesses(t, host_memory, point{});
  mark_issued(t);
  commands_.when_done(waits, [this, id = t.id] { deliver_view(id); });
}

void engine::deliver_view(task_id id) {
  placed_task* t = tasks_.find(id);
  if (t == nullptr) return;
  // A copy may have failed: its source was lost.
  failure why = t->poisoned ? t->poisoned : unusable_input(*t);
  for (const task_access& a : t->accesses) {
    // Likewise if the copy that failed was requested by another task.
    const bool arrived =
        !reads_content(a.mode) || coherence_.missing(a.data, a.region(), host_memory) == 0;
    if (!why && !arrived) {
      why =
          failure(failure_code::data_lost,
                  detail::task_name(t->label_text()) + " did not run, because a copy of buffer \"" +
                      data_.find(a.data)->label + "\" to the host failed.");
    }
  }
  if (why) return end_later(*t, why);
  deliver made{task_ref(t), {}};
  for (const task_access& a : t->accesses) {
    made.blocks.push_back(coherence_.block(a.data, host_memory));
  }
  out_->emplace_back(std::move(made));
  if (t->kind == task_kind::fetch) end_later(*t, {});
}

}  // namespace hocket::placement
