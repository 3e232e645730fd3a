// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <hocket/core/short_list.hpp>

#include <hocket/memory/coherence.hpp>

#include "placement/cost_model.hpp"
#include "placement/device_record.hpp"
#include "placement/in_flight_table.hpp"
#include "placement/launch_times.hpp"
#include "placement/replica_store.hpp"
#include "placement/tracked_buffer.hpp"

namespace hocket::placement {

/// The cost of bringing the data of a task to one device, but for what is in flight.
struct data_cost {
  nanoseconds over_last{0};   ///< copies over the last link on the way to the device
  nanoseconds over_first{0};  ///< copies that have to come to the host before that
  stream_id last, first;      ///< of these links; not valid where nothing is copied
  point awaited;              ///< something that is copied there already; not valid: nothing

  /// How long links are busy for the task.
  [[nodiscard]] nanoseconds moving() const noexcept { return over_last + over_first; }
};

class task_cost_table;

/// The cost of bringing the data of a task to one device, as it was when that was worked out.
struct kept_data_cost : data_cost {
  std::uint64_t round = 0;  ///< kept_data_costs::round when it was worked out
  /// kept_data_costs::round when the device's memory had data of the task.
  std::uint64_t holds = 0;
};
/// The content of one buffer that a task reads.
struct needed_data {
  const task_access* access;
  std::uint64_t bytes;
  short_list<memory_id, 4> holders = {};
  bool is_whole = false;    ///< all of it has these holders; else one of its parts has
  bool is_on_host = false;  ///< the host is one of the holders
};
/// Such costs for all devices.
struct kept_data_costs {
  std::vector<kept_data_cost> on;  ///< each device
  std::size_t worked_out = 0;      ///< devices in this round
  std::vector<needed_data> needed;
  /// The devices that have data of the task, if they are few and nothing is in parts.
  short_list<device_id, 4> holders;
  bool has_few_holders = false;
  data_cost elsewhere;         ///< the copies to the host for devices that have no data
  bool is_in_parts = false;    ///< some of what is needed is not whole
  bool is_of_another = false;  ///< what is kept is that of another task
  std::uint64_t round = 0;     ///< counts changes of what costs rest on
  std::uint64_t estimates = 0;
  std::uint64_t changes = 0;  ///< of buffers
};

/// The costs of a task on the devices, but for what is queued and in flight. Costs on a device are
/// worked out when they are asked for.
class task_costs {
 public:
  /// The device where the task runs shortest, the first of equals; not valid if no device can run
  /// it.
  [[nodiscard]] device_id fastest() const noexcept { return fastest_; }
  /// The time that the task runs on the fastest device.
  [[nodiscard]] nanoseconds shortest() const { return time(fastest_); }
  /// See task_cost_table::can_run.
  [[nodiscard]] inline bool can_run(device_id device) const;
  /// The time that the task runs on the device, which can run it.
  [[nodiscard]] nanoseconds time(device_id device) const { return times_->on[device.value].time; }
  /// Valid until another task is asked for.
  [[nodiscard]] inline const data_cost& data(device_id device) const;
  /// True if the device's memory has content that the task reads.
  [[nodiscard]] inline bool has_data(device_id device) const;
  /// True if what it takes to bring the data has been worked out for each device.
  [[nodiscard]] bool is_known() const noexcept { return kept_->worked_out == kept_->on.size(); }
  /// The devices that have_data is true of, if there are few of them; else nothing.
  [[nodiscard]] const short_list<device_id, 4>* few_with_data() const noexcept {
    return kept_->has_few_holders ? &kept_->holders : nullptr;
  }
  /// No device that has no data of the task has all of them earlier, from now on.
  [[nodiscard]] nanoseconds earliest_elsewhere() const;
  /// The time that the regions which the task updates take from the device to the fastest one.
  [[nodiscard]] nanoseconds way_to_fastest(device_id device) const;
  /// The times of all tasks with the same kernel and work.
  [[nodiscard]] launch_times& times() const noexcept { return *times_; }

 private:
  friend task_cost_table;
  task_costs(const task_cost_table& table, const placed_task& task);

