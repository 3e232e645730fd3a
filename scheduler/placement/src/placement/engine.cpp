// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "placement/engine.hpp"
#include "tasks/caught.hpp"

#include <algorithm>
#include <utility>

#include "data/seeded_bug.hpp"

namespace hocket::placement {

namespace {

// Timepoints that are done cost time wherever they are compared; removing them costs time as well.
constexpr std::uint64_t steps_between_prunings = 256;

}  // namespace

engine::engine(machine description, std::size_t trace_capacity)
    : machine_(std::move(description)),
      costs_(machine_),
      commands_(machine_),
      tasks_(data_),
      coherence_(machine_.memories.size()),
      replicas_(machine_, coherence_),
      transfers_(machine_, costs_, data_, coherence_, replicas_, commands_),
      throttle_(machine_.devices.size()),
      trace_(machine_, trace_capacity),
      lanes_(machine_),
      devices_(machine_.devices.size()),
      view_(machine_, costs_, coherence_, replicas_, lanes_, devices_),
      dirty_(machine_.devices.size()) {}

void engine::step(time_stamp now, event&& what, action_list& out) {
  now_ = std::max(now_, now);
  out_ = &out;
  replicas_.begin(out);
  transfers_.begin(now_, out);
  std::visit([this](auto& e) { handle(e); }, what);
  settle();
  if (++steps_ % steps_between_prunings == 0) {
    coherence_.prune([this](point t) { return commands_.done(t); });
  }
  out_ = nullptr;
}

void engine::settle() {
  do {
    if (!ending_.empty()) end_due();
    if (throttle_.changed()) {
      for (const task_id granted : throttle_.grant()) {
        if (placed_task* t = tasks_.find(granted)) place(*t);
      }
    }
    dirty_.take_each([this](std::size_t device) { pump(device_id{device}); });
    commands_.flush(*out_);
    if (issued_ == commands_.apart().size()) look_at_reservations();
  } while (commands_.run_woken() || !dirty_.empty() || !ending_.empty() || throttle_.changed());
}

void engine::end_due() {
  while (!ending_.empty()) {
    const std::vector<ending> due = std::exchange(ending_, {});
    for (const ending& e : due) {
      // It may have ended since. An action of this step keeps it alive then.
      if (e.task->phase != task_phase::ended) finish(*e.task, e.why);
    }
  }
}

device_statistics engine::statistics(device_id device) const {
  device_statistics made = devices_[device.value].done;
  made.peak_bytes = replicas_.peak(machine_.devices[device.value].memory);
  made.alive = devices_[device.value].alive;
  return made;
}

void engine::each_task(const std::function<void(const placed_task&)>& visit) const {
  for (const placed_task* const t : tasks_.sorted()) visit(*t);
}

void engine::handle(data_added& e) {
  coherence_.add(e.data, e.extents, e.element_size);
  auto d = std::make_unique<tracked_buffer>();
  d->label = std::move(e.label);
  d->all = box::whole(e.extents);
  d->element_size = e.element_size;
  d->where = &coherence_.find(e.data);
  data_.insert(e.data, std::move(d));
}

void engine::handle(data_dropped& e) {
  for (const released_block& freed : coherence_.remove(e.data)) release(freed);
  data_.erase(e.data);
}

void engine::handle(budget_added& e) { throttle_.add_budget(e.budget, e.bytes); }

void engine::handle(submitted& e) {
  placed_task& t = tasks_.add(std::move(e.task));
  t.submitted = now_;
  if (t.in_order || t.takes_bytes()) throttle_.announce(throttled(t));
  if (t.timeout != nanoseconds::max()) {
    out_->emplace_back(start_timer{task_ref(&t), t.timeout});
  }
  if (e.unwanted) return poison(t, e.unwanted);
  alone_ = true;
  consider(t);
  alone_ = false;
}

void engine::handle(external_ended& e) {
  placed_task* t = tasks_.find(e.task);
  if (t == nullptr) return;
  --t->blockers;
  --t->unissued;
  if (e.why && !t->poisoned && !seeded_bug(bug::ignore_external)) t->poisoned = e.why;
  consider(*t);
}

void engine::handle(cancel_asked& e) {
  if (placed_task* t = tasks_.find(e.task)) poison(*t, e.why);
}

void engine::poison(placed_task& t, const failure& why) {
  if (t.poisoned || (t.is_issued() && t.kind != task_kind::launch)) return;
  t.poisoned = why;
  leave_throttle(t);
  // The future fails at once. It waits neither for a command that cannot be recalled nor for
  // earlier tasks, which keep the versions of the buffers in order.
  if (!std::exchange(t.notified, true)) {
    out_->emplace_back(complete{task_ref(&t), why, t.is_issued()});
  }
  consider(t);
}

void engine::handle(stop_asked& e) {
  for (placed_task* const t : tasks_.sorted()) {
    // A fetch ends as the kernel does whose value it reads, and that may be running.
    const bool follows = t->kind == task_kind::fetch;
    if (!t->is_issued() && !follows) poison(*t, e.why);
  }
}

void engine::handle(view_released& e) {
  placed_task* t = tasks_.find(e.task);
  if (t == nullptr) return;
  if (t->opened == nullptr) return end_later(*t, t->poisoned);
  // The future of a task may have ended while the task has not.
  t->opened->why = std::move(e.why);
  leave_domain(*t);
}

void engine::handle(command_ended& e) { end_command(e.stream, e.value, e.how); }

void engine::handle(commands_ended& e) {
  for (const command_result& how : e.how) end_command(e.stream, e.first++, how);
}

void engine::end_command(stream_id stream, std::uint64_t value, const command_result& how) {
  if (commands_.is_lost(stream)) return;
  const command_record record = commands_.end(stream, value);
  lanes_.ended(record, commands_.load(stream));
  if (record.copy != nullptr) {
    finish_copy(record, how);
  } else {
    finish_launch(record, how);
  }
}

void engine::handle(command_left& e) {
  if (commands_.is_lost(e.stream)) return;
  const command_record record = commands_.leave(e.stream, e.value, e.when);
  lanes_.ended(record, commands_.load(e.stream));
  mark_dirty(*machine_.streams[e.stream.value].device);
}

void engine::handle(command_ended_apart& e) {
  const std::optional<command_record> record = commands_.end_apart({e.stream, e.value});
  if (record) finish_launch(*record, e.how);
}

void engine::handle(inspected& e) { e.look(*this); }

void engine::handle(memory_awaited& e) {
  awaits_memory_ = {};
  placed_task* const waiting = tasks_.find(e.task);
  if (!lacks_memory(waiting) || ended_ != ended_before_) return;
  placed_task& t = *waiting;
  // It may not have been looked at since the last copy of something else came to another memory.
  find_memory(machine_.devices[t.run.device.value].memory);
  if (!lacks_memory(&t)) return;
  if (commands_.apart().empty()) {
    end_later(t, failure(failure_code::out_of_memory, what_it_lacks(t) + "."));
  } else {
    t.warned_of = true;
    out_->emplace_back(warn{what_it_lacks(t) +
                            " but what functions keep that wait: should these wait for it, it "
                            "waits for ever."});
  }
}

/// Called when only bodies that yielded their lanes are in flight, and a task may wait for memory.
void engine::look_at_reservations() {
  // A task that has ended may be about to drop the last handle of a buffer, and a body that yielded
  // its lane may be about to end.
  constexpr nanoseconds moment = std::chrono::milliseconds(5), long_time = std::chrono::seconds(1);
  if (awaits_memory_.valid()) return;
  for (const device_record& d : devices_) {
    if (!lacks_memory(d.reserving)) continue;
    const bool is_hopeless = commands_.apart().empty();
    if (d.reserving->warned_of && !is_hopeless) continue;
    awaits_memory_ = d.reserving->id;
    ended_before_ = ended_;
    out_->emplace_back(await_memory{d.reserving->id, is_hopeless ? moment : long_time});
    return;
  }
}

/// True if the task waits for memory, and no command in flight will free any.
bool engine::lacks_memory(const placed_task* t) const {
  return t != nullptr && t->phase == task_phase::reserving && issued_ == commands_.apart().size() &&
         !replicas_.awaits_blocks(machine_.devices[t->run.device.value].memory);
}

std::string engine::what_it_lacks(const placed_task& t) const {
  const memory_id memory = machine_.devices[t.run.device.value].memory;
  return detail::task_name(t.label_text()) + " lacks " +
         std::to_string(replicas_.ledger().shortage(memory)) + " bytes in " +
         machine_.memories[memory.value].name + ", where " +
         std::to_string(replicas_.ledger().used(memory)) + " of " +
         std::to_string(replicas_.ledger().capacity(memory)) +
         " are in use and none can be moved out";
}

}  // namespace hocket::placement
