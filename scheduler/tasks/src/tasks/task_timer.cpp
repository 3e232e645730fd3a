// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "tasks/task_timer.hpp"

#include <hocket/scheduler/detail/host_task.hpp>

#include "tasks/timer_queue.hpp"

namespace hocket::detail {

namespace {

/// Rings for a task at its deadline, and is called off when the task ends before.
class task_timer final : public timer, public continuation {
 public:
  explicit task_timer(host_task& task) : task_(&task), board_(task.context()->timers()) {}

  void ring() noexcept override { task_->time_out(); }

  void run(task_state&, ready_list&) noexcept override {
    const timer_ptr self(this, false);
    board_->call_off(*this);
  }

 private:
  host_task_ptr task_;
  timer_queue* board_;
};

}  // namespace

boost::intrusive_ptr<timer> attach_timer(host_task& task) {
  const boost::intrusive_ptr<task_timer> made(new task_timer(task));
  // The task keeps it until it ends.
  intrusive_ptr_add_ref(made.get());
  (void)task.attach(*made);
  return made;
}

void set_timer(const host_task& task, const timer_ptr& rings, time_stamp time) {
  task.context()->timers()->set(rings, time);
}

}  // namespace hocket::detail
