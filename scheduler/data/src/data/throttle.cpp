// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "data/throttle.hpp"

namespace hocket::detail {

void throttle::announce(const throttle_request& r) {
  if (r.in_order) lines_[r.line].insert(place_of(r));
  if (r.budget.valid()) budgets_.announce(r.budget, r.capacity, r.id, r.priority, r.bytes);
}

task_id throttle::first_of(std::size_t line) const {
  const ranked<task_id>* const first = lines_[line].first();
  return first == nullptr ? task_id{} : first->task;
}

bool throttle::leave_line(const throttle_request& r) {
  return r.in_order && lines_[r.line].erase(place_of(r));
}

void throttle::withdraw(const throttle_request& r) {
  (void)leave_line(r);
  if (r.budget.valid()) budgets_.withdraw(r.id);
}

}  // namespace hocket::detail
