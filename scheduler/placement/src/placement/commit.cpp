// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <algorithm>

#include "data/seeded_bug.hpp"
#include "placement/engine.hpp"
#include "tasks/caught.hpp"

namespace hocket::placement {

namespace {

// While a task of a device waits for memory, a task that needs none is looked for only among so
// many at the front of the queue.
constexpr std::size_t overtake_window = 16;

// So many commands hide the time in which the host learns of an end and issues the next command,
// however short they are.
constexpr std::size_t max_ahead = 64;

}  // namespace

void engine::pump(device_id device) {
  device_state& d = devices_[device.value];
  if (!d.alive) return;
  if (d.reserving.valid()) find_memory(machine_.devices[device.value].memory);
  do {
    fetch_ahead(device);
    while (!d.present.empty() || !d.absent.empty()) {
      if (d.open.empty()) return;
      task* const t = pick(device);
      if (t == nullptr) break;
      const std::optional<std::size_t> lane = free_lane(*t);
      if (!lane) return;
      dequeue(*t);
      commit(*t, *lane);
    }
  } while (d.present.empty() && d.absent.empty() && !d.reserving.valid() && idle(device) &&
           steal_for(device));
}

engine::task* engine::pick(device_id device) {
  device_state& d = devices_[device.value];
  if (d.absent.empty() && !d.reserving.valid()) {
    const place_in_queue* const first = d.present.first_in_turn();
    task* const t = first != nullptr ? find(first->task) : nullptr;
    if (t != nullptr && has_turn(*t)) return t;
  }
  const memory_id memory = machine_.devices[device.value].memory;
  task* ready = nullptr;
  if (d.reserving.valid()) {
    std::size_t looked = 0;
    (void)d.present.until([&](const place_in_queue& place) {
      if (++looked > overtake_window) return true;
      task* t = find(place.task);
      if (has_turn(*t) && needs_of(*t->request, memory).empty()) ready = t;
      return ready != nullptr;
    });
    return ready;
  }
  (void)d.present.until([&](const place_in_queue& place) {
    task* t = find(place.task);
    if (has_turn(*t)) ready = t;
    return ready != nullptr;
  });
  if (d.absent.empty() || d.fetching >= fetch_window) return ready;
  task* refused = nullptr;
  (void)d.absent.until([&](const place_in_queue& place) {
    task* t = find(place.task);
    if (!t->fetching && has_turn(*t)) refused = t;
    return refused != nullptr;
  });
  // Fetching ahead takes free memory only. A task that it could not serve is committed with its
  // copies, and with evictions, when it comes first or when the device would stand idle.
  if (refused == nullptr) return ready;
  if (ready == nullptr) return idle(device) ? refused : nullptr;
  return place_of(*refused) < place_of(*ready) ? refused : ready;
}

bool engine::has_turn(const task& t) const {
  if (!t.request->in_order) return true;
  task_id first;
  (void)devices_[t.device.value].in_order.until([&](const place_in_queue& place) {
    first = place.task;
    return true;
  });
  return first == t.request->id;
}

void engine::give_up_turn(const task& t) {
  if (!t.request->in_order) return;
  const device_id device = *t.request->on;
  if (devices_[device.value].in_order.erase(place_of(t))) mark_dirty(device);
}

void engine::give_up_places(const task& t) {
  give_up_turn(t);
  if (t.request->budget.valid()) budgets_.withdraw(t.request->id);
}

void engine::note_load(const command_record& record, int count) {
  lane_state& l = lanes_[record.number.stream.value];
  if (!l.device.valid()) return;
  device_state& d = devices_[l.device.value];
  d.in_flight += static_cast<std::size_t>(count);
  d.backlog += count * record.predicted;
  if (record.alone) l.alone += static_cast<std::size_t>(count);
  if (record.unmeasured) l.unmeasured += static_cast<std::size_t>(count);
  const auto [in_flight, backlog] = commands_.load(record.number.stream);
  // Many at a time: issuing one command for each that ends would wake a worker for each.
  if (in_flight >= max_ahead || backlog >= l.ahead || l.unmeasured > 0) {
    l.filling = false;
  } else if (in_flight <= max_ahead / 2 && backlog <= l.ahead / 2) {
    l.filling = true;
  }
  d.open.set(l.at, l.alone == 0 && (l.filling || in_flight < l.depth));
}

bool engine::is_full(device_id device) const {
  const device_state& d = devices_[device.value];
  return d.open.empty() && d.absent.empty() && !d.reserving.valid();
}

std::optional<std::size_t> engine::free_lane(const task& t) const {
  const machine::device_node& node = machine_.devices[t.device.value];
  const number_set& open = devices_[t.device.value].open;
  if (t.request->launch->width == body_width::wide) {
    return open.size() == node.compute.size() ? std::optional<std::size_t>(0) : std::nullopt;
  }
  if (open.empty()) return std::nullopt;
  if (open.size() == 1) return open.first();
  // In the lane of its predecessor the command needs no wait.
  const auto follows_on = [&](stream_id stream) {
    return std::ranges::any_of(t.predecessors, [&](task_id id) {
      const task* const earlier = find(id);
      return earlier != nullptr && earlier->number.stream == stream;
    });
  };
  std::optional<std::size_t> best;
  nanoseconds least = nanoseconds::max();
  open.until([&](std::size_t at) {
    const stream_id stream = node.compute[at];
    const nanoseconds backlog = commands_.backlog(stream);
    const bool follows = !t.predecessors.empty() && follows_on(stream);
    if (best && !follows && backlog >= least) return false;
    best = at;
    least = backlog;
    return follows || (t.predecessors.empty() && backlog == nanoseconds{0});
  });
  return best;
}

failure engine::unusable_input(const task& t) const {
  for (const task_access& a : t.request->accesses) {
    if (!reads_content(a.mode) || a.is_empty()) continue;
    if (const failure why = coherence_.poisoned(a.data, a.region())) {
      return why.downstream(std::string(t.request->label_text()));
    }
    if (!coherence_.initialised(a.data, a.region())) {
      return failure(failure_code::task_failed, detail::task_name(t.request->label_text()) + " " +
                                                    std::string(to_string(a.mode)) + " " +
                                                    to_string(a.region()) + " of buffer \"" +
                                                    data_.find(a.data)->label +
                                                    "\", which no earlier task writes.");
    }
  }
  return {};
}

/// Issues the task without queueing it, if nothing waits on the device and the data of the task are
/// present.
bool engine::issue_at_once(task& t) {
  const device_state& d = devices_[t.device.value];
  if (!d.present.empty() || !d.absent.empty() || d.reserving.valid() || !has_turn(t)) return false;
  const std::optional<std::size_t> lane = free_lane(t);
  return lane && issue_as_it_is(t, *lane);
}

/// Issues the task if it uses only whole buffers whose content is present: then nothing has to be
/// reserved or copied. Otherwise does nothing and returns false.
bool engine::issue_as_it_is(task& t, std::size_t lane) {
  const request& r = *t.request;
  const machine::device_node& node = machine_.devices[t.device.value];
  data_state* const* used = t.data.data();
  for (const task_access& a : r.accesses) {
    if (!a.is_all || !coherence::at_hand(*(*used++)->where, node.memory, reads_content(a.mode))) {
      return false;
    }
  }
  t.number = commands_.next(node.compute[lane]);
  t.pinned_all = !seeded_bug(bug::forget_pins);
  timepoint_set waits;
  coherence::whole_access how{.data = {},
                              .memory = node.memory,
                              .number = t.number,
                              .task = r.id,
                              .pins = t.pinned_all ? std::size_t{1} : 0};
  used = t.data.data();
  for (task_access& a : t.request->accesses) {
    data_state& d = **used++;
    d.last_use = ++uses_;
    how.data = a.data;
    how.writes = writes_content(a.mode);
    a.block = coherence_.note_at_hand(*d.where, how, waits);
  }
  t.wrote = true;
  plan_launch(t, lane, std::move(waits));
  mark_issued(t);
  return true;
}

void engine::commit(task& t, std::size_t lane) {
  if (issue_as_it_is(t, lane)) return;
  if (const failure why = unusable_input(t)) return end_later(t.request->id, why);
  const memory_id memory = machine_.devices[t.device.value].memory;
  pin_present(t, memory);
  std::vector<need> needs = needs_of(*t.request, memory);
  if (needs.empty()) return issue(t);
  t.state = phase::reserving;
  devices_[t.device.value].reserving = t.request->id;
  ledger_.request(t.request->id, t.request->priority, std::move(needs));
  find_memory(memory);
}

timepoint_set engine::acquire(const task& t, memory_id memory) {
  timepoint_set waits;
  for (const task_access& a : t.request->accesses) {
    if (a.is_empty()) continue;
    if (reads_content(a.mode)) waits.add(bring(a.data, a.region(), memory, t.request->id));
  }
  for (const task_access& a : t.request->accesses) {
    if (a.is_empty()) continue;
    if (writes_content(a.mode)) waits.add(coherence_.before_write(a.data, a.region(), memory));
    data_.find(a.data)->last_use = ++uses_;
  }
  return waits;
}

/// True if the body of the task may block on a task that is submitted later, and yields its lane
/// then. Only bodies in C++ can; kernels of devices cannot.
bool engine::may_leave(const task& t) const {
  if (!machine_.devices[t.device.value].runs_host_tasks) return false;
  const kernel_definition& kernel = *t.request->launch->kernel;
  if (kernel.sequence.empty()) return kernel.sources.empty();
  return std::ranges::any_of(kernel.sequence,
                             [](const kernel_part& part) { return part.kernel->sources.empty(); });
}

/// waits: the timepoints of what the task uses.
void engine::plan_launch(task& t, std::size_t lane, timepoint_set&& waits) {
  const machine::device_node& node = machine_.devices[t.device.value];
  device_state& d = devices_[t.device.value];
  waits.add(d.last_wide);
  if (t.request->launch->width == body_width::wide) {
    for (const stream_id other : node.compute) {
      const point next = commands_.next(other);
      if (next.value > 1) waits.add({other, next.value - 1});
    }
    d.last_wide = t.number;
  }
  const stream_id own = node.compute[lane];
  if (seeded_bug(bug::drop_waits)) waits.clear();
  if (!waits.empty()) {
    waits.prune([&](point t2) { return t2.stream == own || commands_.done(t2); });
  }
  command_record& record = commands_.plan<issue_launch>(
      t.number, t.predicted.time, std::move(waits), *out_, t.request.get(), t.may_leave);
  record.task = t.request->id;
  record.wanted = t.submitted;
  // The body may also block without the scheduler knowing.
  record.alone = t.may_leave;
  record.unmeasured = t.predicted.known == nullptr && !costs_.knows(*t.request->launch, t.device);
  note_load(record, 1);
}

void engine::note_accesses(task& t, memory_id memory, point number) {
  for (const task_access& a : t.request->accesses) {
    if (a.is_empty()) continue;
    if (writes_content(a.mode)) {
      coherence_.note_write(a.data, a.region(), memory, number, t.request->id);
    } else {
      coherence_.note_read(a.data, a.region(), memory, number);
    }
  }
  t.wrote = true;
}

void engine::issue(task& t) {
  const machine::device_node& node = machine_.devices[t.device.value];
  // The reservation may have been granted late: then no lane is free, and the command queues in
  // one.
  const std::size_t lane = free_lane(t).value_or(0);
  timepoint_set waits = acquire(t, node.memory);
  t.number = commands_.next(node.compute[lane]);
  for (task_access& a : t.request->accesses) a.block = coherence_.block(a.data, node.memory);
  plan_launch(t, lane, std::move(waits));
  note_accesses(t, node.memory, t.number);
  mark_issued(t);
}

void engine::mark_issued(task& t) {
  t.state = phase::issued;
  ++issued_;
  latest_issued_ = std::max(latest_issued_, t.request->id.value);
  give_up_turn(t);
  if (t.successors.empty() || has_to_end(t)) return;
  decltype(t.successors) kept;
  for (const successor& s : t.successors) {
    task* next = find(s.task);
    if (next == nullptr) continue;
    if (s.kind == edge_kind::order) {
      --next->order;
    } else {
      --next->unissued;
      kept.push_back(s);
    }
    consider(*next);
  }
  t.successors = std::move(kept);
}

void engine::open_domain(task& t) {
  t.opened = std::make_unique<domain_state>();
  mark_issued(t);
  out_->emplace_back(deliver{t.request, {}});
}

void engine::issue_view(task& t) {
  if (const failure why = unusable_input(t)) return end_later(t.request->id, why);
  for (const need& n : needs_of(*t.request, host_memory)) {
    ledger_.take(host_memory, n.bytes);
  }
  for (const task_access& a : t.request->accesses) {
    if (!a.is_empty() && !coherence_.has_block(a.data, host_memory)) {
      give_block(a.data, host_memory);
    }
  }
  pin_present(t, host_memory);
  const timepoint_set waits = acquire(t, host_memory);
  note_accesses(t, host_memory, point{});
  mark_issued(t);
  commands_.when_done(waits, [this, id = t.request->id] { deliver_view(id); });
}

void engine::deliver_view(task_id id) {
  task* t = find(id);
  if (t == nullptr) return;
  // A copy may have failed: its source was lost.
  failure why = t->poisoned ? t->poisoned : unusable_input(*t);
  for (const task_access& a : t->request->accesses) {
    // Likewise if the copy that failed was requested by another task.
    const bool arrived =
        !reads_content(a.mode) || coherence_.missing(a.data, a.region(), host_memory) == 0;
    if (!why && !arrived) {
      why = failure(failure_code::data_lost, detail::task_name(t->request->label_text()) +
                                                 " did not run, because a copy of buffer \"" +
                                                 data_.find(a.data)->label +
                                                 "\" to the host failed.");
    }
  }
  if (why) return end_later(id, why);
  deliver made{t->request, {}};
  for (const task_access& a : t->request->accesses) {
    made.blocks.push_back(coherence_.block(a.data, host_memory));
  }
  out_->emplace_back(std::move(made));
  if (t->request->kind == task_kind::fetch) end_later(id, {});
}

}  // namespace hocket::placement
