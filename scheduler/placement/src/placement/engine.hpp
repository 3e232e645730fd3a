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
  /// The time is for the trace: nothing depends on it, and without a trace nobody asks.
  void step(time_stamp now, event&& what, action_list& out);

  [[nodiscard]] const machine& description() const noexcept { return machine_; }
  [[nodiscard]] const device_statistics& statistics(device_id device) const;
  [[nodiscard]] bool alive(device_id device) const;
  [[nodiscard]] const trace_ring& trace() const noexcept { return trace_; }
  /// What is kept for each task beside its request.
  [[nodiscard]] static std::size_t bytes_of_task() noexcept { return sizeof(task); }
  /// How many tasks have ended so far.
  [[nodiscard]] std::uint64_t ended() const noexcept { return ended_; }
  [[nodiscard]] std::size_t unfinished() const noexcept { return tasks_.size(); }
  [[nodiscard]] std::size_t commands_in_flight() const { return board_.in_flight(); }

  /// How a view or fetch fails for which the host has no memory.
  [[nodiscard]] static failure no_room_for(const request& r, const failure& why);

  /// How a task stands. What it refers to lasts until the next step.
  struct standing {
    const request* what = nullptr;  ///< null: it has ended, or never was
    bool is_issued = false;         ///< it was given to its device; of a view or hold: it is given
    bool wants_budget = false;      ///< nothing else keeps it back
    bool wants_memory = false;      ///< likewise
    device_id device = {};          ///< preferred or committed; none as yet if not valid
    std::span<const task_id> before;  ///< what it comes after; some may have ended
    time_stamp submitted{};           ///< only where a trace is kept
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

  /// What happens within a hold.
  struct inside {
    std::unordered_map<data_id, engine_history> chains;
    std::size_t tasks = 0;  ///< that have not ended
    bool released = false;
    failure why;
  };

  struct data_state {
    std::string label;
    box all;
    std::size_t element_size = 0;
    engine_history chain;
    std::uint64_t last_use = 0;
    buffer_state* where = nullptr;  ///< in coherence_
  };

  /// What is said of a task in plain values.
  struct task_facts {
    phase state = phase::blocked;
    bool told = false;  ///< its future was failed before it ended
    bool fetching = false;
    bool wrote = false;        ///< coherence knows its outputs
    bool pinned_all = false;   ///< each access has a pin
    bool may_leave = false;    ///< its lane, on the device where it was enqueued
    bool warned_of = false;    ///< that it lacks memory
    bool suits = false;        ///< the device that it names can run it, as long as that lives
    std::size_t blockers = 0;  ///< content edges from unfinished tasks, and unresolved futures
    std::size_t unissued = 0;  ///< those of them that were not issued either
    std::size_t order = 0;     ///< order edges from tasks that were not issued
    device_id device;          ///< preferred or committed
    point number;              ///< of the launch, once issued
    time_estimate predicted;   ///< on that device
    task_id cause;
    std::uint64_t age = 0;  ///< how many were submitted before
    time_stamp submitted{};
  };

  struct task : task_facts {
    request_ref request;
    failure poisoned;  ///< it may run but it will not commit
    /// How its command ended, where that was heard of before the end of a predecessor.
    std::optional<failure> held;
    std::unique_ptr<inside> within_it;  ///< of a hold that was given
    boost::container::small_vector<successor, 4> successors;
    boost::container::small_vector<task_id, 4> predecessors;  ///< by content
    boost::container::small_vector<data_state*, 4> data;      ///< of each access
    boost::container::small_vector<data_id, 4> pinned;
  };

  struct device_state {
    explicit device_state(std::size_t lanes) : open(lanes) {}

    number_set open;            ///< lanes that take one more command
    std::size_t in_flight = 0;  ///< commands, on all lanes
    nanoseconds backlog{0};     ///< predicted time of these
    bool alive = true;
    std::string lost;     ///< why it is not
    task_queue present;   ///< tasks whose data are there
    task_queue absent;    ///< tasks whose data have to come
    task_queue in_order;  ///< tasks that want it and were not issued, ready or not
    std::size_t fetching = 0;
    task_id reserving;  ///< waits for memory
    point last_wide;
    nanoseconds queued{0};  ///< predicted time of what is in the queues
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

  // placement engine.cpp: events.
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

  // standing.cpp: for those who ask.
  [[nodiscard]] static standing standing_of(const task& t);

  // depend.cpp: when a task may start.
  void add_edges(task& t);
  void add_edge(task& before, task& t, edge_kind kind) const;
  [[nodiscard]] bool has_to_end(const task& t) const;
  void sort_edges();
  [[nodiscard]] engine_history& chain_within(const task& t, data_id data, data_state& all);
  void leave_domain(const task& t);
  void consider(task& t);
  [[nodiscard]] std::optional<device_id> device_behind_predecessors(task& t) const;
  void start(task& t);

  // place.cpp: where it runs.
  void place(task& t);
  [[nodiscard]] bool can_run(const request& r, device_id device) const;
  [[nodiscard]] bool can_bind(const task_access& a, const machine::device_node& node) const;
  [[nodiscard]] std::optional<device_id> choose_device(task& t) const;
  /// From now on.
  [[nodiscard]] nanoseconds predicted_end(const task& t, device_id device) const;
  void enqueue(task& t, device_id device);
  void dequeue(task& t);
  [[nodiscard]] static place_in_queue place_of(const task& t) {
    return {rank_of(t.request->priority), t.age, t.request->id};
  }
  [[nodiscard]] bool data_present(const task& t) const;
  /// Moves a task of a busy device here, if it would end earlier. Returns whether it did.
  bool steal_for(device_id thief);

  // fetch.cpp: moving data ahead of a launch.
  /// Tasks of one device whose data are on their way at the same time. Two hide a copy behind a
  /// kernel; the others absorb unequal lengths.
  static constexpr std::size_t fetch_window = 4;
  void fetch_ahead(device_id device);
  void fetch_early(task& t);
  [[nodiscard]] bool fetch(task& t);
  void fetched(task_id id, device_id device);

  // commit.cpp: the step that is final.
  void pump(device_id device);
  [[nodiscard]] task* pick(device_id device);
  [[nodiscard]] bool has_turn(const task& t) const;
  void give_up_turn(const task& t);
  /// Releases the turn and the budget request of a task that will not run.
  void give_up_places(const task& t);
  /// A command was planned on the stream (count 1), or has ended (-1). Of a lane it decides whether
  /// that takes one more.
  void note_load(const command_record& record, int count);
  /// Until a command ends nothing can be done for the device.
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
  /// The task no longer pins the replica, which is gone. Returns whether it did.
  static bool forget_pin(task& t, data_id data);
  /// Parts that no link connects with a memory get there through the host's.
  void bring_to_host(data_id data, const box& region, memory_id on_the_way_to, task_id for_task);
  void need_host_block(data_id data);
  timepoint_set bring(data_id data, const box& region, memory_id memory, task_id for_task);
  [[nodiscard]] point copy(const copy_request& wanted, task_id for_task);
  [[nodiscard]] memory_id nearest(std::span<const memory_id> holders, memory_id to,
                                  std::uint64_t bytes) const;
  void note_peak(memory_id memory);
  void mark_users_dirty(memory_id memory);

  // finish.cpp: the end of tasks, streams and devices.
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
  in_flight_table board_;
  coherence coherence_;
  reservation_ledger ledger_;
  budget_queue budgets_;
  trace_ring trace_;
  std::vector<time_stamp> last_end_;  ///< of the commands of each stream, as far as heard of
  /// What the streams of devices compute on, and whether they take commands until they have the
  /// most.
  struct lane_state {
    device_id device;  ///< none for another stream
    std::size_t at = 0;
    std::size_t depth = 1;       ///< as of the device
    nanoseconds ahead{0};        ///< as of the device
    std::size_t unmeasured = 0;  ///< so many of its commands are
    std::size_t alone = 0;       ///< likewise
    bool filling = true;
  };
  std::vector<lane_state> lanes_;  ///< of each stream

  id_map<task_id, task> tasks_;
  std::vector<std::unique_ptr<task>> spare_;  ///< tasks that are gone, for new ones
  id_map<data_id, data_state> data_;
  std::vector<device_state> devices_;
  number_set dirty_;
  std::vector<ending> ending_;
  std::vector<edge> edges_;  ///< that the task has which is being submitted
  bool alone_ = false;       ///< the task that is being submitted is all that this step is about
  std::vector<std::uint64_t> coming_;  ///< bytes of each memory that are about to be freed
  std::vector<std::uint64_t> peaks_;
  std::size_t issued_ = 0;  ///< tasks that were issued and have not ended, views too
  /// The task that lacks memory which is being waited for, and how many had ended before.
  task_id awaits_memory_;
  std::uint64_t ended_before_ = 0;
  std::uint64_t ended_ = 0;
  std::uint64_t steps_ = 0;
  std::uint64_t submitted_ = 0;  ///< tasks
  std::uint64_t latest_issued_ = 0;
  std::uint64_t blocks_ = 0;
  std::uint64_t uses_ = 0;
  time_stamp now_{0};
  action_list* out_ = nullptr;  ///< of the step that is under way
};

}  // namespace hocket::placement
