// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include <boost/container/flat_set.hpp>

#include "placement/command_trace.hpp"
#include "placement/cost_model.hpp"
#include "placement/decision_log.hpp"
#include "placement/device_chooser.hpp"
#include "placement/device_prices.hpp"
#include "placement/device_record.hpp"
#include "placement/device_view.hpp"
#include "placement/duplicate_table.hpp"
#include "placement/lane_table.hpp"
#include "placement/loss_table.hpp"
#include "placement/replica_store.hpp"
#include "placement/retry_table.hpp"
#include "placement/run_table.hpp"
#include "placement/run_times.hpp"
#include "placement/schedule_keeper.hpp"
#include "placement/task_table.hpp"
#include "placement/task_throttle.hpp"
#include "placement/transfer_planner.hpp"
#include "placement/version_guard.hpp"
#include "placement/worklist.hpp"

namespace hocket::placement {

/// The records that are to be made of a run.
struct trace_wishes {
  std::size_t spans = 0;      ///< that the trace keeps
  std::size_t decisions = 0;  ///< tasks whose placement is kept
  bool notes = false;         ///< of each task, for a summary
};

/// How losses and failures of devices are survived.
struct recovery_limits {
  std::size_t max_logged = 0;    ///< about so many tasks are run again at most; 0: none is
  std::size_t max_attempts = 1;  ///< a task is run so often at most
  nanoseconds hang_timeout{0};   ///< a device is lost if a command takes so much too long; 0: never
  nanoseconds quarantine{0};     ///< a failing device is probed after that; 0: it is lost at once
  double speculation = 0;        ///< see duplicate_table
};

/// The tables that the parts of the engine share. Each table keeps its own order; none calls the
/// parts.
struct engine_state {
  engine_state(machine described, const trace_wishes& traces,
               std::unique_ptr<device_chooser> chosen, kept_costs* kept = nullptr,
               const recovery_limits& limits = {})
      : nodes(std::move(described)),
        costs(nodes, kept),
        commands(nodes),
        log(limits.max_logged > 0),
        trace(nodes, traces.spans),
        decisions(traces.decisions),
        chooser(std::move(chosen)),
        takes_notes(traces.notes || traces.spans > 0 || traces.decisions > 0),
        retries(limits.max_attempts, nodes.streams.size()),
        duplicates(limits.speculation) {}
  engine_state(const engine_state&) = delete;
  engine_state& operator=(const engine_state&) = delete;

  const machine nodes;  ///< the memories, devices and streams that there are
  cost_model costs;
  in_flight_table commands;
  id_map<data_id, tracked_buffer> buffers;
  task_table tasks{buffers};
  coherence content{nodes.memories.size()};
  lineage log;
  version_guard guard{log, content};
  eviction_table evictions{nodes.memories.size(), buffers, tasks, content};
  replica_store replicas{nodes, content, evictions};
  transfer_planner transfers{nodes, costs, buffers, content, replicas, commands, guard};
  command_trace trace;
  decision_log decisions;
  lane_table lanes{nodes};
  std::vector<device_record> devices{nodes.devices.size()};
  task_cost_table task_times{nodes, costs, content, commands, replicas, devices};
  device_prices prices{nodes};
  device_view view{nodes, costs, task_times, commands, lanes, prices, devices};
  std::unique_ptr<device_chooser> chooser;
  const bool takes_notes;  ///< of each task, for a trace or a summary
  run_times times;
  worklist work{nodes};
  task_throttle throttle{nodes, work};
  run_table runs{work};
  schedule_keeper schedules{nodes};
  loss_table losses;
  retry_table retries;
  duplicate_table duplicates;
  std::vector<task_id> awaited_views;  ///< that were issued, and wait for their content

  std::size_t issued = 0;           ///< tasks and views that were issued and have not ended
  std::size_t open_domains = 0;     ///< of those: nested domains
  std::size_t in_line = 0;          ///< tasks in order that are queued at devices
  std::uint64_t latest_issued = 0;  ///< the largest age among those that were issued
  std::uint64_t ended = 0;          ///< tasks that have ended
  std::size_t lost = 0;             ///< devices that were lost
  std::size_t changes = 0;          ///< how often a device was lost, or taken in or out of use
  std::size_t quarantined = 0;      ///< devices that are
  boost::container::flat_set<task_id> waiting;  ///< tasks that no device takes now
  time_stamp now{0};                            ///< of the current step
  bool is_alone = false;   ///< the task that was submitted last is considered now
  bool is_ending = false;  ///< no drained device comes back into use

  /// True if there is something to plan. With one device there is not.
  [[nodiscard]] bool plans_ahead() const noexcept {
    return devices.size() > 1 && chooser->plans_ahead();
  }
  /// True if the time of each step has to be known.
  [[nodiscard]] bool needs_time() const noexcept {
    return takes_notes || plans_ahead() || duplicates.is_on();
  }
  [[nodiscard]] device_record& device_of(const placed_task& t) {
    return devices[t.run.device.value];
  }
  [[nodiscard]] const machine::device_node& node_of(const placed_task& t) const {
    return nodes.devices[t.run.device.value];
  }
  /// To be called for a task that could start, and that no device can run now. Returns whether it
  /// waits for a device that takes no task now, and could run it.
  [[nodiscard]] bool waits_for_device(placed_task& t);
  /// The task ends. If it was to probe a quarantined device, and has not shown how that fares,
  /// another one is to do so.
  void await_other_probe(const placed_task& t);
  /// The failure of a task that no device can run any more.
  [[nodiscard]] failure without_device(const placed_task& t) const;
  /// The failure of a launch of the task on its device.
  [[nodiscard]] failure failed_on_device(const placed_task& t, const failure& why) const;
  /// The task under which failures are noted: that which it runs again, if it belongs to a
  /// recovery.
  [[nodiscard]] task_id original_of(const placed_task& t) const;
};

}  // namespace hocket::placement
