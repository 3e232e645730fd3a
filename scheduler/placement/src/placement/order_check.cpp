// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "placement/order_check.hpp"

#include <algorithm>

#include <boost/unordered/unordered_flat_set.hpp>

#include "tasks/caught.hpp"

namespace hocket::placement {

namespace {

/// Longer ways are not looked at.
constexpr std::size_t most_tasks = 20'000;

/// True if the task ends in time whatever it waits for.
bool ends_by_itself(const placed_task& t) {
  return t.is_limited && t.limits->timeout != nanoseconds::max();
}

}  // namespace

void order_check::look() {
  if (s_.in_line == 0) return;
  for (std::size_t i = 0; i < s_.devices.size(); ++i) {
    if (s_.devices[i].in_line == 0) continue;
    placed_task* const first = s_.tasks.find(s_.throttle.first_of(device_id{i}));
    if (first == nullptr || first->poisoned || first->blockers == 0 || is_looked_at(*first)) {
      continue;
    }
    const std::vector<step> circle = circle_from(*first);
    if (circle.empty()) continue;
    s_.work.end_later(*first, failure(failure_code::task_failed, sentence(circle)));
    return;
  }
}

bool order_check::is_looked_at(const placed_task& first) {
  const bool is_same = first_ == first.id && ended_ == s_.ended && tasks_ == s_.tasks.size();
  first_ = first.id;
  ended_ = s_.ended;
  tasks_ = s_.tasks.size();
  return is_same;
}

/// The tasks from the first one to the one that waits for it; none if there is no such circle.
std::vector<order_check::step> order_check::circle_from(const placed_task& first) const {
  boost::unordered_flat_set<const placed_task*> seen{&first};
  std::vector<step> way{{&first, awaited_by(first)}};
  while (!way.empty() && seen.size() < most_tasks) {
    step& last = way.back();
    if (last.next == last.waits_for.size()) {
      way.pop_back();
      continue;
    }
    const placed_task* const next = last.waits_for[last.next++];
    if (next == &first) return way;
    if (seen.insert(next).second) way.push_back({next, awaited_by(*next)});
  }
  return {};
}

std::vector<const placed_task*> order_check::awaited_by(const placed_task& t) const {
  std::vector<const placed_task*> all;
  if (ends_by_itself(t)) return all;
  if (t.kind == task_kind::domain) {
    for (const placed_task* const each : s_.tasks.sorted()) {
      if (s_.tasks.domain_of(*each) == &t) all.push_back(each);
    }
  }
  if (t.is_issued()) return all;
  t.each_before([&](const placed_task& before) { all.push_back(&before); });
  if (const placed_task* const turn = turn_before(t)) all.push_back(turn);
  return all;
}

/// A task that is to fail ends without a turn, when those before it have.
const placed_task* order_check::turn_before(const placed_task& t) const {
  return t.poisoned || s_.throttle.has_turn(t) ? nullptr
                                               : s_.tasks.find(s_.throttle.first_of(t.on));
}

std::string order_check::sentence(const std::vector<step>& circle) const {
  std::string text = detail::task_name(circle.front().task->label_text()) + " never starts: it ";
  for (std::size_t i = 0; i < circle.size(); ++i) {
    const placed_task& of = *circle[i].task;
    const placed_task* const next = circle[i].waits_for[circle[i].next - 1];
    if (i > 0) text += ", which ";
    text += next == turn_before(of)
                ? "starts on " + s_.nodes.devices[of.on.value].name + " only after "
                : std::string("waits for ");
    text += detail::in_a_sentence(detail::task_name(next->label_text()));
  }
  return text + ". The order of tasks with in_order contradicts what they wait for.";
}

}  // namespace hocket::placement
