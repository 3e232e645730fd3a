// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <functional>

#include <hocket/core/trace.hpp>

#include "placement/command_retries.hpp"
#include "placement/device_closings.hpp"
#include "placement/device_drains.hpp"
#include "placement/hang_watch.hpp"
#include "placement/idle_times.hpp"
#include "placement/kernel_preparations.hpp"
#include "placement/lent_returns.hpp"
#include "placement/log_cutter.hpp"
#include "placement/loss_handler.hpp"
#include "placement/order_check.hpp"
#include "placement/straggler_watch.hpp"
#include "placement/task_finisher.hpp"

namespace hocket::placement {

/// Decides where and when tasks with data run: a state machine without threads, clock, files or
/// driver calls. Events go in, actions come out; the same events give the same actions. It is
/// stepped by one caller at a time.
///
/// Each of its parts has one thing to decide. They work on the same tables, engine_state, and a
/// part knows those parts only that are made before it.
class engine {
 public:
  /// kept: what other processes have measured, which lives as long as the engine; null for nothing.
  engine(machine description, const trace_wishes& traces, std::unique_ptr<device_chooser> chooser,
         kept_costs* kept = nullptr, const recovery_limits& limits = {})
      : state_(std::move(description), traces, std::move(chooser), kept, limits),
        quarantine_(state_, roster_, recovery_, limits.quarantine),
        hangs_(state_, roster_, drains_, stuck_, limits.hang_timeout),
        cutter_(state_, recovery_, hold_, dropped_, limits.max_logged) {}

  /// Takes one event at a time not earlier than the one before, and appends what has to be done.
  /// The time is for the trace, and for policies that plan ahead.
  void step(time_stamp now, event&& what, action_list& out);

  /// All that the engine knows, valid until the next step.
  [[nodiscard]] const engine_state& state() const noexcept { return state_; }
  [[nodiscard]] device_statistics statistics(device_id device) const;
  /// The program whose bound is the area bound of all that was done. Solving it may take
  /// milliseconds.
  [[nodiscard]] device_prices program_of_done() const;
  /// Calls visit for each task that has not ended, in the order of their ids.
  void each_task(const std::function<void(const placed_task&)>& visit) const;

 private:
  struct dispatch;

  void add_buffer(data_added& e);
  void submit(submitted& e);
  void begin_run(submitted_run& run);
  void add_next_of_run();
  void recover();
  /// The task, which has its place in the histories, begins its way.
  void admit(placed_task& t, const failure& unwanted);
  void end_command(stream_id stream, std::uint64_t value, const command_result& how);
  void end_oldest(stream_id stream, std::uint64_t value, const command_result& how);
  void leave_stream(stream_id stream, std::uint64_t value, time_stamp when);
  void oldest_leaves(stream_id stream, std::uint64_t value, time_stamp when);
  void keep_report(stream_id stream, command_report&& report);
  void take_kept_reports(stream_id stream);
  void settle();
  /// Commits tasks of the device as long as it accepts commands.
  void pump(device_id device);
  /// The device, the copies and the memory of the task become final. It is issued if it has memory.
  void commit(placed_task& t, std::size_t lane);

  engine_state state_;
  task_issuer issuer_{state_};
  prefetcher fetches_{state_};
  host_views views_{state_, issuer_};
  kernel_preparations preparations_{state_};
  device_queues queues_{state_, issuer_, fetches_};
  ready_pool pool_{state_, queues_, preparations_};
  scheduled_tasks scheduled_{state_, queues_, pool_};
  task_placer placer_{state_, queues_, pool_, scheduled_, fetches_, views_, preparations_};
  memory_reclaimer memory_{state_, issuer_, placer_};
  order_check order_{state_};
  task_hold hold_{state_, queues_, pool_, scheduled_, memory_, placer_};
  dropped_buffers dropped_{state_, memory_};
  lent_returns returns_{state_, dropped_};
  loss_recovery recovery_{state_, memory_, hold_, dropped_};
  device_roster roster_{state_, queues_, pool_, scheduled_, memory_, placer_};
  kernel_trials trials_{state_, placer_, memory_, roster_};
  device_drains drains_{state_, roster_, memory_};
  device_closings closings_{state_, roster_};
  device_quarantine quarantine_;
  command_retries retries_{state_, recovery_, quarantine_};
  task_finisher finisher_{state_, queues_, pool_,   scheduled_, memory_,
                          views_, placer_, trials_, recovery_};
  stuck_tasks stuck_{state_, fetches_, finisher_};
  hang_watch hangs_;
  log_cutter cutter_;
  task_duplicates duplicates_{state_, memory_, retries_, finisher_};
  straggler_watch stragglers_{state_, roster_, duplicates_};
  loss_handler losses_{state_, roster_, drains_, memory_, recovery_, duplicates_, preparations_};
  idle_times idle_{state_};
  std::uint64_t steps_ = 0;
};

}  // namespace hocket::placement
