// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "data/rank_queue.hpp"
#include "placement/device_queues.hpp"
#include "placement/ready_pool.hpp"

namespace hocket::placement {

/// Tasks that could start, of runs that repeat a schedule. Each is queued at its device when the
/// schedule had done that, or when more were issued there than the schedule had then: if its
/// copies began earlier, they would come from elsewhere and be in the way of others. A task
/// whose turn it is does not wait where its device stands idle.
class scheduled_tasks {
 public:
  scheduled_tasks(engine_state& state, device_queues& queues, ready_pool& pool)
      : s_(state), queues_(queues), pool_(pool), held_(state.devices.size()) {}

  /// The task could start now, and its schedule has it there.
  void add(placed_task& t, const scheduled_task& place);
  /// The task ends otherwise.
  void remove(placed_task& t);
  [[nodiscard]] bool is_empty() const noexcept { return count_ == 0; }
  /// The device is lost: moves its tasks to the list.
  void evacuate(device_id device, std::vector<placed_task*>& to);
  /// Plans the tasks of runs that have fallen behind their schedule.
  void plan_late();
  /// Queues the tasks whose time has come.
  void release_due();
  /// Queues the tasks of the device that it should have. Returns whether there were some.
  bool release(device_id device);
  /// Asks for a time_passed event some time after the next task should have got its device, in case
  /// that no other comes. Precondition: some task is held.
  void await_due();
  void time_passed() noexcept { awaited_ = time_stamp::max(); }
  /// True if a run is late, or if the device of the first task stands idle, which is marked then.
  /// Precondition: some task is held.
  [[nodiscard]] bool has_more() { return s_.schedules.has_late() || wake_idle(); }

 private:
  struct turn_in_schedule {
    time_stamp due;
    std::uint32_t turn = 0;
    friend auto operator<=>(const turn_in_schedule&, const turn_in_schedule&) = default;
  };
  using held_task = detail::ranked<placed_task*, turn_in_schedule>;
  using held_queue = detail::rank_queue<placed_task*, turn_in_schedule>;

  [[nodiscard]] static held_task entry_of(placed_task& t, const scheduled_task& place);
  [[nodiscard]] bool is_idle(device_id device);
  bool wake_idle();
  [[nodiscard]] bool is_wanted(const held_task& held);
  void release(placed_task& t);

  engine_state& s_;
  device_queues& queues_;
  ready_pool& pool_;
  time_stamp awaited_ = time_stamp::max();  ///< when the next time_passed event comes
  std::size_t count_ = 0;                   ///< of the tasks that are held
  held_queue all_;
  std::vector<held_queue> held_;  ///< the same by device
};

}  // namespace hocket::placement
