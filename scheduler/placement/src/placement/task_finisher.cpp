// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "placement/task_finisher.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include <boost/unordered/unordered_flat_set.hpp>

#include "tasks/caught.hpp"

namespace hocket::placement {

void task_finisher::launch_ended(const command_record& record, const command_result& how) {
  placed_task& t = *record.launched;
  count_launch(record, how);
  if (t.run.is_trial && trials_.takes(t, how.why)) return;
  s_.times.launch_ended(how.begin, how.end);
  note_times(t, how);
  if (t.is_of_run) {
    const bool has_left = record.left != time_stamp::max();
    schedule_keeper::command_ended(static_cast<run_task&>(t), how.begin, how.end, has_left);
  }
  failure why = how.why;
  if (why && why.thrown()) {
    why = failure(why.code(), detail::task_name(t.label_text()) + " failed: " + why.message(),
                  why.thrown());
  } else if (why) {
    why = s_.failed_on_device(t, why);
  } else if (record.left == time_stamp::max()) {
    s_.costs.measured(*t.launch, t.run.device, how.end - how.begin, t.run.predicted);
  }
  // Streams report in no common order: the end of a predecessor may be reported later.
  if (t.blockers > 0) {
    t.run.early_result = std::make_unique<failure>(why);
    if (s_.losses.is_affected(t)) recovery_.affect(t);
  } else {
    finish(t, t.poisoned && !seeded_bug(bug::commit_poisoned) ? t.poisoned : why);
  }
}

/// No more than it took: what comes after it in a chain began then.
void task_finisher::note_length(const placed_task& t, nanoseconds took) {
  nanoseconds least = std::max(took, nanoseconds{0});
  for (std::size_t i = 0; i < s_.devices.size(); ++i) {
    if (!s_.view.can_run(t, device_id{i})) continue;
    least = std::min(least, s_.costs.predict(*t.launch, device_id{i}));
  }
  t.traced->least = least;
}

void task_finisher::finish_due() {
  do {
    for (const worklist::ending& e : s_.work.take_endings()) {
      // It may have ended since. An action of this step keeps it alive then.
      if (e.task->phase != task_phase::ended) finish(*e.task, e.why);
    }
  } while (s_.work.has_endings());
}

void task_finisher::finish(placed_task& t, const failure& why) {
  if (s_.log.is_on() && recovery_.takes(t, why)) return;
  ++s_.ended;
  const device_id device = t.run.device;
  const bool is_launch = t.kind == task_kind::launch;
  const memory_id memory = is_launch && device.valid() ? s_.node_of(t).memory : host_memory;
  if (t.is_issued()) --s_.issued;
  if (t.opened != nullptr) --s_.open_domains;
  if (t.phase == task_phase::open) pool_.remove(t);
  if (t.phase == task_phase::scheduled) scheduled_.remove(t);
  if (t.phase == task_phase::queued) queues_.dequeue(t);
  if (t.phase == task_phase::reserving) memory_.withdraw(device);
  const bool was_issued = t.is_issued() && is_launch;
  if (was_issued) s_.schedules.launch_ended();
  const bool was_passed = was_issued && !t.has_to_end();
  if (device.valid() && !(was_issued && queues_.is_full(device))) s_.work.mark_dirty(device);
  s_.throttle.withdraw(t);
  memory_.unpin(t, memory);
  for (const task_access& a : t.accesses) {
    if (a.is_in_history) a.buffer->history.forget(t.id);
    if (a.mode == access_mode::update) --a.buffer->updates;
  }
  if (why) poison_outputs(t, why);
  if (s_.log.is_on()) note_end(t, memory, why);
  s_.retries.forget(t.id);
  s_.duplicates.forget(t.id);
  if (s_.quarantined > 0) s_.await_other_probe(t);
  s_.throttle.give_back_with(t);
  if (t.traced != nullptr) {
    s_.times.chain_ended(limited_sum(t.traced->before, t.traced->least));
    s_.decisions.finished(t, s_.now, why);
  }
  placer_.release_followers(t, was_passed, why);
  views_.leave_domain(t);
  if (!t.is_issued()) s_.evictions.remove(t);
  const bool is_issued = t.is_issued();
  task_ref gone = s_.tasks.remove(t);
  if (t.is_of_run) {
    // Tasks of the run that are not added yet may come after it.
    if (why) t.poisoned = why;
    if (t.run.is_overtaken) return s_.runs.ended_before_command(static_cast<run_task&>(t));
    leave_run(static_cast<run_task&>(t), is_issued, why);
  } else if (t.notified) {
    s_.work.actions().emplace_back(retire{std::move(gone)});
  } else {
    s_.work.actions().emplace_back(complete{std::move(gone), why, t.run.is_overtaken});
  }
}

task_ref task_finisher::finish_before_command(placed_task& t) {
  task_ref kept(&t);
  t.run.is_overtaken = true;
  finish(t, {});
  return kept;
}

void task_finisher::command_ended_after(task_ref ended) {
  if (ended->is_of_run) {
    leave_run(static_cast<run_task&>(*ended), true, {});
  } else {
    s_.work.actions().emplace_back(retire{std::move(ended)});
  }
}

void task_finisher::leave_run(run_task& t, bool was_issued, const failure& why) {
  submitted_run& run = *t.part_of;
  if (!s_.runs.has_ended(t, was_issued, why)) return;
  s_.schedules.ended(run, s_.now, *s_.chooser, s_.changes);
}

void task_finisher::note_end(const placed_task& t, memory_id memory, const failure& why) {
  s_.log.ended(t.id, why);
  if (!t.is_recovery || !why || !t.run.wrote || memory != host_memory) return;
  for (const task_access& a : t.accesses) {
    if (writes_content(a.mode)) s_.log.versions().forget(a.data, a.region());
  }
}

void task_finisher::poison_outputs(const placed_task& t, const failure& why) {
  if (seeded_bug(bug::keep_failed_outputs)) return;
  if (s_.log.is_on() && !t.run.wrote && !t.is_recovery) {
    s_.log.failed_unissued(t, why);
    // Tasks before it may be run again, with what was there before: see loss_recovery::end().
    if (s_.losses.is_recovering()) return;
  }
  for (const task_access& a : t.accesses) {
    if (!writes_content(a.mode) || a.is_empty()) continue;
    s_.evictions.touch(*a.buffer);
    if (t.run.wrote) {
      s_.content.poison(a.data, a.region(), t.id, why);
    } else {
      s_.content.poison_unissued(a.data, a.region(), t.id, why);
    }
  }
}

void task_finisher::cancel(placed_task& t, const failure& why) {
  if (t.poisoned || (t.is_issued() && t.kind != task_kind::launch)) return;
  t.poisoned = why;
  tell_failure(t);
}

/// The future fails at once. It waits neither for a command that cannot be recalled nor for earlier
/// tasks, which keep the versions of the buffers in order.
void task_finisher::tell_failure(placed_task& t) {
  s_.throttle.withdraw(t);
  if (!std::exchange(t.notified, true)) {
    if (t.is_of_run) {
      s_.runs.was_cancelled(static_cast<run_task&>(t), t.poisoned);
    } else {
      s_.work.actions().emplace_back(complete{task_ref(&t), t.poisoned, t.is_issued()});
    }
  }
  placer_.consider(t);
}

void task_finisher::fail_early(placed_task& first, const failure& why) {
  if (!first.poisoned) first.poisoned = why;
  std::vector<placed_task*> failed{&first};
  boost::unordered_flat_set<const placed_task*> seen{&first};
  while (!failed.empty()) {
    placed_task& t = *failed.back();
    failed.pop_back();
    // Its followers may be new.
    if (!t.notified) tell_failure(t);
    for (const task_edge& edge : t.followers) {
      placed_task& next = *edge.after;
      // Tasks that were issued behind it have commands of their own.
      const bool fails = !edge.is_passed && edge.kind != edge_kind::order &&
                         next.kind != task_kind::domain && !next.is_issued();
      if (!fails || !seen.insert(&next).second) continue;
      next.poison_behind(t.poisoned);
      failed.push_back(&next);
    }
  }
}

void task_finisher::cancel_all(const failure& why) {
  for (placed_task* const t : s_.tasks.sorted()) {
    // A fetch ends as the kernel does whose value it reads, and that may be running.
    const bool follows = t->kind == task_kind::fetch;
    if (!t->is_issued() && !follows && !t->is_recovery) cancel(*t, why);
  }
}

}  // namespace hocket::placement
