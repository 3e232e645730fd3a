// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "data/in_place_starter.hpp"

#include <utility>
#include <vector>

#include "data/in_place_runtime.hpp"
#include "data/in_place_task.hpp"
#include "tasks/deadline.hpp"
#include "tasks/task_timer.hpp"
#include "tasks/timer_queue.hpp"

namespace hocket::detail {

task_state* in_place_starter::start_new(in_place_runtime& home, const borrowed_launch& what) {
  return make_and_start(tail_layout(what), home, what, in_runtime(), home.context(), true, false);
}

task_state* in_place_starter::start_with_more(in_place_runtime& home, const borrowed_launch& what) {
  const tail_layout behind(what, 0);
  host_context& context = home.context();
  if (!context.only_counts()) return make_and_start(behind, home, what, context);
  return make_and_start(behind, home, what, in_runtime(), context, true, false);
}

template <class... Node>
inline task_state* in_place_starter::make_and_start(const tail_layout& behind,
                                                    in_place_runtime& home,
                                                    const borrowed_launch& what, Node&&... node) {
  const std::uint32_t uses = behind.counts().uses;
  // Its future's reference, the machinery's, and those of the orders of its buffers.
  auto* const made = task_memory::make<in_place_task>(2 + uses, behind.bytes(), behind, home, what,
                                                      std::forward<Node>(node)...);
  if (uses > 0) {
    made->take_place_and_start(made->tail().uses(), behind.edges_in(made + 1));
  } else {
    task_starter::start_at_once(*made, *made->context());
  }
  return made;
}

task_state_ptr in_place_starter::start(in_place_runtime& home, const borrowed_launch& what,
                                       in_place_content&& from) {
  const nanoseconds timeout = from.timeout;
  const boost::intrusive_ptr<in_place_task> made = make(home, what, from);
  begin(home, *made, timeout);
  return made;
}

boost::intrusive_ptr<in_place_task> in_place_starter::make(in_place_runtime& home,
                                                           const borrowed_launch& what,
                                                           in_place_content& from) {
  const tail_layout behind(what, from.after.size());
  const bool is_controlled = in_place_control::is_needed(from);
  host_context* const context = from.scope != nullptr ? from.scope : &home.context();
  auto made = make_task<in_place_task>(behind.bytes(), behind, home, what, context,
                                       std::move(from.options));
  if (is_controlled) made->control_ = std::make_unique<in_place_control>(*made, home, from);
  take_place(*made, from, behind);
  return made;
}

void in_place_starter::take_place(in_place_task& task, const in_place_content& from,
                                  const tail_layout& behind) {
  in_place_control* const control = task.control();
  const bool is_throttled = control != nullptr && control->is_throttled();
  const auto announce = [control] { control->announce(); };
  std::vector<task_state_ptr> after(from.after.begin(), from.after.end());
  if (task.tail().has_rare()) {
    for (const awaited_number& each : task.tail().rare().all_awaited()) {
      after.push_back(each.source);
    }
  }
  // No thread can run a task that is late before it is ended.
  const std::uint32_t holds = (is_throttled ? 1U : 0U) + (control && control->is_late() ? 1U : 0U);
  in_place_task::registration with{after, holds, from.within};
  if (is_throttled) with.in_order = announce;
  const auto take = [&] { task.take_place(task.tail().uses(), behind.edges_in(&task + 1), with); };
  if (from.within == nullptr) return take();
  [&]() noexcept {  // the domain waits for the task from here on
    from.within->task_came();
    take();
  }();
}

void in_place_starter::begin(in_place_runtime& home, in_place_task& task, nanoseconds timeout) {
  in_place_control* const control = task.control();
  // It may end before its function does, which the runtime has to wait for.
  if (control != nullptr && control->has_timeout()) {
    task.outlives_its_end_ = true;
    home.keep_open();
  }
  if (control != nullptr && control->is_late()) return control->start_late();
  const time_stamp deadline = first_deadline(timeout, time_stamp::max(), home.context().where());
  const timer_ptr rings = deadline == time_stamp::max() ? nullptr : attach_timer(task);
  if (task.context()->is_scope() || task.stop().stop_possible()) {
    control->watch_and_start();
  } else {
    task_starter::start(task);
  }
  if (control != nullptr) control->registered();
  if (rings != nullptr) set_timer(task, rings, deadline);
}

}  // namespace hocket::detail
