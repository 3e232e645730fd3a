// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include <boost/container/small_vector.hpp>
#include <hocket/core/id_map.hpp>
#include <hocket/core/trace.hpp>
#include <hocket/memory/coherence.hpp>
#include <hocket/memory/reservation.hpp>

#include "data/budget_queue.hpp"
#include "data/device_statistics.hpp"
#include "data/rank.hpp"
#include "placement/action.hpp"
#include "placement/cost_model.hpp"
#include "placement/engine_history.hpp"
#include "placement/event.hpp"
#include "placement/in_flight_table.hpp"
#include "placement/machine.hpp"
#include "placement/number_set.hpp"
#include "placement/task_queue.hpp"

namespace hocket::placement {

using detail::budget_queue;
using detail::device_statistics;
using detail::rank_of;

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
  [[nodiscard]] const device_statistics& statistics(device_id device) const;
  [[nodiscard]] bool alive(device_id device) const;
  [[nodiscard]] const trace_ring& trace() const noexcept { return trace_; }
  /// Bytes that the engine keeps for each task beside its request.
  [[nodiscard]] static std::size_t bytes_of_task() noexcept { return sizeof(task); }
  /// How many tasks have ended so far.
  [[nodiscard]] std::uint64_t ended() const noexcept { return ended_; }
  [[nodiscard]] std::size_t unfinished() const noexcept { return tasks_.size(); }
  [[nodiscard]] std::size_t commands_in_flight() const { return commands_.in_flight(); }

  /// The failure of a view or fetch for which the host has no memory.
  [[nodiscard]] static failure no_room_for(const request& r, const failure& why);

  /// The state of a task, for reports and searches. References are valid until the next step.
  struct standing {
    const request* what = nullptr;    ///< null: there is no such task, or it has ended
    bool is_issued = false;           ///< given to its device; of a view or nested domain: open
    bool wants_budget = false;        ///< the budget is all that it waits for
    bool wants_memory = false;        ///< likewise
    device_id device = {};            ///< preferred or committed; not valid: none yet
    std::span<const task_id> before;  ///< predecessors; some may have ended
    time_stamp submitted{};           ///< only if the runtime keeps a trace
  };
  [[nodiscard]] standing standing_of(task_id id) const;
  /// Calls visit for each task that comes after that one and waits for it.
  void each_after(task_id id, const std::function<void(const request&)>& visit) const;
  /// Calls visit for each task that has not ended, in the order of submission.
  void each_task(const std::function<void(const standing&)>& visit) const;

 private:
  enum class phase : std::uint8_t { blocked, budget, queued, reserving, issued };

  struct successor {
    task_id task;
    edge_kind kind;
  };

  /// The state of a nested domain that is open.
  struct domain_state {
    std::unordered_map<data_id, engine_history> histories;
    std::size_t tasks = 0;  ///< that have not ended
    bool released = false;
    failure why;
  };

  struct data_state {
    std::string label;
    box all;
    std::size_t element_size = 0;
    engine_history history;
    std::uint64_t last_use = 0;
    buffer_state* where = nullptr;  ///< in coherence_
  };

  /// The plain values of a task.
  struct task_facts {
    phase state = phase::blocked;
    bool notified = false;  ///< its future has failed, but the task has not ended
    bool fetching = false;
    bool wrote = false;        ///< its outputs are recorded in coherence_
    bool pinned_all = false;   ///< each access has a pin
    bool may_leave = false;    ///< its body may yield its lane, on this device
    bool warned_of = false;    ///< a warning was printed that it lacks memory
    bool suits = false;        ///< the device that it names can run it
    std::size_t blockers = 0;  ///< content edges from unfinished tasks, and unresolved futures
    std::size_t unissued = 0;  ///< blockers that were not issued
    std::size_t order = 0;     ///< order edges from tasks that were not issued
    device_id device;          ///< preferred or committed
    point number;              ///< timepoint of the launch, once issued
    time_estimate predicted;   ///< on that device
    task_id cause;
    std::uint64_t age = 0;  ///< number of tasks submitted before
    time_stamp submitted{};
  };

  struct task : task_facts {
    request_ref request;
    failure poisoned;  ///< if set, the task may run but does not commit
    /// The result of its command, if that was reported before the end of a predecessor.
    std::optional<failure> early_result;
    std::unique_ptr<domain_state> opened;  ///< of a nested domain that is open
    boost::container::small_vector<successor, 4> successors;
    boost::container::small_vector<task_id, 4> predecessors;  ///< by content
    boost::container::small_vector<data_state*, 4> data;      ///< one for each access
    boost::container::small_vector<data_id, 4> pinned;
  };

