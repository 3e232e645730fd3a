// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <algorithm>

#include "data/seeded_bug.hpp"
#include "placement/engine.hpp"

namespace hocket::placement {

void engine::add_edges(task& t) {
  edges_.clear();
  const task_id id = t.request->id;
  const bool in_domain = t.request->within.valid();
  const auto live = [&](task_id other) { return find(other) != nullptr; };
  const auto depend = [&](task_id earlier, edge_kind kind) {
    if (earlier == id) return;
    if (task* const before = find(earlier)) edges_.push_back({earlier, kind, before});
  };
  t.data.resize(t.request->accesses.size(), boost::container::default_init);
  data_state** used = t.data.data();
  for (const task_access& a : t.request->accesses) {
    data_state& d = *data_.find(a.data);
    *used++ = &d;
    if (a.is_empty()) continue;
    (in_domain ? history_within(t, a.data, d) : d.history).append(id, a, d.all, live, depend);
  }
  if (edges_.empty()) return;
  // Tasks within a nested domain are not ordered with tasks before it, so those have to end first.
  if (t.request->kind == task_kind::domain) {
    for (edge& e : edges_) e.kind = edge_kind::content;
  }
  if (edges_.size() > 1) sort_edges();
  for (const edge& e : edges_) add_edge(*e.before, t, e.kind);
}

/// Sorts the edges by id and leaves one for each task: content if there is one, else order.
void engine::sort_edges() {
  std::sort(edges_.begin(), edges_.end(), [](const edge& a, const edge& b) {
    return a.from != b.from ? a.from < b.from : a.kind < b.kind;
  });
  const auto same = [](const edge& a, const edge& b) { return a.from == b.from; };
  edges_.erase(std::unique(edges_.begin(), edges_.end(), same), edges_.end());
}

void engine::add_edge(task& before, task& t, edge_kind kind) const {
  const bool issued =
      before.state == phase::issued && (!has_to_end(before) || seeded_bug(bug::forget_views));
  t.predecessors.push_back(before.request->id);
  if (kind == edge_kind::content) {
    ++t.blockers;
    if (!issued) ++t.unissued;
  } else if (!issued) {
    ++t.order;
  } else {
    return;
  }
  before.successors.push_back({t.request->id, kind});
}

/// True if successors of the task, which was issued, have to wait until it has ended. A view hands
/// memory to the host, where no timepoint guards it; nor does one guard a body that yielded its
/// lane.
bool engine::has_to_end(const task& t) const {
  return t.request->kind != task_kind::launch || t.may_leave;
}

/// The history of a task within a nested domain.
engine_history& engine::history_within(const task& t, data_id data, data_state& all) {
  task* const around = find(t.request->within);
  if (around == nullptr) return all.history;
  const auto uses_data = [&](const task_access& a) { return a.data == data; };
  if (std::ranges::none_of(around->request->accesses, uses_data)) return all.history;
  return around->opened->histories[data];
}

void engine::consider(task& t) {
  if (t.state != phase::blocked) {
    if (t.poisoned && t.state != phase::issued) end_later(t.request->id, t.poisoned);
    return;
  }
  // A poisoned task waits like any other: its outputs are poisoned after all tasks before it have
  // taken their versions, and not earlier.
  if (t.poisoned && seeded_bug(bug::poison_out_of_order))
    return end_later(t.request->id, t.poisoned);
  if (t.order > 0 || t.unissued > 0) return;
  if (t.poisoned) return end_later(t.request->id, t.poisoned);
  if (t.blockers == 0) return start(t);
  if (const auto device = device_behind_predecessors(t)) enqueue(t, *device);
}

/// The device on which a task may be enqueued before its predecessors end; none if it has to wait.
std::optional<device_id> engine::device_behind_predecessors(task& t) const {
  if (t.request->kind != task_kind::launch || t.request->budget.valid()) return std::nullopt;
  device_id common;
  for (const task_id id : t.predecessors) {
    const task* before = find(id);
    if (before == nullptr || before->state != phase::issued) continue;
    if (before->poisoned || (common.valid() && before->device != common)) return std::nullopt;
    common = before->device;
  }
  // A device with a queue of its own orders the two itself; elsewhere the task would block a lane.
  if (!common.valid() || machine_.devices[common.value].depth == 1) return std::nullopt;
  return choose_device(t) == common ? std::optional(common) : std::nullopt;
}

void engine::start(task& t) {
  if (t.request->budget.valid()) {
    t.state = phase::budget;
    budgets_.ready(t.request->budget, t.request->id);
    fetch_early(t);
    return;
  }
  place(t);
}

}  // namespace hocket::placement
