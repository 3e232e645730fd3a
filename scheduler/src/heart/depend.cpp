// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <algorithm>

#include "heart/heart.hpp"
#include "heart/planted.hpp"

namespace hocket::heart {

void heart::add_edges(task& t) {
  struct edge {
    task_id from;
    edge_kind kind;
    task* before;
  };
  boost::container::small_vector<edge, 8> edges;
  const task_id id = t.request->id;
  const auto live = [&](task_id other) { return find(other) != nullptr; };
  const auto depend = [&](task_id earlier, edge_kind kind) {
    if (earlier == id) return;
    if (task* const before = find(earlier)) edges.push_back({earlier, kind, before});
  };
  for (const task_access& a : t.request->accesses) {
    data_state& d = *data_.find(a.data);
    t.data.push_back(&d);
    if (!a.region().empty()) chain_for(t, a.data, d).append(id, a, d.all, live, depend);
  }
  // Nothing within a hold is ordered with what came before it: that has to end first.
  if (t.request->kind == task_kind::hold) {
    for (edge& e : edges) e.kind = edge_kind::content;
  }
  // In the order of ids, each once, by content if by both.
  if (edges.size() > 1) {
    std::sort(edges.begin(), edges.end(), [](const edge& a, const edge& b) {
      return a.from != b.from ? a.from < b.from : a.kind < b.kind;
    });
    const auto same = [](const edge& a, const edge& b) { return a.from == b.from; };
    edges.erase(std::unique(edges.begin(), edges.end(), same), edges.end());
  }
  for (const edge& e : edges) add_edge(*e.before, t, e.kind);
}

void heart::add_edge(task& before, task& t, edge_kind kind) {
  // A view hands memory to the host, where no ticket guards it: it has to end first.
  const bool issued = before.state == phase::issued &&
                      (before.request->kind == task_kind::launch || planted(bug::forget_views));
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

data_chain& heart::chain_for(const task& t, data_id data, data_state& all) {
  task* const around = t.request->within.valid() ? find(t.request->within) : nullptr;
  if (around == nullptr) return all.chain;
  const auto held = [&](const task_access& a) { return a.data == data; };
  if (std::ranges::none_of(around->request->accesses, held)) return all.chain;
  return around->within_it->chains[data];
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
  if (t.blockers == 0) return start(t);
  if (const auto device = device_behind_predecessors(t)) enqueue(t, *device);
}

/// Where a task that waits for others may be enqueued already; nothing if it has to wait.
std::optional<device_id> heart::device_behind_predecessors(task& t) const {
  if (t.request->kind != task_kind::launch || t.request->budget.valid()) return std::nullopt;
  device_id common;
  for (const task_id id : t.predecessors) {
    const task* before = find(id);
    if (before == nullptr || before->state != phase::issued) continue;
    if (before->doomed || (common.valid() && before->device != common)) return std::nullopt;
    common = before->device;
  }
  // On a device with a queue of its own the task can follow at once; elsewhere it would block a
  // lane.
  if (!common.valid() || machine_.devices[common.value].depth == 1) return std::nullopt;
  return choose_device(t) == common ? std::optional(common) : std::nullopt;
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
