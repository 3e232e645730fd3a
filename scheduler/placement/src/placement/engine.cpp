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

// So many records of ended tasks are kept for new ones; the rest of a burst is freed.
constexpr std::size_t max_spare = 1024;

std::vector<std::uint64_t> capacities(const machine& m) {
  std::vector<std::uint64_t> bytes;
  for (const auto& memory : m.memories) bytes.push_back(memory.capacity);
  return bytes;
}

}  // namespace

engine::engine(machine description, std::size_t trace_capacity)
    : machine_(std::move(description)),
      costs_(machine_),
      commands_(machine_),
      coherence_(machine_.memories.size()),
      ledger_(capacities(machine_)),
      trace_(trace_capacity),
      last_end_(machine_.streams.size()),
      lanes_(machine_.streams.size()),
      dirty_(machine_.devices.size()),
      coming_(machine_.memories.size(), 0),
      peaks_(machine_.memories.size(), 0) {
  for (std::size_t i = 0; i < machine_.devices.size(); ++i) {
    const machine::device_node& node = machine_.devices[i];
    const auto& compute = node.compute;
    device_state& d = devices_.emplace_back(compute.size());
    for (std::size_t at = 0; at < compute.size(); ++at) {
      lanes_[compute[at].value] = {device_id{i}, at, node.depth, node.ahead};
      d.open.insert(at);
    }
  }
}

void engine::step(time_stamp now, event&& what, action_list& out) {
  now_ = std::max(now_, now);
  out_ = &out;
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
    if (budgets_.changed()) {
      for (const task_id granted : budgets_.grant()) {
        if (task* t = find(granted)) place(*t);
      }
    }
    dirty_.take_each([this](std::size_t device) { pump(device_id{device}); });
    commands_.flush(*out_);
    if (issued_ == commands_.apart().size()) look_at_reservations();
  } while (commands_.run_woken() || !dirty_.empty() || !ending_.empty() || budgets_.changed());
}

void engine::end_due() {
  while (!ending_.empty()) {
    const std::vector<ending> due = std::exchange(ending_, {});
    for (const ending& e : due) {
      if (task* t = find(e.task)) finish(*t, e.why);
    }
  }
}

engine::task& engine::add(request_ref&& made) {
  std::unique_ptr<task> fresh;
  if (spare_.empty()) {
    fresh = std::make_unique<task>();
  } else {
    fresh = std::move(spare_.back());
    spare_.pop_back();
  }
  fresh->request = std::move(made);
  const task_id id = fresh->request->id;
  return tasks_.insert(id, std::move(fresh));
}

void engine::remove(task_id id) {
  std::unique_ptr<task> gone = tasks_.extract(id);
  if (spare_.size() == max_spare) return;
  static_cast<task_facts&>(*gone) = {};
  gone->request.reset();
  if (gone->poisoned) gone->poisoned = {};
  gone->early_result.reset();
  gone->opened.reset();
  gone->successors.clear();
  gone->predecessors.clear();
  gone->data.clear();
  gone->pinned.clear();
  spare_.push_back(std::move(gone));
}

const device_statistics& engine::statistics(device_id device) const {
  return devices_[device.value].done;
}

bool engine::alive(device_id device) const { return devices_[device.value].alive; }

