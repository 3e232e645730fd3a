// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "placement/engine.hpp"

#include <algorithm>
#include <utility>

namespace hocket::placement {

namespace {

// Timepoints that are done cost time wherever they are compared; removing them costs time as well.
constexpr std::uint64_t steps_between_prunings = 256;

// Devices begin with the first tasks of a run while others are added.
constexpr std::size_t added_at_a_time = 256;

}  // namespace

/// Gives each event to the part that it is for.
struct engine::dispatch {
  engine& on;

  void operator()(data_added& e) const { on.add_buffer(e); }
  void operator()(data_dropped& e) const { on.returns_.drop(e.data); }
  void operator()(return_asked& e) const { on.returns_.return_all(e); }
  void operator()(submitted& e) const { on.submit(e); }
  void operator()(run_submitted& e) const {
    on.begin_run(*e.run);
    on.add_next_of_run();
  }
  void operator()(run_continued& /*e*/) const { on.add_next_of_run(); }
  void operator()(run_cancelled& e) const {
    on.state_.runs.cancel(*e.run, e.why, [&](placed_task& t) { on.finisher_.cancel(t, e.why); });
  }
  void operator()(external_ended& e) const { on.placer_.future_ended(e); }
  void operator()(cancel_asked& e) const {
    if (placed_task* t = on.state_.tasks.find(e.task)) on.finisher_.cancel(*t, e.why);
  }
  void operator()(stop_asked& e) const { on.finisher_.cancel_all(e.why); }
  void operator()(end_asked& /*e*/) const {
    on.state_.is_ending = true;
    on.roster_.place_waiting();
  }
  void operator()(view_released& e) const { on.views_.release(e); }
  void operator()(view_refused& e) const {
    if (placed_task* t = on.state_.tasks.find(e.task)) t->is_refused = true;
  }
  void operator()(command_ended& e) const { on.end_command(e.stream, e.value, e.how); }
  void operator()(commands_ended& e) const {
    for (const command_result& how : e.how) on.end_command(e.stream, e.first++, how);
  }
  void operator()(command_left& e) const { on.leave_stream(e.stream, e.value, e.when); }
  void operator()(command_ended_apart& e) const {
    const auto record = on.state_.commands.end_apart({e.stream, e.value}, e.how);
    if (!record) return;
    on.retries_.command_ended(*record, e.how);
    on.finisher_.launch_ended(*record, e.how);
  }
  void operator()(device_gone& e) const { on.losses_.lose_device(e.device, e.why); }
  void operator()(time_passed& e) const {
    switch (e.part) {
      case timed_part::schedule:
        return on.scheduled_.time_passed();
      case timed_part::retry:
        return on.retries_.time_passed();
      case timed_part::loss:
        return on.retries_.loss_not_told();
      case timed_part::hang:
        return on.hangs_.time_passed();
      case timed_part::straggler:
        return on.stragglers_.time_passed();
      case timed_part::view:
        return on.recovery_.time_passed();
    }
  }
  void operator()(drain_asked& e) const { on.drains_.begin(e); }
  void operator()(resume_asked& e) const { on.drains_.resume(e); }
  void operator()(close_asked& e) const { on.closings_.begin(e); }
  void operator()(device_opened& e) const { on.closings_.open(e); }
  void operator()(rest_ended& e) const { on.quarantine_.rest_ended(e.device); }
  void operator()(memory_awaited& e) const { on.memory_.await_ended(e.task); }
  void operator()(allocation_failed& e) const {
    // Launches fail by themselves, later: until then nothing is issued that reads their outputs.
    const bool fails_launches = on.memory_.allocation_refused(e);
    const bool repeats = on.state_.log.is_on() && !seeded_bug(bug::issue_behind_refused);
    if (fails_launches && repeats) on.recovery_.await_failures(e.why);
  }
  void operator()(inspected& e) const { e.look(on); }
};

void engine::step(time_stamp now, event&& what, action_list& out) {
  state_.now = std::max(state_.now, now);
  state_.work.begin(out);
  state_.replicas.begin(out);
  constexpr std::int64_t copies_remembered = 50;
  state_.commands.begin(state_.now, copies_remembered * state_.costs.copies().usual());
  state_.transfers.begin(state_.now, out);
  state_.guard.begin(out);
  std::visit(dispatch{*this}, what);
  settle();
  while ((state_.log.is_on() && cutter_.look()) || (drains_.is_active() && drains_.look()) ||
         (closings_.is_active() && closings_.look()) || (returns_.is_active() && returns_.look())) {
    settle();
  }
  hangs_.look_later();
  stragglers_.look_later();
  if (++steps_ % steps_between_prunings == 0 || state_.content.is_prune_due()) {
    state_.content.prune([this](point t) { return state_.commands.done(t); },
                         [this](task_id t) {
                           // Tasks of a recovery may still be told to have failed.
                           return state_.tasks.find(t) != nullptr || state_.losses.is_recovering();
                         });
  }
}

void engine::add_buffer(data_added& e) {
  state_.content.add(e.data, e.extents, size_of(e.type));
  auto d = std::make_unique<tracked_buffer>();
  d->id = e.data;
  d->label = std::move(e.label);
  d->all = box::whole(e.extents);
  d->type = e.type;
  d->element_size = size_of(e.type);
  d->where = &state_.content.find(e.data);
  d->is_lent = e.lent != nullptr;
  if (d->is_lent) d->lent_at = reinterpret_cast<std::uintptr_t>(e.lent->address());
  state_.buffers.insert(e.data, std::move(d));
  if (e.lent != nullptr) state_.replicas.lend_block(e.data, std::move(e.lent));
}

void engine::submit(submitted& e) { admit(state_.tasks.add(std::move(e.task)), e.unwanted); }

void engine::begin_run(submitted_run& run) {
  state_.runs.begin(run);
  state_.schedules.begin(run, state_.now, *state_.chooser, state_.changes);
}

void engine::add_next_of_run() {
  state_.runs.add_next(added_at_a_time, [this](run_task& t, const failure& unwanted) {
    admit(state_.tasks.add(t), unwanted);
  });
}

void engine::recover() {
  submitted_run* const run = recovery_.go_on();
  if (run == nullptr) return;
  run_table::add_all(*run, [this](run_task& t) { admit(state_.tasks.add(t), {}); });
}

void engine::admit(placed_task& t, const failure& unwanted) {
  if (state_.takes_notes) {
    t.traced = std::make_unique<trace_note>();
    t.traced->submitted = state_.now;
    state_.decisions.submitted(t, state_.now);
  }
  state_.evictions.add(t);
  state_.throttle.announce(t);
  for (const task_access& a : t.accesses) {
    if (a.mode == access_mode::update) ++a.buffer->updates;
  }
  if (t.is_limited && t.limits->timeout != nanoseconds::max()) {
    state_.work.actions().emplace_back(start_timer{task_ref(&t), t.limits->timeout});
  }
  if (unwanted) return finisher_.cancel(t, unwanted);
  state_.is_alone = true;
  placer_.consider(t);
  state_.is_alone = false;
}

void engine::end_command(stream_id stream, std::uint64_t value, const command_result& how) {
  if (state_.commands.is_lost(stream)) return;
  if (state_.commands.keeps_reports(stream)) return keep_report(stream, {value, how});
  end_oldest(stream, value, how);
}

void engine::end_oldest(stream_id stream, std::uint64_t value, const command_result& how) {
  const command_record record = state_.commands.end(stream, value);
  state_.lanes.ended(record, state_.commands.load(stream));
  if (record.launched != nullptr && record.launched->is_preparation) {
    preparations_.ended(record, how);
    return pool_.look_again();
  }
  if (state_.duplicates.is_any() && duplicates_.takes_end(record, how)) return;
  retries_.command_ended(record, how);
  if (record.copy != nullptr) {
    losses_.copy_ended(record, how);
  } else {
    finisher_.launch_ended(record, how);
  }
}

void engine::leave_stream(stream_id stream, std::uint64_t value, time_stamp when) {
  if (state_.commands.is_lost(stream)) return;
  if (state_.commands.keeps_reports(stream)) return keep_report(stream, {value, {}, when});
  oldest_leaves(stream, value, when);
}

void engine::oldest_leaves(stream_id stream, std::uint64_t value, time_stamp when) {
  const command_record record = state_.commands.leave(stream, value, when);
  state_.lanes.ended(record, state_.commands.load(stream));
  state_.work.mark_dirty(*state_.nodes.streams[stream.value].device);
}

void engine::keep_report(stream_id stream, command_report&& report) {
  state_.commands.keep(stream, std::move(report), [this, stream] { take_kept_reports(stream); });
}

void engine::take_kept_reports(stream_id stream) {
  const auto again = [this, stream] { take_kept_reports(stream); };
  while (state_.commands.offers_kept(stream, again)) {
    const command_report report = state_.commands.take_kept(stream);
    if (report.left == time_stamp::max()) {
      end_oldest(stream, report.value, report.how);
    } else {
      oldest_leaves(stream, report.value, report.left);
    }
  }
}

void engine::settle() {
  task_throttle& throttle = state_.throttle;
  in_flight_table& commands = state_.commands;
  do {
    if (state_.work.has_endings()) finisher_.finish_due();
    if (throttle.changed() && !state_.losses.holds_tasks()) {
      for (const task_id granted : throttle.grant()) {
        if (placed_task* t = state_.tasks.find(granted)) placer_.place(*t);
      }
    }
    if (!scheduled_.is_empty()) {
      scheduled_.plan_late();
      scheduled_.release_due();
    }
    // Tasks that can start now may be more urgent than those that were committed before.
    if (state_.work.has_dirty()) pool_.look_again();
    if (pool_.wants_round()) pool_.hold_round();
    state_.work.take_dirty([this](device_id device) {
      pump(device);
      idle_.look_at(device);
    });
    commands.flush(state_.work.actions());
    if (state_.issued == commands.apart().size()) memory_.look_at_reservations();
    if (state_.issued == commands.apart().size() + state_.open_domains) order_.look();
    if (state_.losses.is_recovering() && recovery_.is_due() && !retries_.is_waiting()) recover();
  } while (commands.waiters().run_due() || !state_.work.is_empty() ||
           (throttle.changed() && !state_.losses.holds_tasks()) || pool_.wants_round() ||
           (!scheduled_.is_empty() && scheduled_.has_more()));
  if (!scheduled_.is_empty()) scheduled_.await_due();
  if (state_.needs_time()) idle_.look_around(!pool_.is_empty() || !scheduled_.is_empty());
}

void engine::pump(device_id device) {
  device_record& d = state_.devices[device.value];
  if (!d.alive()) return;
  if (d.reserving != nullptr) memory_.find_memory(state_.nodes.devices[device.value].memory);
  bool again = false;
  do {
    fetches_.fetch_ahead(device);
    while (!d.is_empty()) {
      if (state_.lanes.open(device).empty()) break;
      placed_task* const t = queues_.pick(device);
      if (t == nullptr) break;
      const std::optional<std::size_t> lane = issuer_.free_lane(*t);
      if (!lane) break;
      queues_.dequeue(*t);
      commit(*t, *lane);
    }
    again = !scheduled_.is_empty() && scheduled_.release(device);
    if (again) continue;
    if (!state_.chooser->steals()) return;
    if (!d.is_empty()) return queues_.wake_thieves();
  } while (again ||
           (d.reserving == nullptr && state_.lanes.is_idle(device) && queues_.steal_for(device)));
}

void engine::commit(placed_task& t, std::size_t lane) {
  if (issuer_.issue_present(t, lane)) return placer_.pass_followers(t);
  if (const failure why = state_.transfers.unusable_input(t)) return state_.work.end_later(t, why);
  if (!memory_.has_memory(t)) return;
  issuer_.issue(t);
  placer_.pass_followers(t);
}

device_statistics engine::statistics(device_id device) const {
  const device_record& record = state_.devices[device.value];
  const memory_id memory = state_.nodes.devices[device.value].memory;
  device_statistics made = record.done;
  made.peak_bytes = state_.replicas.peak(memory);
  made.used_bytes = state_.replicas.ledger().used(memory);
  made.memory_bytes = state_.replicas.ledger().capacity(memory);
  made.queued = record.waiting;
  made.in_flight = state_.lanes.in_flight(device);
  made.state = record.state;
  made.idle = idle_.of(device);
  return made;
}

device_prices engine::program_of_done() const {
  device_prices made(state_.nodes);
  state_.costs.add_done(made);
  return made;
}

void engine::each_task(const std::function<void(const placed_task&)>& visit) const {
  for (const placed_task* const t : state_.tasks.sorted()) visit(*t);
}

}  // namespace hocket::placement
