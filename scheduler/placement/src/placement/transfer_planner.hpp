// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <cstdint>
#include <span>

#include <hocket/core/id_map.hpp>
#include <hocket/memory/coherence.hpp>

#include "placement/cost_model.hpp"
#include "placement/in_flight_table.hpp"
#include "placement/machine.hpp"
#include "placement/replica_store.hpp"
#include "placement/tracked_buffer.hpp"
#include "placement/version_guard.hpp"

namespace hocket::placement {

/// Plans the copies that bring the content of buffers to memories, each from the memory from which
/// it is predicted to arrive first, and by way of the host where no link is between two memories.
class transfer_planner {
 public:
  using buffer_table = id_map<data_id, tracked_buffer>;

  transfer_planner(const machine& machine, const cost_model& costs, const buffer_table& buffers,
                   coherence& content, replica_store& replicas, in_flight_table& commands,
                   version_guard& guard)
      : machine_(machine),
        costs_(costs),
        buffers_(buffers),
        content_(content),
        replicas_(replicas),
        commands_(commands),
        guard_(guard) {}

  /// The time of the current step, and where its actions go.
  void begin(time_stamp now, action_list& out) noexcept {
    now_ = now;
    out_ = &out;
  }

  /// The failure of a task that would read what no task has written, or what a failed task was to
  /// write: no copy can bring that. None for others.
  [[nodiscard]] failure unusable_input(const placed_task& t) const;
  /// Makes the region valid in memory, where the buffer has a block, and returns what a reader
  /// there has to wait for. for_task: what the copies are for, in the trace.
  timepoint_set bring(data_id data, const box& region, memory_id memory, task_id for_task);
  /// Plans a copy of bytes whose content the caller knows of: between blocks that there are, in the
  /// order that `after` and later commands need. Returns its number.
  point copy(const copy_request& wanted, task_id for_task);
  /// Makes valid in the host's memory what is valid in `from` alone.
  void write_back(data_id data, memory_id from);

 private:
  void bring_to_host(data_id data, const box& region, memory_id on_the_way_to, task_id for_task);
  [[nodiscard]] bool is_linked(data_id data, memory_id from, memory_id to) const;
  [[nodiscard]] memory_id nearest(data_id data, std::span<const memory_id> holders, memory_id to,
                                  std::uint64_t bytes) const;

  const machine& machine_;
  const cost_model& costs_;
  const buffer_table& buffers_;
  coherence& content_;
  replica_store& replicas_;
  in_flight_table& commands_;
  version_guard& guard_;
  time_stamp now_{0};
  action_list* out_ = nullptr;
};

}  // namespace hocket::placement