void engine::handle(data_added& e) {
  coherence_.add(e.data, e.extents, e.element_size);
  auto d = std::make_unique<data_state>();
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

void engine::handle(budget_added& e) { budgets_.add(e.budget, e.bytes); }

void engine::handle(submitted& e) {
  const task_id id = e.task->id;
  task& t = add(std::move(e.task));
  t.submitted = now_;
  // Not the id, which is drawn before the event has its place in the inbox: the age that decides
  // between tasks of one priority has to agree with their order in the access histories.
  t.age = submitted_++;
  t.blockers = t.unissued = t.request->external;
  if (task* around = t.request->within.valid() ? find(t.request->within) : nullptr) {
    ++around->opened->tasks;
  }
  add_edges(t);
  if (t.request->in_order) devices_[t.request->on->value].in_order.insert(place_of(t));
  if (t.request->budget.valid()) {
    budgets_.announce(t.request->budget, id, t.request->priority, t.request->budget_bytes);
  }
  if (t.request->timeout != nanoseconds::max()) {
    out_->emplace_back(start_timer{t.request, t.request->timeout});
  }
  if (e.unwanted) return poison(t, e.unwanted);
  alone_ = true;
  consider(t);
  alone_ = false;
}

void engine::handle(external_ended& e) {
  task* t = find(e.task);
  if (t == nullptr) return;
  --t->blockers;
  --t->unissued;
  if (e.why && !t->poisoned && !seeded_bug(bug::ignore_external)) t->poisoned = e.why;
  consider(*t);
}

void engine::handle(cancel_asked& e) {
  if (task* t = find(e.task)) poison(*t, e.why);
}

void engine::poison(task& t, const failure& why) {
  if (t.poisoned || (t.state == phase::issued && t.request->kind != task_kind::launch)) return;
  t.poisoned = why;
  give_up_places(t);
  // The future fails at once. It waits neither for a command that cannot be recalled nor for
  // earlier tasks, which keep the versions of the buffers in order.
  if (!std::exchange(t.notified, true)) {
    out_->emplace_back(complete{t.request, why, t.state == phase::issued});
  }
  consider(t);
}

void engine::handle(stop_asked& e) {
  std::vector<task_id> waiting;
  tasks_.each([&](task_id id, const task& t) {
    // A fetch ends as the kernel does whose value it reads, and that may be running.
    const bool follows = t.request->kind == task_kind::fetch;
    if (t.state != phase::issued && !follows) waiting.push_back(id);
  });
  std::sort(waiting.begin(), waiting.end());
  for (const task_id id : waiting) poison(*find(id), e.why);
}

void engine::handle(view_released& e) {
  task* t = find(e.task);
  if (t == nullptr) return;
  if (t->opened == nullptr) return end_later(e.task, t->poisoned);
  // The future of a task may have ended while the task has not.
  t->opened->released = true;
  t->opened->why = std::move(e.why);
  if (t->opened->tasks == 0) end_later(e.task, t->opened->why);
}

void engine::handle(command_ended& e) { end_command(e.stream, e.value, e.how); }

void engine::handle(commands_ended& e) {
  for (const command_result& how : e.how) end_command(e.stream, e.first++, how);
}

void engine::end_command(stream_id stream, std::uint64_t value, const command_result& how) {
  if (commands_.is_lost(stream)) return;
  const command_record record = commands_.end(stream, value);
  note_load(record, -1);
  if (record.copy != nullptr) {
    finish_copy(record, how);
  } else {
    finish_launch(record, how);
  }
}

void engine::handle(command_left& e) {
  if (commands_.is_lost(e.stream)) return;
  note_load(commands_.leave(e.stream, e.value, e.when), -1);
  mark_dirty(*machine_.streams[e.stream.value].device);
}

void engine::handle(command_ended_apart& e) {
  const std::optional<command_record> record = commands_.end_apart({e.stream, e.value});
  if (record) finish_launch(*record, e.how);
}

void engine::handle(inspected& e) { e.look(*this); }

void engine::handle(memory_awaited& e) {
  awaits_memory_ = {};
  if (!lacks_memory(e.task) || ended_ != ended_before_) return;
  task& t = *find(e.task);
  // Nobody may have looked since the last copy of something else came to another memory.
  find_memory(machine_.devices[t.device.value].memory);
  if (!lacks_memory(e.task)) return;
  if (commands_.apart().empty()) {
    end_later(e.task, failure(failure_code::out_of_memory, what_it_lacks(t) + "."));
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
  for (const device_state& d : devices_) {
    if (!lacks_memory(d.reserving)) continue;
    const bool is_hopeless = commands_.apart().empty();
    if (find(d.reserving)->warned_of && !is_hopeless) continue;
    awaits_memory_ = d.reserving;
    ended_before_ = ended_;
    out_->emplace_back(await_memory{d.reserving, is_hopeless ? moment : long_time});
    return;
  }
}

/// True if the task waits for memory, and no command in flight will free any.
bool engine::lacks_memory(task_id id) const {
  const task* const t = id.valid() ? find(id) : nullptr;
  return t != nullptr && t->state == phase::reserving && issued_ == commands_.apart().size() &&
         coming_[machine_.devices[t->device.value].memory.value] == 0;
}

std::string engine::what_it_lacks(const task& t) const {
  const memory_id memory = machine_.devices[t.device.value].memory;
  return detail::task_name(t.request->label_text()) + " lacks " +
         std::to_string(ledger_.shortage(memory)) + " bytes in " +
         machine_.memories[memory.value].name + ", where " + std::to_string(ledger_.used(memory)) +
         " of " + std::to_string(ledger_.capacity(memory)) +
         " are in use and none can be moved out";
}

}  // namespace hocket::placement
