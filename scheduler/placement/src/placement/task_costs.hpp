// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <hocket/memory/coherence.hpp>

#include "placement/cost_model.hpp"
#include "placement/device_record.hpp"
#include "placement/in_flight_table.hpp"
#include "placement/replica_store.hpp"
#include "placement/tracked_buffer.hpp"

namespace hocket::placement {

/// What it takes to bring the data of a task to one device, but for what is in flight.
struct data_cost {
  nanoseconds over_last{0};   ///< copies over the last link on the way to the device
  nanoseconds over_first{0};  ///< copies that have to come to the host before that
  stream_id last, first;      ///< of these links; not valid where nothing is copied
  point awaited;              ///< something that is copied there already; not valid: nothing

  /// How long links are busy for the task.
  [[nodiscard]] nanoseconds moving() const noexcept { return over_last + over_first; }
};

/// What a task costs on one device, but for what is queued and in flight.
struct device_cost : data_cost {
  bool can_run = false;  ///< see task_cost_table::can_run; else nothing more is said
  nanoseconds time{0};   ///< that it runs
  nanoseconds move{0};   ///< from there to the fastest device, of what the task updates
};

struct task_costs {
  std::vector<device_cost> on;  ///< each device
  device_id fastest;            ///< the first of equals; not valid if no device can run it

  std::uint64_t estimates = 0;  ///< that the times rest on
  std::uint64_t changes = 0;    ///< of buffers, that the rest rests on
};

/// The costs of tasks on all devices, which are worked out once for tasks that are asked for again
/// and again.
class task_cost_table {
 public:
  using buffer_table = id_map<data_id, tracked_buffer>;

  task_cost_table(const machine& machine, const cost_model& model, const coherence& content,
                  const in_flight_table& commands, const replica_store& replicas,
                  const std::vector<device_record>& devices)
      : machine_(machine),
        model_(model),
        content_(content),
        commands_(commands),
        replicas_(replicas),
        devices_(devices) {}

  /// True if the device is there and has a body for the task, and the buffers of the task fit into
  /// its memory.
  [[nodiscard]] bool can_run(const request& r, device_id device) const;

  /// The costs of the task will be asked for again, until forget().
  void keep(placed_task& t);
  void forget(placed_task& t);

  /// Valid until the next call.
  [[nodiscard]] const task_costs& of(const placed_task& t) const;

  /// See device_view::arrival.
  [[nodiscard]] nanoseconds arrival(const data_cost& cost, device_id device) const;

 private:
  void work_out_times(const placed_task& t, task_costs& to) const;
  void work_out_data(const placed_task& t, task_costs& to) const;
  void add_data(const placed_task& t, memory_id memory, data_cost& to) const;
  void add_copies(const task_access& a, memory_id to, data_cost& sum) const;
  [[nodiscard]] nanoseconds time_to_move(const placed_task& t, memory_id from, memory_id to) const;

  const machine& machine_;
  const cost_model& model_;
  const coherence& content_;
  const in_flight_table& commands_;
  const replica_store& replicas_;
  const std::vector<device_record>& devices_;
  mutable std::vector<task_costs> kept_{1};  ///< the first is for tasks that are not kept
  std::vector<std::uint32_t> unused_;        ///< numbers of others
};

}  // namespace hocket::placement
