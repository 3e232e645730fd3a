// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <boost/container/flat_map.hpp>

#include "heart/heart.hpp"
#include "heart/planted.hpp"

namespace hocket::heart {

void heart::add_edges(task& t) {
  // In the order of ids; most tasks have few.
  boost::container::small_flat_map<task_id, edge_kind, 8> edges;
  const task_id id = t.request->id;
  const auto live = [&](task_id other) { return find(other) != nullptr; };
  const auto depend = [&](task_id earlier, edge_kind kind) {
    if (earlier == id || !live(earlier)) return;
    const auto [at, added] = edges.emplace(earlier, kind);
    if (!added && kind == edge_kind::content) at->second = kind;
  };
  for (const task_access& a : t.request->accesses) {
    if (!a.region.empty()) data_.at(a.data).chain.append(id, a.region, a.mode, live, depend);
  }
  for (const auto& [earlier, kind] : edges) {
    task& before = *find(earlier);
    // A view hands memory to the host, where no ticket guards it: it has to end first.
    const bool issued = before.state == phase::issued &&
                        (before.request->kind == task_kind::launch || planted(bug::forget_views));
    t.predecessors.push_back(earlier);
    if (kind == edge_kind::content) {
      ++t.blockers;
      if (!issued) ++t.unissued;
    } else if (!issued) {
      ++t.order;
    } else {
      continue;
    }
    before.successors.push_back({id, kind});
  }
}

void heart::consider(task& t) {
  if (t.state != phase::blocked) {
    if (t.doomed && t.state != phase::issued) end_later(t.request->id, t.doomed);
    return;
  }
  // A doomed task keeps its place too: its outputs are given up after all that comes before it has
  // taken its versions, and not earlier.
  if (t.doomed && planted(bug::doom_out_of_order)) return end_later(t.request->id, t.doomed);
  if (t.order > 0 || t.unissued > 0) return;
  if (t.doomed) return end_later(t.request->id, t.doomed);
  if (t.blockers == 0 || may_start_behind_predecessors(t)) start(t);
}

bool heart::may_start_behind_predecessors(const task& t) const {
  if (t.request->kind != task_kind::launch || t.request->budget.valid()) return false;
  device_id common;
  for (const task_id id : t.predecessors) {
    const task* before = find(id);
    if (before == nullptr || before->state != phase::issued) continue;
    if (before->doomed || (common.valid() && before->device != common)) return false;
    common = before->device;
  }
  // On a device with a queue of its own the task can follow at once; elsewhere it would block a
  // lane.
  return common.valid() && machine_.devices[common.value].depth > 1 &&
         choose_device(*t.request) == common;
}

void heart::start(task& t) {
  if (t.request->budget.valid()) {
    t.state = phase::budget;
    budgets_.ready(t.request->budget, t.request->id);
    fetch_early(t);
    return;
  }
  place(t);
}

}  // namespace hocket::heart