  struct device_state {
    explicit device_state(std::size_t lanes) : open(lanes) {}

    number_set open;            ///< lanes that accept one more command
    std::size_t in_flight = 0;  ///< commands, on all lanes
    nanoseconds backlog{0};     ///< their predicted time
    bool alive = true;
    std::string lost;     ///< the reason why it is not alive
    task_queue present;   ///< tasks whose data are in its memory
    task_queue absent;    ///< tasks whose data have to be copied
    task_queue in_order;  ///< unissued tasks with in_order, ready or not
    std::size_t fetching = 0;
    task_id reserving;  ///< the task that waits for memory
    point last_wide;
    nanoseconds queued{0};  ///< predicted time of the queued tasks
    device_statistics done;
  };

  struct ending {
    task_id task;
    failure why;
  };

  struct edge {
    task_id from;
    edge_kind kind;
    task* before;
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
  void poison(task& t, const failure& why);
  void look_at_reservations();
  [[nodiscard]] bool lacks_memory(task_id id) const;
  [[nodiscard]] std::string what_it_lacks(const task& t) const;
  [[nodiscard]] task* find(task_id id) const { return const_cast<task*>(tasks_.find(id)); }
  [[nodiscard]] task& add(request_ref&& made);
  void remove(task_id id);

  // standing.cpp: reports.
  [[nodiscard]] static standing standing_of(const task& t);

  // depend.cpp: edges, and when a task may start.
  void add_edges(task& t);
  void add_edge(task& before, task& t, edge_kind kind) const;
  [[nodiscard]] bool has_to_end(const task& t) const;
  void sort_edges();
  [[nodiscard]] engine_history& history_within(const task& t, data_id data, data_state& all);
  void leave_domain(const task& t);
  void consider(task& t);
  [[nodiscard]] std::optional<device_id> device_behind_predecessors(task& t) const;
  void start(task& t);

  // place.cpp: the choice of a device.
  void place(task& t);
  [[nodiscard]] bool can_run(const request& r, device_id device) const;
  [[nodiscard]] bool can_bind(const task_access& a, const machine::device_node& node) const;
  [[nodiscard]] std::optional<device_id> choose_device(task& t) const;
  /// Relative to now.
  [[nodiscard]] nanoseconds predicted_end(const task& t, device_id device) const;
  void enqueue(task& t, device_id device);
  void dequeue(task& t);
  [[nodiscard]] static place_in_queue place_of(const task& t) {
    return {rank_of(t.request->priority), t.age, t.request->id};
  }
  [[nodiscard]] bool data_present(const task& t) const;
  /// Moves a task from the queue of a busy device to this one, if it is predicted to end earlier.
  /// Returns whether it did.
  bool steal_for(device_id thief);

  // fetch.cpp: copies ahead of a launch.
  /// Tasks of one device whose data are on their way at the same time. Two hide a copy behind a
  /// kernel; the others absorb unequal lengths.
  static constexpr std::size_t fetch_window = 4;
  void fetch_ahead(device_id device);
  void fetch_early(task& t);
  [[nodiscard]] bool fetch(task& t);
  void fetched(task_id id, device_id device);

  // commit.cpp: device, copies and memory become final, and the launch is issued.
  void pump(device_id device);
  [[nodiscard]] task* pick(device_id device);
  [[nodiscard]] bool has_turn(const task& t) const;
  void give_up_turn(const task& t);
  /// Releases the turn and the budget request of a task that will not run.
  void give_up_places(const task& t);
  /// A command was planned on the stream (count 1), or has ended (-1). Decides whether the lane
  /// accepts one more.
  void note_load(const command_record& record, int count);
  /// True if the device accepts no command before one of its commands ends.
  [[nodiscard]] bool is_full(device_id device) const;
  [[nodiscard]] bool idle(device_id device) const { return devices_[device.value].in_flight == 0; }
  [[nodiscard]] std::optional<std::size_t> free_lane(const task& t) const;
  [[nodiscard]] bool issue_at_once(task& t);
  void commit(task& t, std::size_t lane);
  [[nodiscard]] bool issue_as_it_is(task& t, std::size_t lane);
  [[nodiscard]] failure unusable_input(const task& t) const;
  void issue(task& t);
  void open_domain(task& t);
  void issue_view(task& t);
  void deliver_view(task_id id);
  [[nodiscard]] timepoint_set acquire(const task& t, memory_id memory);
  [[nodiscard]] bool may_leave(const task& t) const;
  void plan_launch(task& t, std::size_t lane, timepoint_set&& waits);
  void note_accesses(task& t, memory_id memory, point number);
  void mark_issued(task& t);

