// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "runtime/wait_listing.hpp"

#include <algorithm>
#include <utility>

#include <hocket/scheduler/detail/description.hpp>

#include "data/in_place_task.hpp"
#include "tasks/caught.hpp"

namespace hocket::detail {

void wait_listing::run(std::span<const task_state* const> known) {
  for (const held_view& view : graph_.views_) add(&view);
  for (const auto& [stack, wait] : graph_.stacks_) {
    add(wait);
    for (task_state* task : tasks_of(*wait)) add(task);
  }
  for (const task_state* task : known) add(const_cast<task_state*>(task));
  if (placement_ != nullptr) {
    placement_->each_task([this](const placement::placed_task& t) { add(t.id); });
  }
  // The list of what stands behind a view is safe to read only while its holder waits.
  for (const held_view& view : graph_.views_) {
    if (view.node == nullptr || !graph_.stacks_.contains(view.holder)) continue;
    view.node->each_follower([this](task_state& follower) { add(&follower); });
  }
  roots_are_known();
  for (current_ = 0; current_ < nodes_.size(); ++current_) expand(thing(nodes_[current_].what));
  next_.resize(nodes_.size());
  for (const auto& [from, to] : edges_) next_[from].push_back(to);
}

const task_state* wait_listing::task_of(std::size_t at) const {
  const thing& what = nodes_[at].what;
  if (const auto* task = std::get_if<task_state*>(&what)) return *task;
  const auto* id = std::get_if<task_id>(&what);
  if (id == nullptr) return nullptr;
  const placement::placed_task* const found = placement_->state().tasks.find(*id);
  return found == nullptr ? nullptr : found->stands_for();
}

/// A placed task is listed as the placement engine knows it, and a choice as the task that it is.
bool wait_listing::is_listed(std::size_t at) const {
  const thing& what = nodes_[at].what;
  if (const auto* task = std::get_if<task_state*>(&what)) {
    return !(*task)->done() && dynamic_cast<const device_task*>(*task) == nullptr;
  }
  if (const auto* id = std::get_if<task_id>(&what)) {
    const placement::placed_task* const found = placement_->state().tasks.find(*id);
    if (found == nullptr) return false;
    const bool is_open_view = found->kind == placement::task_kind::view && found->is_issued();
    return !is_open_view && found->kind != placement::task_kind::domain &&
           found->kind != placement::task_kind::fetch;
  }
  return std::holds_alternative<const held_view*>(what);
}

bool wait_listing::is_same(std::size_t a, std::size_t b) const {
  const task_state* const task = task_of(a);
  return task != nullptr && task == task_of(b);
}

void wait_listing::add_waits(std::size_t of, std::size_t at, std::vector<std::size_t>& seen,
                             std::vector<std::string>& names) const {
  for (const std::size_t each : next_[at]) {
    if (std::ranges::find(seen, each) != seen.end()) continue;
    seen.push_back(each);
    const thing& what = nodes_[each].what;
    if (std::holds_alternative<const parked_wait*>(what) || is_same(of, each)) {
      add_waits(of, each, seen, names);
      continue;
    }
    const auto* const task = std::get_if<task_state*>(&what);
    const bool is_view = task != nullptr && (*task)->done();
    if (is_view && next_[each].empty()) continue;  // it has ended
    std::string name = in_a_sentence(name_of(what));
    if (std::ranges::find(names, name) == names.end()) names.push_back(std::move(name));
  }
}

std::vector<std::string> wait_listing::waits_of(std::size_t at) const {
  std::vector<std::string> names;
  std::vector<std::size_t> seen{at};
  add_waits(at, at, seen, names);
  return names;
}

pending_task wait_listing::described(std::size_t at) const {
  pending_task made;
  made.waits_for = waits_of(at);
  const thing& what = nodes_[at].what;
  if (const auto* view = std::get_if<const held_view*>(&what)) {
    made.label = "view of " + (*view)->label;
    made.state = pending_state::running;
  } else if (const auto* task = std::get_if<task_state*>(&what)) {
    made.label = std::string((*task)->label_text());
    const task_status status = (*task)->status();
    made.state = status == task_status::pending ? pending_state::waiting
                 : status == task_status::ready ? pending_state::ready
                                                : pending_state::running;
    const auto* const in_place = dynamic_cast<const in_place_task*>(*task);
    const in_place_control* const control = in_place == nullptr ? nullptr : in_place->control();
    if (control != nullptr && control->has_request() && made.state == pending_state::waiting &&
        made.waits_for.empty()) {
      made.waits_for.emplace_back(control->request().budget.valid() ? "bytes of its budget"
                                                                    : "its turn");
    }
  } else if (const auto* id = std::get_if<task_id>(&what)) {
    const placement::placed_task& found = *placement_->state().tasks.find(*id);
    const bool wants_budget = found.phase == placement::task_phase::budget;
    const bool wants_memory = found.phase == placement::task_phase::reserving;
    made.label = std::string(found.label_text());
    if (found.run.device.valid()) made.device = name_of_device_(found.run.device);
    const bool wants_device = placement_->state().waiting.contains(*id);
    const bool is_ready = made.waits_for.empty() && !wants_budget && !wants_memory && !wants_device;
    made.state = found.is_issued() ? pending_state::running
                 : is_ready        ? pending_state::ready
                                   : pending_state::waiting;
    if (wants_budget) made.waits_for.emplace_back("bytes of its budget");
    if (wants_memory) made.waits_for.push_back("memory of " + made.device);
    if (wants_device) made.waits_for.emplace_back("a device that is out of use");
  }
  return made;
}

void wait_listing::write_to(
    pending_report& report,
    const std::function<std::optional<time_stamp>(const task_state&)>& since) const {
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    const auto* const wait = std::get_if<const parked_wait*>(&nodes_[i].what);
    if (wait != nullptr && tasks_of(**wait).empty()) {
      for (std::string& name : waits_of(i)) report.awaited_outside.push_back(std::move(name));
    }
    if (!is_listed(i)) continue;
    report.tasks.push_back(described(i));
    if (const task_state* task = task_of(i)) report.tasks.back().since = since(*task);
  }
}

}  // namespace hocket::detail
