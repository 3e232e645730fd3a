// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "placement/host_views.hpp"

#include <utility>

#include "tasks/caught.hpp"

namespace hocket::placement {

void host_views::open_nested(placed_task& t) {
  t.opened = std::make_unique<open_domain>();
  for (const task_access& a : t.accesses) t.opened->histories.cover(a.data);
  issuer_.mark_issued(t);
  ++s_.open_domains;
  s_.work.actions().emplace_back(deliver{task_ref(&t), {}});
}

void host_views::open_view(placed_task& t) {
  if (t.is_refused) return s_.work.end_later(t, {});
  if (const failure why = s_.transfers.unusable_input(t)) return s_.work.end_later(t, why);
  for (const task_access& a : t.accesses) {
    if (!a.is_empty()) s_.replicas.take_block(a.data, host_memory);
  }
  s_.replicas.pin(t, host_memory);
  const timepoint_set waits = issuer_.acquire(t, host_memory);
  if (s_.log.is_on()) issuer_.log_issue(t, host_memory);
  issuer_.note_accesses(t, host_memory, point{});
  if (t.traced != nullptr) decision_log::issued(t, s_.now);
  issuer_.mark_issued(t);
  s_.awaited_views.push_back(t.id);
  s_.commands.when_done(waits, [this, id = t.id] { deliver_view(id); });
}

void host_views::deliver_view(task_id id) {
  std::erase(s_.awaited_views, id);
  placed_task* t = s_.tasks.find(id);
  if (t == nullptr) return;
  if (const failure why = undelivered(*t)) {
    // If that is due to no loss, it is found again when the recovery is over.
    if (s_.losses.is_recovering()) s_.losses.affect(*t);
    return s_.work.end_later(*t, why);
  }
  if (t->traced != nullptr) decision_log::delivered(*t, s_.now);
  if (t->is_recovery) return restore(static_cast<const recovery_task&>(*t));
  deliver made{task_ref(t), {}};
  for (const task_access& a : t->accesses) {
    made.blocks.push_back(s_.content.block(a.data, host_memory));
  }
  s_.work.actions().emplace_back(std::move(made));
  if (t->kind == task_kind::fetch) s_.work.end_later(*t, {});
}

/// The task is over when its content has been written; one that saves some when that has come.
void host_views::restore(const recovery_task& t) {
  if (t.saves) return s_.work.end_later(*s_.tasks.find(t.id), {});
  const task_access& to = t.accesses.front();
  s_.work.actions().emplace_back(
      put_back{t.id, s_.content.block(to.data, host_memory), t.from, to.region()});
}

/// Why the content is not there, although all copies have ended.
failure host_views::undelivered(const placed_task& t) const {
  if (t.poisoned) return t.poisoned;
  if (s_.losses.is_affected(t)) {
    return {failure_code::data_lost, "Its content was lost on the way to the host."};
  }
  // A copy may have failed: its source was lost.
  if (failure why = s_.transfers.unusable_input(t)) return why;
  // Likewise if the copy that failed was requested by another task.
  for (const task_access& a : t.accesses) {
    if (!reads_content(a.mode) || s_.content.missing(a.data, a.region(), host_memory) == 0) {
      continue;
    }
    const std::string copy = "copy of buffer \"" + a.buffer->label + "\" to the host failed.";
    if (t.kind == task_kind::fetch) return failure(failure_code::data_lost, "A " + copy);
    return failure(failure_code::data_lost,
                   detail::task_name(t.label_text()) + " did not run, because a " + copy);
  }
  return {};
}

void host_views::release(view_released& e) {
  placed_task* t = s_.tasks.find(e.task);
  if (t == nullptr) return;
  if (t->opened == nullptr) return s_.work.end_later(*t, e.why ? e.why : t->poisoned);
  // The future of a task may have ended while the task has not.
  t->opened->why = std::move(e.why);
  leave(*t);
}

void host_views::leave_domain(const placed_task& t) {
  if (placed_task* const around = s_.tasks.domain_of(t)) leave(*around);
}

/// One of its tasks has ended, or it was released.
void host_views::leave(placed_task& domain) {
  if (--domain.opened->tasks == 0) s_.work.end_later(domain, domain.opened->why);
}

}  // namespace hocket::placement
