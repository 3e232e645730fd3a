// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <boost/container/flat_set.hpp>

#include "placement/memory_reclaimer.hpp"

namespace hocket::placement {

/// Keeps tasks from starting while content that was lost is made again, or the log is cut.
class task_hold {
 public:
  task_hold(engine_state& state, device_queues& queues, ready_pool& pool,
            scheduled_tasks& scheduled, memory_reclaimer& memory, task_placer& placer)
      : s_(state),
        queues_(queues),
        pool_(pool),
        scheduled_(scheduled),
        memory_(memory),
        placer_(placer) {}

  /// Tasks that have a device, and are not issued, have none any more. why: how those of a recovery
  /// end.
  void take_all(const failure& why);
  /// The task, which was issued, waits like the others.
  void take(const placed_task& t) {
    if (t.blockers == 0) held_.insert(t.id);
  }
  /// All go on.
  void release();

  /// No task starts until resume(). Not while there is a recovery.
  void pause();
  void resume();

 private:
  engine_state& s_;
  device_queues& queues_;
  ready_pool& pool_;
  scheduled_tasks& scheduled_;
  memory_reclaimer& memory_;
  task_placer& placer_;
  boost::container::flat_set<task_id> held_;  ///< tasks that waited for nothing
};

}  // namespace hocket::placement
