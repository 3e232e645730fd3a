// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include "data/throttle.hpp"
#include "placement/worklist.hpp"

namespace hocket::placement {

/// The throttle of the tasks that are placed: one line for each device, and the budgets.
class task_throttle : private detail::throttle {
 public:
  task_throttle(const machine& machine, worklist& work)
      : throttle(machine.devices.size()), work_(work) {}

  using throttle::changed, throttle::grant;
  /// The task was submitted.
  void announce(const placed_task& t) {
    if (t.in_order || t.takes_bytes()) throttle::announce(request_of(t));
  }
  /// The task, which takes from a budget, could start now but for its bytes.
  void want_bytes(const placed_task& t) { throttle::want_bytes(request_of(t)); }

  /// False if another task of the same device has to start first.
  [[nodiscard]] bool has_turn(const placed_task& t) const {
    return !t.in_order || throttle::has_turn(request_of(t));
  }
  /// The task of the device whose turn it is; not valid if none is in order.
  [[nodiscard]] task_id first_of(device_id device) const {
    return throttle::first_of(device.value);
  }
  /// The task starts, or it never will: the next one in order may have its turn.
  void leave_line(const placed_task& t) {
    if (!t.in_order || !throttle::leave_line(request_of(t))) return;
    lines_are_apart_ ? work_.mark_dirty(t.on) : work_.mark_all_dirty();
  }
  /// The task has not started after all, and keeps its bytes.
  void stand_in_line_again(const placed_task& t) {
    if (!t.in_order) return;
    detail::throttle_request made = request_of(t);
    made.budget = {};
    throttle::announce(made);
  }
  /// The device is lost, and tasks of its line may run on any.
  void line_may_run_anywhere() noexcept { lines_are_apart_ = false; }
  /// The task will not run, or it has ended: it wants no turn and no bytes.
  void withdraw(const placed_task& t) {
    leave_line(t);
    if (t.takes_bytes()) throttle::withdraw(request_of(t));
  }
  /// The bytes that come back when the task ends.
  void give_back_with(const placed_task& t) {
    if (!t.is_limited) return;
    for (const task_id taker : t.limits->returns) throttle::give_back(taker);
  }

 private:
  [[nodiscard]] static detail::throttle_request request_of(const placed_task& t) {
    detail::throttle_request made;
    made.id = t.id;
    made.age = t.age;
    made.priority = t.priority;
    made.in_order = t.in_order;
    if (t.in_order) made.line = t.on.value;
    if (t.takes_bytes()) {
      made.budget = t.limits->budget;
      made.bytes = t.limits->bytes;
      made.capacity = t.limits->capacity;
    }
    return made;
  }

  worklist& work_;
  bool lines_are_apart_ = true;  ///< the tasks of each line run on the device of that line
};

}  // namespace hocket::placement
