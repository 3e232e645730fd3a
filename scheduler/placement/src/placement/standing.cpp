// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <algorithm>

#include "placement/engine.hpp"

namespace hocket::placement {

engine::standing engine::standing_of(const task& t) {
  return {.what = t.request.get(),
          .is_issued = t.state == phase::issued,
          .wants_budget = t.state == phase::budget,
          .wants_memory = t.state == phase::reserving,
          .device = t.device,
          .before = {t.predecessors.data(), t.predecessors.size()},
          .submitted = t.submitted};
}

engine::standing engine::standing_of(task_id id) const {
  const task* const t = find(id);
  return t == nullptr ? standing{} : standing_of(*t);
}

void engine::each_after(task_id id, const std::function<void(const request&)>& visit) const {
  const task* const t = find(id);
  if (t == nullptr) return;
  for (const successor& next : t->successors) {
    if (const task* const after = find(next.task)) visit(*after->request);
  }
}

void engine::each_task(const std::function<void(const standing&)>& visit) const {
  std::vector<const task*> all;
  tasks_.each([&](task_id, const task& t) { all.push_back(&t); });
  std::ranges::sort(all, {}, [](const task* t) { return t->request->id; });
  for (const task* const t : all) visit(standing_of(*t));
}

}  // namespace hocket::placement
