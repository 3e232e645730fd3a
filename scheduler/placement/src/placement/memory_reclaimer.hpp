// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <string>

#include "placement/event.hpp"
#include "placement/task_placer.hpp"

namespace hocket::placement {

/// Finds memory for the tasks that wait for it: grants reservations, evicts replicas that no task
/// has pinned, and frees blocks when the commands that use them have ended.
class memory_reclaimer {
 public:
  memory_reclaimer(engine_state& state, task_issuer& issuer, task_placer& placer)
      : s_(state), issuer_(issuer), placer_(placer), reserving_(state.devices.size()) {}

  /// Pins what the task has in the memory of its device. False if that is not all it needs: then it
  /// waits for the rest, and is issued once it has that.
  [[nodiscard]] bool has_memory(placed_task& t);
  /// The task waits until it has these bytes, and is issued then.
  void reserve(placed_task& t, std::vector<need>&& needs);
  /// The task that waits for memory of the device waits no more. Returns it, or null.
  placed_task* withdraw(device_id device);
  /// Grants reservations again: the task at the front may have gone, and replicas that were in use
  /// may be free. Evicts replicas for the first that is not granted.
  void find_memory(memory_id memory);
  /// Drops the replica, which is not pinned. Content that only it has is copied to the host.
  void evict(data_id data, memory_id memory);
  /// The block is freed when the commands that use it have ended.
  void release(const released_block& freed);
  /// Removes the pins of the task.
  void unpin(placed_task& t, memory_id memory);
  /// A replica in this memory may have no pin any more: tasks that wait for that are looked at.
  void pins_dropped(memory_id memory);
  /// A memory had no room for a block. Drops the replica and returns its bytes, so that the next
  /// task that needs it reserves again. Returns whether launches that were issued will fail for it.
  bool allocation_refused(allocation_failed& e);

  /// Called when only bodies that yielded their lanes are in flight: asks for a memory_awaited
  /// event if a task waits for memory.
  void look_at_reservations();
  /// The time of an await_memory action has passed. The task fails if nothing can free memory for
  /// it; while bodies that yielded their lanes may, a warning is given once.
  void await_ended(task_id id);

  /// The failure of a view or fetch for which the host has no memory.
  [[nodiscard]] static failure no_room_for(const request& r, const failure& why) {
    return why.within("making room for \"" + std::string(r.label_text()) + "\"");
  }

 private:
  void begin_to_wait(placed_task& t);
  bool clear_the_way(placed_task& t, memory_id memory);
  void set_awaits_band(placed_task& t, bool waits);
  void retry_bands(memory_id memory);
  void grant_reservations();
  void relieve(memory_id memory);
  [[nodiscard]] bool lacks_memory(const placed_task* t) const;
  [[nodiscard]] std::string what_it_lacks(const placed_task& t) const;

  engine_state& s_;
  task_issuer& issuer_;
  task_placer& placer_;
  /// The task that waits for memory while nothing is in flight, and how many tasks had ended then.
  task_id awaits_memory_;
  std::uint64_t ended_before_ = 0;
  number_set reserving_;            ///< devices that a task waits for memory of
  std::size_t awaiting_bands_ = 0;  ///< tasks that wait until a block in their way is not in use
};

}  // namespace hocket::placement
