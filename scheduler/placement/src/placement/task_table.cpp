// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "placement/task_table.hpp"

#include <algorithm>
#include <utility>

#include "data/seeded_bug.hpp"

namespace hocket::placement {

namespace {

/// The run that the task is of; null if it is of none.
const submitted_run* run_of(const placed_task& t) {
  return t.is_of_run ? static_cast<const run_task&>(t).part_of : nullptr;
}

}  // namespace

placed_task& task_table::add(task_ref&& made) {
  placed_task& t = *made;
  (void)tasks_.insert(t.id, std::move(made));
  enter(t);
  find_edges(t);
  if (found_.empty()) return t;
  // Tasks within a nested domain are not ordered with tasks before it, so those have to end first.
  if (t.kind == task_kind::domain) {
    for (found_edge& e : found_) e.kind = edge_kind::content;
  }
  if (found_.size() > 1) sort_edges();
  // At once, because edges that are linked must not move.
  t.edges.reserve(found_.size());
  for (const found_edge& e : found_) link(t, e);
  return t;
}

placed_task& task_table::add(run_task& t) {
  (void)tasks_.insert(t.id, task_ref(&t));
  enter(t);
  t.order = 0;
  find_edges(t);
  if (found_.size() > 1) sort_edges();
  t.edges.reserve(found_.size() + t.recorded.size());
  // Tasks outside of the run are older.
  for (const found_edge& e : found_) link(t, e);
  for (const recorded_edge& e : t.recorded) {
    placed_task& before = *t.part_of->tasks()[e.before];
    if (before.phase != task_phase::ended) {
      link(t, {&before, e.kind, e.waits_for_end});
    } else if (e.waits_for_end && before.poisoned) {
      t.poison_behind(before.poisoned);
    }  // else what became of it is found in the content of its buffers
  }
  return t;
}

void task_table::enter(placed_task& t) {
  // Not the id, which is drawn before the event has its place in the inbox: the age that decides
  // between tasks of one priority has to agree with their order in the access histories.
  t.age = added_++;
  t.blockers = t.unissued = t.external;
  if (placed_task* const around = domain_of(t)) ++around->opened->tasks;
}

void task_table::find_edges(placed_task& t) {
  found_.clear();
  const submitted_run* const own_run = run_of(t);
  const auto live = [&](task_id other) { return find(other) != nullptr; };
  const auto depend = [&](task_id earlier, edge_kind kind, const box*) {
    if (earlier == t.id) return true;
    placed_task* const before = find(earlier);
    if (before == nullptr) return false;
    // Edges within a run are known.
    if (own_run == nullptr || run_of(*before) != own_run)
      found_.push_back({.before = before, .kind = kind});
    return true;
  };
  const auto append = [&](const task_access& a) {
    if (a.is_empty() || !a.is_in_history) return;
    tracked_buffer& d = *a.buffer;
    task_accesses& history = t.within.valid() ? history_of(t, a.data, d) : d.history;
    history.append(t.id, a.is_all ? nullptr : &a.region(), d.all, a.mode, live, depend);
  };
  // What is read first: a task that replaces the content that it reads is bound to who wrote that.
  bool only_writes = false;
  for (task_access& a : t.accesses) {
    if (a.buffer == nullptr) a.buffer = buffers_.find(a.data);
    if (reads_content(a.mode)) {
      append(a);
    } else {
      only_writes = true;
    }
  }
  if (!only_writes) return;
  for (const task_access& a : t.accesses) {
    if (!reads_content(a.mode)) append(a);
  }
}

/// Sorts the edges by age and leaves one for each task: content if there is one, else order.
void task_table::sort_edges() {
  std::ranges::sort(found_, [](const found_edge& a, const found_edge& b) {
    return a.before != b.before ? a.before->age < b.before->age : a.kind < b.kind;
  });
  const auto same = [](const found_edge& a, const found_edge& b) { return a.before == b.before; };
  found_.erase(std::unique(found_.begin(), found_.end(), same), found_.end());
}

void task_table::link(placed_task& t, const found_edge& found) {
  placed_task& before = *found.before;
  const bool is_passed = !found.waits_for_end && before.is_issued() &&
                         (!before.has_to_end() || seeded_bug(bug::forget_views));
  task_edge& made = t.edges.emplace_back();
  made.before = &before;
  made.after = &t;
  made.kind = found.kind;
  made.waits_for_end = found.waits_for_end;
  before.followers.push_back(made);
  if (found.kind == edge_kind::content) {
    ++t.blockers;
    if (!is_passed) ++t.unissued;
  } else if (is_passed) {
    made.is_passed = true;
  } else {
    ++t.order;
  }
}

/// Of a task within a nested domain: the domain's own, if it is over the buffer.
task_accesses& task_table::history_of(const placed_task& t, data_id data,
                                      tracked_buffer& all) const {
  placed_task* const around = find(t.within);
  if (around == nullptr) return all.history;
  task_accesses* const inside = around->opened->histories.find(data);
  return inside != nullptr ? *inside : all.history;
}

task_ref task_table::remove(placed_task& t) {
  t.phase = task_phase::ended;
  t.edges.clear();
  t.followers.clear_and_dispose([](task_edge* edge) { edge->before = nullptr; });
  return tasks_.extract(t.id);
}

std::vector<placed_task*> task_table::sorted() const {
  std::vector<placed_task*> all;
  tasks_.each([&](task_id, const placed_task& t) { all.push_back(const_cast<placed_task*>(&t)); });
  std::ranges::sort(all, {}, [](const placed_task* t) { return t->id; });
  return all;
}

}  // namespace hocket::placement
