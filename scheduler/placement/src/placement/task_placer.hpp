// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include "placement/device_queues.hpp"
#include "placement/event.hpp"
#include "placement/host_views.hpp"
#include "placement/kernel_preparations.hpp"
#include "placement/ready_pool.hpp"
#include "placement/scheduled_tasks.hpp"

namespace hocket::placement {

/// When a task may start, as those before it are issued and end, and on which device.
class task_placer {
 public:
  task_placer(engine_state& state, device_queues& queues, ready_pool& pool,
              scheduled_tasks& scheduled, prefetcher& fetches, host_views& views,
              kernel_preparations& preparations)
      : s_(state),
        queues_(queues),
        pool_(pool),
        scheduled_(scheduled),
        fetches_(fetches),
        views_(views),
        preparations_(preparations) {}

  /// Something that was in the way of the task may be gone: it starts, ends, or waits on.
  void consider(placed_task& t);
  /// Nothing is in the way of the task any more: it is queued at a device, or opened.
  void place(placed_task& t);
  /// A future that the task waits for has ended.
  void future_ended(external_ended& e);
  /// The task was issued: some of those behind it need not wait for its end.
  void pass_followers(placed_task& t);
  /// The task has ended. was_passed: tasks behind it did not have to wait for that once it was
  /// issued.
  void release_followers(placed_task& t, bool was_passed, const failure& why);

 private:
  static void note_end_before(placed_task& next, const placed_task& ended);
  void leave_lost_device(placed_task& t) const;
  [[nodiscard]] std::optional<device_id> stand_in_for(placed_task& t) const;
  [[nodiscard]] std::optional<device_id> probed_device(const placed_task& t) const;
  [[nodiscard]] const scheduled_task* kept_place(placed_task& t) const;
  void enqueue(placed_task& t, device_id device, const scheduled_task* kept);
  [[nodiscard]] std::optional<device_id> choose_device(placed_task& t) const;
  [[nodiscard]] std::optional<device_id> device_behind_predecessors(placed_task& t) const;

  engine_state& s_;
  device_queues& queues_;
  ready_pool& pool_;
  scheduled_tasks& scheduled_;
  prefetcher& fetches_;
  host_views& views_;
  kernel_preparations& preparations_;
};

}  // namespace hocket::placement
