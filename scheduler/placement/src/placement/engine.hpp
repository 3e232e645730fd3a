// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include <hocket/core/id_map.hpp>
#include <hocket/core/trace.hpp>
#include <hocket/memory/coherence.hpp>

#include "data/rank.hpp"
#include "data/throttle.hpp"
#include "placement/action.hpp"
#include "placement/command_trace.hpp"
#include "placement/cost_model.hpp"
#include "placement/device_record.hpp"
#include "placement/device_view.hpp"
#include "placement/event.hpp"
#include "placement/in_flight_table.hpp"
#include "placement/lane_table.hpp"
#include "placement/machine.hpp"
#include "placement/number_set.hpp"
#include "placement/placed_task.hpp"
#include "placement/placement_policy.hpp"
#include "placement/replica_store.hpp"
#include "placement/task_queue.hpp"
#include "placement/task_table.hpp"
#include "placement/tracked_buffer.hpp"
#include "placement/transfer_planner.hpp"

namespace hocket::placement {

using detail::rank_of;
using detail::throttle;
using detail::throttle_request;

/// Decides where and when tasks with data run: a state machine without threads, clock, files or
/// driver calls. Events go in, actions come out; the same events give the same actions. It is
/// stepped by one caller at a time.
class engine {
 public:
  engine(machine description, std::size_t trace_capacity);

  /// Takes one event at a time not earlier than the one before, and appends what has to be done.
  /// The time is for the trace alone; decisions do not depend on it.
  void step(time_stamp now, event&& what, action_list& out);

  [[nodiscard]] const machine& description() const noexcept { return machine_; }
  [[nodiscard]] device_statistics statistics(device_id device) const;
  [[nodiscard]] const trace_ring& trace() const noexcept { return trace_.records(); }
  /// How many tasks have ended so far.
  [[nodiscard]] std::uint64_t ended() const noexcept { return ended_; }
  [[nodiscard]] std::size_t unfinished() const noexcept { return tasks_.size(); }
  [[nodiscard]] std::size_t commands_in_flight() const { return commands_.in_flight(); }

  /// The failure of a view or fetch for which the host has no memory.
  [[nodiscard]] static failure no_room_for(const request& r, const failure& why);

  /// The task; null if it has ended. For reports and searches, and valid until the next step.
  [[nodiscard]] const placed_task* find_task(task_id id) const { return tasks_.find(id); }
  /// Calls visit for each task that has not ended, in the order of their ids.
  void each_task(const std::function<void(const placed_task&)>& visit) const;

 private:
  struct ending {
    placed_task* task;
    failure why;
  };

  // engine.cpp: events.
  void handle(data_added& e);
  void handle(data_dropped& e);
  void handle(budget_added& e);
  void handle(submitted& e);
  void handle(external_ended& e);
  void handle(cancel_asked& e);
  void handle(stop_asked& e);
  void handle(view_released& e);
  void handle(command_ended& e);
  void handle(commands_ended& e);
  void end_command(stream_id stream, std::uint64_t value, const command_result& how);
  void handle(command_left& e);
  void handle(command_ended_apart& e);
  void handle(device_gone& e);
  void handle(memory_awaited& e);
  void handle(allocation_failed& e);
  void handle(inspected& e);
  void settle();
  void end_due();
  void poison(placed_task& t, const failure& why);
  void look_at_reservations();
  [[nodiscard]] bool lacks_memory(const placed_task* t) const;
  [[nodiscard]] std::string what_it_lacks(const placed_task& t) const;

  // depend.cpp: when a task may start.
  void leave_domain(placed_task& domain);
  void consider(placed_task& t);
  [[nodiscard]] std::optional<device_id> device_behind_predecessors(placed_task& t) const;
  void start(placed_task& t);

  // place.cpp: the choice of a device.
  void place(placed_task& t);
  [[nodiscard]] std::optional<device_id> choose_device(placed_task& t) const;
  void enqueue(placed_task& t, device_id device);
  void dequeue(placed_task& t);
  [[nodiscard]] static place_in_queue place_of(const placed_task& t) {
    return {rank_of(t.priority), t.age, const_cast<placed_task*>(&t)};
  }
  [[nodiscard]] bool data_present(const placed_task& t) const;
  /// Moves a task from the queue of a busy device to this one, if it is predicted to end earlier.
  /// Returns whether it did.
  bool steal_for(device_id thief);

