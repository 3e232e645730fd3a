// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "placement/decision_log.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include "placement/engine_state.hpp"
#include "tasks/wait_visitor.hpp"

namespace hocket::placement {

namespace {

/// Collects the placed tasks whose ends a task waits for as futures.
class awaited_tasks final : public detail::wait_visitor {
 public:
  using state_table = std::map<const detail::task_state*, task_id>;

  awaited_tasks(const state_table& known, std::vector<task_id>& into)
      : known_(known), into_(into) {}

  void follow(detail::task_state& task) override {
    const auto found = known_.find(&task);
    if (found != known_.end()) into_.push_back(found->second);
  }
  void follow_and_keep(detail::task_state_ptr task) override { follow(*task); }
  void follow(task_id placed) override { into_.push_back(placed); }
  void follow(const detail::parked_wait& /*wait*/) override {}
  void follow_all_of(const detail::host_context& /*context*/) override {}
  void follow_holder_of(const detail::task_state& /*view_node*/) override {}
  void follow_holders_before(const detail::task_state& /*ended_early*/) override {}
  void is_read(detail::host_task& /*task*/) override {}

 private:
  const state_table& known_;
  std::vector<task_id>& into_;
};

traced_kind kind_of(task_kind kind) {
  switch (kind) {
    case task_kind::launch:
      return traced_kind::launch;
    case task_kind::view:
      return traced_kind::view;
    case task_kind::fetch:
      return traced_kind::fetch;
    case task_kind::domain:
      return traced_kind::domain;
  }
  return traced_kind::launch;
}

std::uint64_t bytes_to_copy(const placed_task& t, memory_id to, const engine_state& s) {
  std::uint64_t sum = 0;
  for (const task_access& a : t.accesses) {
    if (!reads_content(a.mode) || a.is_empty()) continue;
    sum += s.content.missing(a.data, a.region(), to);
  }
  return sum;
}

template <class Record>
void keep_last(std::deque<Record>& in, Record&& record, std::size_t capacity,
               std::uint64_t& dropped) {
  if (in.size() == capacity) {
    in.pop_front();
    ++dropped;
  }
  in.push_back(std::move(record));
}

}  // namespace

traced_task* decision_log::record_of(placed_task& t) noexcept {
  return t.traced == nullptr ? nullptr : t.traced->told.get();
}

void decision_log::submitted(placed_task& t, time_stamp now) {
  if (!keeps()) return;
  auto made = std::make_unique<traced_task>();
  made->id = t.id;
  made->number = t.age;
  made->name = t.label_text();
  made->kind = kind_of(t.kind);
  made->host_only = t.host_only;
  made->priority = t.priority;
  made->named = t.on;
  made->submitted = now;
  if (t.launch != nullptr) {
    made->kernel = t.launch->kernel->name;
    made->wide = t.launch->width == body_width::wide;
    made->flops = t.launch->cost.flops;
    made->bytes = t.launch->cost.bytes;
  }
  t.traced->told = std::move(made);
  add_accesses(t);
  add_orders(t);
}

void decision_log::add_accesses(placed_task& t) {
  for (const task_access& a : t.accesses) {
    traced_access made{.buffer = a.data,
                       .mode = a.mode,
                       .bytes = a.region().elements() * a.buffer->element_size,
                       .begin = {},
                       .end = {}};
    if (!a.is_all) {
      made.begin = a.region().begin;
      made.end = a.region().end;
    }
    t.traced->told->accesses.push_back(std::move(made));
    traced_buffer& buffer = buffers_[a.data];
    if (buffer.id == a.data && buffer.element_size > 0) continue;
    buffer = {a.data, a.buffer->label, a.buffer->all.end, a.buffer->element_size};
  }
}

void decision_log::add_orders(placed_task& t) {
  std::vector<task_id>& after = t.traced->told->after;
  t.each_before([&](const placed_task& before) { after.push_back(before.id); });
  if (t.external > 0) {
    awaited_tasks awaited(states_, after);
    t.tell_awaited(awaited);
  }
  const detail::task_state* const own = t.stands_for();
  if (own != nullptr && t.kind == task_kind::launch) states_[own] = t.id;
}

void decision_log::ready(placed_task& t, time_stamp now) {
  if (traced_task* const told = record_of(t)) told->ready = now;
}

void decision_log::weigh(const placed_task& t, const engine_state& s, bool in_round) {
  if (!keeps()) return;
  weighed_ = t.id;
  candidates_.clear();
  const task_costs costs = s.view.costs(t);
  for (std::size_t i = 0; i < s.devices.size(); ++i) {
    const device_id device{i};
    if (!costs.can_run(device)) continue;
    traced_candidate made;
    made.device = device;
    made.time = costs.time(device);
    made.arrival = s.view.arrival(costs.data(device), device);
    made.end = std::max(s.view.backlog(device), made.arrival) + made.time;
    made.bytes = bytes_to_copy(t, s.nodes.devices[i].memory, s);
    candidates_.push_back(made);
  }
  s.chooser->explain(t, s.view, in_round, candidates_);
}

void decision_log::chosen(placed_task& t, device_id device, const engine_state& s) {
  traced_task* const told = record_of(t);
  if (told == nullptr) return;
  const bool is_moved = t.run.device.valid() && t.run.device != device;
  if (weighed_ != t.id) weigh(t, s, false);
  weighed_ = {};
  told->candidates = candidates_;
  told->chosen = s.now;
  if (told->ready == time_stamp{}) told->ready = s.now;
  if (is_moved) {
    told->why = traced_choice::moved;
  } else if (t.on.valid()) {
    told->why = traced_choice::named;
  } else if (candidates_.size() == 1) {
    told->why = traced_choice::only;
  } else if (const auto* place = schedule_keeper::place_of(t); place && place->device == device) {
    told->why = traced_choice::kept;
  } else {
    told->why = t.blockers > 0 ? traced_choice::behind : traced_choice::policy;
  }
}

void decision_log::reserving(placed_task& t, time_stamp now) {
  if (traced_task* const told = record_of(t)) told->committed = now;
}

void decision_log::issued(placed_task& t, time_stamp now) {
  traced_task* const told = record_of(t);
  if (told == nullptr) return;
  told->issued = now;
  if (told->committed == time_stamp{} || told->committed < told->chosen) told->committed = now;
  if (t.kind != task_kind::launch) return;
  told->device = t.run.device;
  told->stream = t.run.number.stream;
  told->predicted = t.run.predicted.time;
}

void decision_log::delivered(placed_task& t, time_stamp now) {
  if (traced_task* const told = record_of(t)) told->begin = now;
}

void decision_log::launch_ended(placed_task& t, const command_result& how) {
  traced_task* const told = record_of(t);
  if (told == nullptr) return;
  told->begin = how.begin;
  told->end = how.end;
}

void decision_log::finished(placed_task& t, time_stamp now, const failure& why) {
  traced_task* const told = record_of(t);
  if (told == nullptr) return;
  if (told->end == time_stamp{}) told->end = now;
  told->failed = static_cast<bool>(why);
  states_.erase(t.stands_for());
  keep_last(tasks_, std::move(*told), capacity_, dropped_);
  t.traced->told.reset();
  if (buffers_.size() > 2 * capacity_) forget_unused_buffers();
}

void decision_log::forget_unused_buffers() {
  std::set<data_id> used;
  for (const traced_task& each : tasks_) {
    for (const traced_access& a : each.accesses) used.insert(a.buffer);
  }
  std::erase_if(buffers_, [&](const auto& each) { return !used.contains(each.first); });
}

void decision_log::copy_ended(const command_record& record, const command_result& how) {
  if (!keeps()) return;
  const copied_part& part = *record.copy;
  keep_last(copies_,
            traced_copy{.task = record.task,
                        .buffer = part.data,
                        .from = part.from,
                        .to = part.to,
                        .stream = record.number.stream,
                        .bytes = part.bytes,
                        .wanted = record.wanted,
                        .begin = how.begin,
                        .end = how.end},
            capacity_, dropped_);
}

void decision_log::add_to(traced_run& run) const {
  run.tasks.assign(tasks_.begin(), tasks_.end());
  std::ranges::sort(run.tasks, {}, &traced_task::number);
  run.copies.assign(copies_.begin(), copies_.end());
  for (const auto& [id, buffer] : buffers_) run.buffers.push_back(buffer);
  run.dropped = dropped_;
}

}  // namespace hocket::placement
