// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <algorithm>

#include "data/seeded_bug.hpp"
#include "placement/engine.hpp"
#include "tasks/caught.hpp"

namespace hocket::placement {

void engine::end_later(task_id id, failure why) { ending_.push_back({id, std::move(why)}); }

void engine::finish(task& t, const failure& why) {
  ++ended_;
  const request& r = *t.request;
  const memory_id memory = r.kind == task_kind::launch && t.device.valid()
                               ? machine_.devices[t.device.value].memory
                               : host_memory;
  if (t.state == phase::issued) --issued_;
  if (t.state == phase::queued) dequeue(t);
  if (t.state == phase::reserving) {
    ledger_.withdraw(r.id);
    devices_[t.device.value].reserving = {};
    mark_users_dirty(memory);
  }
  const bool was_issued = t.state == phase::issued && r.kind == task_kind::launch;
  const bool was_passed = was_issued && !has_to_end(t);
  if (t.device.valid() && !(was_issued && is_full(t.device))) mark_dirty(t.device);
  give_up_places(t);
  unpin(t, memory);
  for (data_state* const d : t.data) d->history.ended(r.id);
  if (why && !seeded_bug(bug::keep_failed_outputs)) {
    for (const task_access& a : r.accesses) {
      if (!writes_content(a.mode) || a.is_empty()) continue;
      if (t.wrote)
        coherence_.poison(a.data, a.region(), r.id, why);
      else
        coherence_.poison_unissued(a.data, a.region(), r.id, why);
    }
  }
  for (const task_id taker : r.returns) {
    if (!seeded_bug(bug::never_return_budget)) budgets_.give_back(taker);
  }
  for (const successor& s : t.successors) {
    task* next = find(s.task);
    if (next == nullptr) continue;
    if (s.kind == edge_kind::order) {
      --next->order;
    } else {
      --next->blockers;
      if (!was_passed) --next->unissued;
      next->cause = r.id;
      // A task within a nested domain looks for poison itself when it starts.
      const bool is_domain = next->request->kind == task_kind::domain;
      if (why && !next->poisoned && !is_domain)
        next->poisoned = why.downstream(std::string(next->request->label_text()));
    }
    if (next->early_result && next->blockers == 0) {
      end_later(s.task, next->poisoned ? next->poisoned : *next->early_result);
    } else {
      consider(*next);
    }
  }
  leave_domain(t);
  const task_id id = r.id;
  if (t.notified) {
    out_->emplace_back(retire{std::move(t.request)});
  } else {
    out_->emplace_back(complete{std::move(t.request), why});
  }
  remove(id);
}

void engine::leave_domain(const task& t) {
  task* around = t.request->within.valid() ? find(t.request->within) : nullptr;
  if (around == nullptr) return;
  domain_state& within = *around->opened;
  if (--within.tasks == 0 && within.released) end_later(t.request->within, within.why);
}

void engine::finish_launch(const command_record& record, const command_result& how) {
  task& t = *find(record.task);
  device_statistics& done = devices_[t.device.value].done;
  done.kernels += std::max<std::size_t>(t.request->launch->kernel->sequence.size(), 1);
  done.busy += std::min(record.left, how.end) - how.begin;
  done.flops += t.request->launch->cost.flops;
  if (trace_.keeps()) record_trace(record, how, trace_kind::kernel, &t);
  failure why = how.why;
  if (why && why.thrown()) {
    why = failure(why.code(),
                  detail::task_name(t.request->label_text()) + " failed: " + why.message(),
                  why.thrown());
  } else if (why) {
    why = why.within("running task \"" + std::string(t.request->label_text()) + "\" on " +
                     machine_.devices[t.device.value].label_text());
  } else if (!why && record.left == time_stamp::max()) {
    costs_.measured(*t.request->launch, t.device, how.end - how.begin, t.predicted);
  }
  // Streams report in no common order: the end of a predecessor may be reported later.
  if (t.blockers > 0) {
    t.early_result = why;
  } else {
    finish(t, t.poisoned && !seeded_bug(bug::commit_poisoned) ? t.poisoned : why);
  }
}

void engine::finish_copy(const command_record& record, const command_result& how) {
  for (std::size_t i = 0; i < devices_.size(); ++i) {
    const machine::device_node& node = machine_.devices[i];
    if (!node.owns_memory) continue;
    if (node.memory == record.copy->to) devices_[i].done.bytes_in += record.copy->bytes;
    if (node.memory == record.copy->from) devices_[i].done.bytes_out += record.copy->bytes;
  }
  if (trace_.keeps()) record_trace(record, how, trace_kind::transfer, find(record.task));
  if (how.why) {
    fail_copy(record, how.why);
  } else {
    costs_.measured_copy(record.copy->from, record.copy->to, record.copy->bytes,
                         how.end - how.begin);
  }
  const auto device = machine_.streams[record.number.stream.value].device;
  if (device) mark_dirty(*device);
}

void engine::fail_copy(const command_record& record, const failure& why) {
  if (data_.find(record.copy->data) == nullptr)
    return;  // the buffer was dropped while it was fetched ahead
  coherence_.fail_copy(record.copy->data, record.copy->region, record.copy->to, record.number, why);
  poison_readers(record, why);
  task* const view = find(record.task);
  if (view != nullptr && view->request->kind != task_kind::launch && !view->poisoned) {
    view->poisoned = why.downstream(std::string(view->request->label_text()));
  }
  // Copies that were made from that replica are invalid too.
  for (std::size_t i = 0; i < machine_.streams.size(); ++i) {
    const ring<command_record> later = commands_.commands(stream_id{i});
    for (const command_record& c : later) {
      if (c.copy != nullptr && c.copy->data == record.copy->data &&
          c.copy->from == record.copy->to && c.copy->to != record.copy->from &&
          overlap(c.copy->region, record.copy->region)) {
        fail_copy(c, why);
      }
    }
  }
}

void engine::poison_readers(const command_record& record, const failure& why) {
  const auto look_at = [&](const command_record& c) {
    task* t = c.copy != nullptr ? nullptr : find(c.task);
    if (t == nullptr || machine_.devices[t->device.value].memory != record.copy->to) return;
    for (const task_access& a : t->request->accesses) {
      if (a.data != record.copy->data || !reads_content(a.mode)) continue;
      if (overlap(a.region(), record.copy->region) && !t->poisoned) {
        t->poisoned = why.downstream(std::string(t->request->label_text()));
      }
    }
  };
  for (std::size_t i = 0; i < machine_.streams.size(); ++i) {
    for (const command_record& c : commands_.commands(stream_id{i})) look_at(c);
  }
  // Streams report in no common order.
  for (const auto& [number, c] : commands_.apart()) look_at(c);
}

void engine::record_trace(const command_record& record, const command_result& how, trace_kind kind,
                          const task* of) {
  trace_record made;
  made.kind = kind;
  const auto device = machine_.streams[record.number.stream.value].device;
  if (device) made.device = *device;
  made.stream = record.number.stream;
  made.task = record.task;
  if (of != nullptr) {
    made.cause = of->cause;
    made.name = of->request->trace_name;
  }
  if (record.copy != nullptr) made.bytes = record.copy->bytes;
  made.begin = how.begin;
  made.end = how.end;
  record_wait(made, record.wanted);
  trace_.push(made);
}

void engine::record_wait(const trace_record& ended, time_stamp wanted) {
  // Shorter gaps are the overhead of a stream between two commands.
  constexpr nanoseconds shortest{1000};
  time_stamp& last = last_end_[ended.stream.value];
  trace_record gap = ended;
  gap.kind = trace_kind::wait;
  gap.bytes = 0;
  gap.begin = std::max(last, wanted);
  gap.end = ended.begin;
  if (gap.end - gap.begin >= shortest) trace_.push(gap);
  last = ended.end;
}

void engine::handle(device_gone& e) {
  device_state& d = devices_[e.device.value];
  if (!d.alive) return;
  d.alive = false;
  d.lost = e.why.message();
  // Otherwise the reservation would be granted, and the task issued here, when a block is freed.
  if (d.reserving.valid()) {
    ledger_.withdraw(d.reserving);
    mark_users_dirty(machine_.devices[e.device.value].memory);
  }
  if (machine_.devices[e.device.value].owns_memory) {
    lose_memory(e.device, e.why);
  } else {
    lose_launches(e.device, e.why);
  }
  const memory_id memory = machine_.devices[e.device.value].memory;
  // Tasks that were queued here and not issued are placed elsewhere, or fail if no device can run
  // them.
  std::vector<task_id> homeless;
  for (const task_queue* queue : {&d.present, &d.absent}) {
    (void)queue->until([&](const place_in_queue& p) {
      homeless.push_back(p.task);
      return false;
    });
  }
  if (d.reserving.valid()) homeless.push_back(d.reserving);
  std::sort(homeless.begin(), homeless.end());
  for (const task_id id : homeless) {
    task& t = *find(id);
    if (t.state == phase::queued) dequeue(t);
    unpin(t, memory);
    t.state = phase::blocked;
    t.device = {};
  }
  d.reserving = {};
  for (const task_id id : homeless) place(*find(id));
}

void engine::lose_memory(device_id device, const failure& why) {
  const memory_id memory = machine_.devices[device.value].memory;
  // Copies from the lost memory that are in flight bring invalid content, and still read it.
  timepoint_set readers;
  std::vector<command_record> untrusted;
  for (std::size_t i = 0; i < machine_.streams.size(); ++i) {
    const bool own = machine_.streams[i].device == device;
    for (const command_record& c : commands_.commands(stream_id{i})) {
      if (c.copy == nullptr || (!own && c.copy->from != memory)) continue;
      untrusted.push_back(c);
      if (!own) readers.add(c.number);
    }
  }
  lose_launches(device, why);
  std::vector<released_block> gone = coherence_.lose(memory, why);
  for (const command_record& c : untrusted) {
    if (!seeded_bug(bug::trust_lost_copies)) fail_copy(c, why);
  }
  for (released_block& block : gone) {
    block.after = readers;
    release(block);
  }
}

void engine::lose_launches(device_id device, const failure& why) {
  devices_[device.value].in_flight = 0;
  devices_[device.value].backlog = nanoseconds{0};
  for (std::size_t i = 0; i < machine_.streams.size(); ++i) {
    if (machine_.streams[i].device != device) continue;
    for (const command_record& c : commands_.lose(stream_id{i})) {
      if (c.copy != nullptr) continue;
      const task& t = *find(c.task);
      end_later(c.task, t.poisoned
                            ? t.poisoned
                            : why.within("running task \"" + std::string(t.request->label_text()) +
                                         "\" on " + machine_.devices[device.value].label_text()));
    }
  }
}

}  // namespace hocket::placement
