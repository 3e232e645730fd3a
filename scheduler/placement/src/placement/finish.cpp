// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <algorithm>

#include "data/seeded_bug.hpp"
#include "placement/engine.hpp"
#include "tasks/caught.hpp"

namespace hocket::placement {

void engine::end_later(placed_task& t, failure why) { ending_.push_back({&t, std::move(why)}); }

void engine::finish(placed_task& t, const failure& why) {
  ++ended_;
  const memory_id memory = t.kind == task_kind::launch && t.run.device.valid()
                               ? machine_.devices[t.run.device.value].memory
                               : host_memory;
  if (t.is_issued()) --issued_;
  if (t.phase == task_phase::queued) dequeue(t);
  if (t.phase == task_phase::reserving) {
    replicas_.ledger().withdraw(t.id);
    devices_[t.run.device.value].reserving = nullptr;
    mark_users_dirty(memory);
  }
  const bool was_issued = t.is_issued() && t.kind == task_kind::launch;
  const bool was_passed = was_issued && !t.has_to_end();
  if (t.run.device.valid() && !(was_issued && is_full(t.run.device))) mark_dirty(t.run.device);
  leave_throttle(t);
  unpin(t, memory);
  for (const task_access& a : t.accesses) a.buffer->history.forget(t.id);
  if (why) poison_outputs(t, why);
  if (t.budgets != nullptr) {
    for (const task_id taker : t.budgets->returns) throttle_.give_back(taker);
  }
  release_followers(t, was_passed, why);
  if (placed_task* const around = tasks_.domain_of(t)) leave_domain(*around);
  task_ref gone = tasks_.remove(t);
  if (t.notified) {
    out_->emplace_back(retire{std::move(gone)});
  } else {
    out_->emplace_back(complete{std::move(gone), why});
  }
}

void engine::poison_outputs(const placed_task& t, const failure& why) {
  if (seeded_bug(bug::keep_failed_outputs)) return;
  for (const task_access& a : t.accesses) {
    if (!writes_content(a.mode) || a.is_empty()) continue;
    if (t.run.wrote) {
      coherence_.poison(a.data, a.region(), t.id, why);
    } else {
      coherence_.poison_unissued(a.data, a.region(), t.id, why);
    }
  }
}

/// was_passed: tasks behind this one did not have to wait for its end once it was issued.
void engine::release_followers(placed_task& t, bool was_passed, const failure& why) {
  for (const task_edge& edge : t.followers) {
    if (edge.is_passed) continue;
    placed_task& next = *edge.after;
    if (edge.kind == edge_kind::order) {
      --next.order;
    } else {
      --next.blockers;
      if (!was_passed) --next.unissued;
      next.cause = t.id;
      // A task within a nested domain looks for poison itself when it starts.
      const bool is_domain = next.kind == task_kind::domain;
      if (why && !next.poisoned && !is_domain) {
        next.poisoned = why.downstream(std::string(next.label_text()));
      }
    }
    if (next.run.early_result && next.blockers == 0) {
      end_later(next, next.poisoned ? next.poisoned : *next.run.early_result);
    } else {
      consider(next);
    }
  }
}

/// One of its tasks has ended, or it was released.
void engine::leave_domain(placed_task& domain) {
  if (--domain.opened->tasks == 0) end_later(domain, domain.opened->why);
}

void engine::finish_launch(const command_record& record, const command_result& how) {
  placed_task& t = *record.launched;
  device_statistics& done = devices_[t.run.device.value].done;
  done.kernels += std::max<std::size_t>(t.launch->kernel->sequence.size(), 1);
  done.busy += std::min(record.left, how.end) - how.begin;
  done.flops += t.launch->cost.flops;
  trace_.ended(record, how, &t);
  failure why = how.why;
  if (why && why.thrown()) {
    why = failure(why.code(), detail::task_name(t.label_text()) + " failed: " + why.message(),
                  why.thrown());
  } else if (why) {
    why = why.within("running task \"" + std::string(t.label_text()) + "\" on " +
                     machine_.devices[t.run.device.value].label_text());
  } else if (!why && record.left == time_stamp::max()) {
    costs_.measured(*t.launch, t.run.device, how.end - how.begin, t.run.predicted);
  }
  // Streams report in no common order: the end of a predecessor may be reported later.
  if (t.blockers > 0) {
    t.run.early_result = std::make_unique<failure>(why);
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
  trace_.ended(record, how, tasks_.find(record.task));
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
  placed_task* const view = tasks_.find(record.task);
  if (view != nullptr && view->kind != task_kind::launch && !view->poisoned) {
    view->poisoned = why.downstream(std::string(view->label_text()));
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
    placed_task* const t = c.launched;
    if (t == nullptr || machine_.devices[t->run.device.value].memory != record.copy->to) return;
    for (const task_access& a : t->accesses) {
      if (a.data != record.copy->data || !reads_content(a.mode)) continue;
      if (overlap(a.region(), record.copy->region) && !t->poisoned) {
        t->poisoned = why.downstream(std::string(t->label_text()));
      }
    }
  };
  for (std::size_t i = 0; i < machine_.streams.size(); ++i) {
    for (const command_record& c : commands_.commands(stream_id{i})) look_at(c);
  }
  // Streams report in no common order.
  for (const auto& [number, c] : commands_.apart()) look_at(c);
}

void engine::handle(device_gone& e) {
  device_record& d = devices_[e.device.value];
  if (!d.alive) return;
  d.alive = false;
  d.lost = e.why.message();
  // Otherwise the reservation would be granted, and the task issued here, when a block is freed.
  if (d.reserving != nullptr) {
    replicas_.ledger().withdraw(d.reserving->id);
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
  std::vector<placed_task*> homeless;
  for (const task_queue* queue : {&d.present, &d.absent}) {
    (void)queue->until([&](const place_in_queue& p) {
      homeless.push_back(p.task);
      return false;
    });
  }
  if (d.reserving != nullptr) homeless.push_back(d.reserving);
  std::ranges::sort(homeless, {}, [](const placed_task* t) { return t->id; });
  for (placed_task* const t : homeless) {
    if (t->phase == task_phase::queued) dequeue(*t);
    unpin(*t, memory);
    t->begin_attempt();
  }
  d.reserving = nullptr;
  for (placed_task* const t : homeless) place(*t);
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
  lanes_.lose(device);
  for (std::size_t i = 0; i < machine_.streams.size(); ++i) {
    if (machine_.streams[i].device != device) continue;
    for (const command_record& c : commands_.lose(stream_id{i})) {
      if (c.launched == nullptr) continue;
      placed_task& t = *c.launched;
      end_later(t, t.poisoned ? t.poisoned
                              : why.within("running task \"" + std::string(t.label_text()) +
                                           "\" on " + machine_.devices[device.value].label_text()));
    }
  }
}

}  // namespace hocket::placement