  // fetch.cpp: copies ahead of a launch.
  /// Tasks of one device whose data are on their way at the same time. Two hide a copy behind a
  /// kernel; the others absorb unequal lengths.
  static constexpr std::size_t fetch_window = 4;
  void fetch_ahead(device_id device);
  void fetch_early(placed_task& t);
  [[nodiscard]] bool fetch(placed_task& t);
  void fetched(task_id id, device_id device);

  // commit.cpp: device, copies and memory become final, and the launch is issued.
  void pump(device_id device);
  [[nodiscard]] placed_task* pick(device_id device);
  [[nodiscard]] static throttle_request throttled(const placed_task& t);
  [[nodiscard]] bool has_turn(const placed_task& t) const {
    return !t.in_order || throttle_.has_turn(throttled(t));
  }
  /// The task starts, or it never will: the next one in order may have its turn.
  void leave_line(const placed_task& t);
  /// The same of a task that will not run: it wants no bytes any more.
  void leave_throttle(const placed_task& t);
  /// True if the device accepts no command before one of its commands ends.
  [[nodiscard]] bool is_full(device_id device) const;
  [[nodiscard]] std::optional<std::size_t> free_lane(const placed_task& t) const;
  [[nodiscard]] bool issue_at_once(placed_task& t);
  void commit(placed_task& t, std::size_t lane);
  [[nodiscard]] bool issue_as_it_is(placed_task& t, std::size_t lane);
  [[nodiscard]] failure unusable_input(const placed_task& t) const;
  void issue(placed_task& t);
  void open_nested(placed_task& t);
  void issue_view(placed_task& t);
  void deliver_view(task_id id);
  [[nodiscard]] timepoint_set acquire(const placed_task& t, memory_id memory);
  [[nodiscard]] bool may_leave(const placed_task& t) const;
  void plan_launch(placed_task& t, std::size_t lane, timepoint_set&& waits);
  void note_accesses(placed_task& t, memory_id memory, point number);
  void mark_issued(placed_task& t);

  // storage.cpp: blocks, reservation, eviction.
  void unpin(placed_task& t, memory_id memory);
  void grant_reservations();
  void find_memory(memory_id memory);
  void relieve(memory_id memory);
  void evict(data_id data, memory_id memory);
  void release(const released_block& freed);
  void mark_users_dirty(memory_id memory);

  // finish.cpp: ends of tasks, streams and devices.
  void end_later(placed_task& t, failure why);
  void finish(placed_task& t, const failure& why);
  void poison_outputs(const placed_task& t, const failure& why);
  void release_followers(placed_task& t, bool was_passed, const failure& why);
  void finish_launch(const command_record& record, const command_result& how);
  void finish_copy(const command_record& record, const command_result& how);
  void fail_copy(const command_record& record, const failure& why);
  void poison_readers(const command_record& record, const failure& why);
  void lose_memory(device_id device, const failure& why);
  void lose_launches(device_id device, const failure& why);
  void mark_dirty(device_id device) { dirty_.insert(device.value); }

  machine machine_;
  cost_model costs_;
  in_flight_table commands_;
  id_map<data_id, tracked_buffer> data_;
  task_table tasks_;
  coherence coherence_;
  replica_store replicas_;
  transfer_planner transfers_;
  throttle throttle_;
  command_trace trace_;
  lane_table lanes_;

  std::vector<device_record> devices_;
  device_view view_;
  std::unique_ptr<const placement_policy> policy_ = std::make_unique<earliest_end>();
  number_set dirty_;
  std::vector<ending> ending_;
  bool alone_ = false;      ///< this step is one submission and nothing else
  std::size_t issued_ = 0;  ///< tasks and views that were issued and have not ended
  /// The task that waits for memory while nothing is in flight, and how many tasks had ended then.
  task_id awaits_memory_;
  std::uint64_t ended_before_ = 0;
  std::uint64_t ended_ = 0;
  std::uint64_t steps_ = 0;
  std::uint64_t latest_issued_ = 0;
  std::uint64_t uses_ = 0;
  time_stamp now_{0};
  action_list* out_ = nullptr;  ///< of the current step
};

}  // namespace hocket::placement