  // storage.cpp: blocks, reservation, eviction.
  [[nodiscard]] std::vector<need> needs_of(const request& r, memory_id memory) const;
  void give_block(data_id data, memory_id memory);
  void pin_present(task& t, memory_id memory);
  void unpin(task& t, memory_id memory);
  void grant_reservations();
  void find_memory(memory_id memory);
  void relieve(memory_id memory);
  void evict(data_id data, memory_id memory);
  void release(const released_block& freed);
  /// Removes the pin of a replica that was dropped. Returns whether the task had one.
  static bool forget_pin(task& t, data_id data);
  /// Copies parts to the memory of the host, where no link connects their memory with the target.
  void bring_to_host(data_id data, const box& region, memory_id on_the_way_to, task_id for_task);
  void need_host_block(data_id data);
  timepoint_set bring(data_id data, const box& region, memory_id memory, task_id for_task);
  [[nodiscard]] point copy(const copy_request& wanted, task_id for_task);
  [[nodiscard]] memory_id nearest(std::span<const memory_id> holders, memory_id to,
                                  std::uint64_t bytes) const;
  void note_peak(memory_id memory);
  void mark_users_dirty(memory_id memory);

  // finish.cpp: ends of tasks, streams and devices.
  void end_later(task_id id, failure why);
  void finish(task& t, const failure& why);
  void finish_launch(const command_record& record, const command_result& how);
  void finish_copy(const command_record& record, const command_result& how);
  void fail_copy(const command_record& record, const failure& why);
  void poison_readers(const command_record& record, const failure& why);
  void lose_memory(device_id device, const failure& why);
  void lose_launches(device_id device, const failure& why);
  void record_trace(const command_record& record, const command_result& how, trace_kind kind,
                    const task* of);
  void record_wait(const trace_record& ended, time_stamp wanted);
  void mark_dirty(device_id device) { dirty_.insert(device.value); }

  machine machine_;
  cost_model costs_;
  in_flight_table commands_;
  coherence coherence_;
  reservation_ledger ledger_;
  budget_queue budgets_;
  trace_ring trace_;
  std::vector<time_stamp> last_end_;  ///< for each stream, the last end that was reported
  /// How full the lane behind a stream is.
  struct lane_state {
    device_id device;  ///< not valid: the stream is not a lane
    std::size_t at = 0;
    std::size_t depth = 1;       ///< as of the device
    nanoseconds ahead{0};        ///< as of the device
    std::size_t unmeasured = 0;  ///< number of its commands in flight that were not measured
    std::size_t alone = 0;       ///< likewise
    bool filling = true;
  };
  std::vector<lane_state> lanes_;  ///< for each stream

  id_map<task_id, task> tasks_;
  std::vector<std::unique_ptr<task>> spare_;  ///< records of ended tasks, for new ones
  id_map<data_id, data_state> data_;
  std::vector<device_state> devices_;
  number_set dirty_;
  std::vector<ending> ending_;
  std::vector<edge> edges_;            ///< of the task that is being submitted
  bool alone_ = false;                 ///< this step is one submission and nothing else
  std::vector<std::uint64_t> coming_;  ///< for each memory, bytes that are about to be freed
  std::vector<std::uint64_t> peaks_;
  std::size_t issued_ = 0;  ///< tasks and views that were issued and have not ended
  /// The task that waits for memory while nothing is in flight, and how many tasks had ended then.
  task_id awaits_memory_;
  std::uint64_t ended_before_ = 0;
  std::uint64_t ended_ = 0;
  std::uint64_t steps_ = 0;
  std::uint64_t submitted_ = 0;  ///< tasks
  std::uint64_t latest_issued_ = 0;
  std::uint64_t blocks_ = 0;
  std::uint64_t uses_ = 0;
  time_stamp now_{0};
  action_list* out_ = nullptr;  ///< of the current step
};

}  // namespace hocket::placement