  const task_cost_table& table_;
  const placed_task& task_;
  launch_times* times_;
  kept_data_costs* kept_;
  bool runs_everywhere_;  ///< that its kernel does
  device_id fastest_;
};

/// The costs of tasks on all devices. What it takes to bring data is worked out once for tasks that
/// are asked for again and again.
class task_cost_table {
 public:
  task_cost_table(const machine& machine, const cost_model& model, const coherence& content,
                  const in_flight_table& commands, const replica_store& replicas,
                  const std::vector<device_record>& devices);

  /// True if the device takes tasks and has a body for this one, and the buffers of the task fit
  /// into its memory.
  [[nodiscard]] bool can_run(const request& r, device_id device) const;
  /// True if the device can run the task, or could if it took tasks again.
  [[nodiscard]] bool could_run(const request& r, device_id device) const;
  /// True if each device that is there and has a body for the task can run it.
  [[nodiscard]] bool runs_everywhere(const request& r) const {
    return !r.on.valid() && !r.host_only && r.bytes <= smallest_ &&
           (bind_anywhere_ || can_bind_in_place(r));
  }
  /// False if the task uses memory of the program that a kernel on the device cannot be given,
  /// because of its address.
  [[nodiscard]] bool can_bind_in_place(const request& r, device_id device) const;

  /// The costs of the task will be asked for again, until forget().
  void keep(placed_task& t);
  void forget(placed_task& t);

  /// Valid until the next call.
  [[nodiscard]] task_costs of(const placed_task& t) const { return {*this, t}; }
  [[nodiscard]] launch_times& times_of(const launch_command& task) const { return times_.of(task); }

  /// See device_view::arrival.
  [[nodiscard]] nanoseconds arrival(const data_cost& cost, device_id device) const;

 private:
  friend task_costs;
  kept_data_costs& note_changes(const placed_task& t) const;
  void note_needed(const placed_task& t, kept_data_costs& to) const;
  void work_out(kept_data_costs& of, device_id device) const;
  void add_parts(const task_access& a, memory_id memory, data_cost& to) const;
  void add_copy(std::span<const memory_id> holders, std::uint64_t bytes, memory_id to,
                data_cost& sum) const;
  void add_copy_by_host(const needed_data& what, memory_id to, data_cost& sum) const;
  bool add_copies(const task_access& a, memory_id to, data_cost& sum) const;
  [[nodiscard]] nanoseconds time_to_move(const placed_task& t, memory_id from, memory_id to) const;
  /// True if that is so on each device.
  [[nodiscard]] bool can_bind_in_place(const request& r) const;
  [[nodiscard]] bool fits_in_bands(const request& r, memory_id memory) const;
  [[nodiscard]] bool leaves_time_to_compile(const request& r, device_id device) const;

  const machine& machine_;
  const cost_model& model_;
  const coherence& content_;
  const in_flight_table& commands_;
  const replica_store& replicas_;
  const std::vector<device_record>& devices_;
  launch_time_table times_;
  std::uint64_t smallest_;                            ///< bytes that each device takes of one task
  bool bind_anywhere_;                                ///< all devices do
  bool has_peer_links_;                               ///< between memories that are not the host's
  std::vector<std::vector<device_id>> devices_with_;  ///< each memory
  mutable std::vector<kept_data_costs> kept_{1};      ///< the first is for tasks that are not kept
  std::vector<std::uint32_t> unused_;                 ///< numbers of others
};

inline bool task_costs::has_data(device_id device) const {
  return kept_->is_in_parts || kept_->on[device.value].holds == kept_->round;
}

inline bool task_costs::can_run(device_id device) const {
  return times_->on[device.value].can_run && table_.devices_[device.value].is_used() &&
         (runs_everywhere_ || table_.can_run(task_, device));
}

inline const data_cost& task_costs::data(device_id device) const {
  kept_data_cost& found = kept_->on[device.value];
  if (found.round != kept_->round) table_.work_out(*kept_, device);
  return found;
}

}  // namespace hocket::placement
