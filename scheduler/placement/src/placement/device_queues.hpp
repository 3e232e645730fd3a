// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include "placement/number_set.hpp"
#include "placement/prefetcher.hpp"
#include "placement/task_issuer.hpp"

namespace hocket::placement {

/// True if the body of the kernel may block on a task that is submitted later, and yields its lane
/// then. Only bodies in C++ can; kernels of devices cannot.
[[nodiscard]] bool may_leave(const kernel_definition& kernel, const machine::device_node& on);

/// The tasks that wait for each device, and which of them is next.
class device_queues {
 public:
  device_queues(engine_state& state, task_issuer& issuer, prefetcher& fetches)
      : s_(state), issuer_(issuer), fetches_(fetches), with_tasks_(state.devices.size()) {}

  /// The task will run on the device. It is queued there, or issued at once if it is the only event
  /// of this step, the device waits for nothing, and the data of the task are present.
  void enqueue(placed_task& t, device_id device);
  /// Removes the task from its queue.
  void dequeue(placed_task& t);
  /// The tasks that wait there, those whose data are there first.
  [[nodiscard]] std::vector<placed_task*> queued_at(device_id device) const;
  /// The task that is to be committed next; null if none can be.
  [[nodiscard]] placed_task* pick(device_id device);
  /// Moves a task from the queue of a busy device to this one, if the policy wants that. Returns
  /// whether it did.
  bool steal_for(device_id thief);
  /// Idle devices that have nothing queued are looked at again.
  void wake_thieves();
  /// True if the device accepts no command before one of its commands ends.
  [[nodiscard]] bool is_full(device_id device) const {
    const device_record& d = s_.devices[device.value];
    return s_.lanes.open(device).empty() && d.absent.empty() && d.reserving == nullptr;
  }

 private:
  [[nodiscard]] bool should_steal(const placed_task& t, device_id thief);
  [[nodiscard]] bool issue_at_once(placed_task& t);
  [[nodiscard]] bool is_trial(const placed_task& t) const;
  [[nodiscard]] bool data_present(const placed_task& t) const;
  [[nodiscard]] placed_task* pick_without_needs(const device_record& d, memory_id memory) const;

  engine_state& s_;
  task_issuer& issuer_;
  prefetcher& fetches_;
  number_set with_tasks_;  ///< the devices for which tasks wait
};

}  // namespace hocket::placement
