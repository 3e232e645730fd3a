// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include <hocket/scheduler/runtime.hpp>

#include "placement/placed_runtime.hpp"
#include "runtime/counter_export.hpp"
#include "runtime/device_connection.hpp"
#include "runtime/event_pump.hpp"
#include "runtime/pending_tasks.hpp"
#include "runtime/placed_lane.hpp"
#include "runtime/unseen_failures.hpp"
#include "runtime/wait_checks.hpp"
#include "tasks/host_trace.hpp"
#include "tasks/timer_queue.hpp"

namespace hocket::detail {

/// The implementation of a runtime: its parts, and how it begins and ends.
class runtime_core final : public placed_runtime {
 public:
  explicit runtime_core(const runtime_options& options);
  ~runtime_core() override;

  /// Waits for everything and lets go of devices and workers. Afterwards events are ignored. In a
  /// task of the runtime, which could not wait for itself, it returns at once, and another thread
  /// does it. While views are detached it waits for the tasks alone, and the thread that ends the
  /// last of these views does the rest, or another one where that is stepping the engine.
  static void end(std::shared_ptr<runtime_core> core) noexcept;

  // For the front.
  [[nodiscard]] const runtime_options& options() const noexcept { return options_; }
  [[nodiscard]] device_connection& connection() noexcept { return connection_; }
  [[nodiscard]] event_pump& events() noexcept { return events_; }
  [[nodiscard]] const host_trace& host_tasks() const noexcept { return host_trace_; }
  /// Where launches go: to the in-place path, or to the placement engine.
  [[nodiscard]] launch_lane& lane();
  void wait_all(const std::function<void()>& look = nullptr);
  void stop();
  /// What has not ended, and what it waits for. Any thread.
  [[nodiscard]] pending_report pending();

  /// A failure that no thread may have looked at: told by wait_all, or at the end.
  void keep(task_state& failed) noexcept { unseen_.keep(failed); }
  void one_ended(const task_state& task) noexcept {
    if (!only_counts_) pending_.ended(task);
    one_task_less();
  }

  // host_context
  [[nodiscard]] std::size_t arena_of(const device_handle& device, const std::string& name) override;
  void ended(task_state& task) noexcept override;

  // data_runtime
  [[nodiscard]] task_state_ptr launch(task_description&& task) override;
  [[nodiscard]] in_place_runtime* in_place() override { return connection_.in_place(); }
  bool poll(const task_state& task, stream_id on) noexcept override {
    return events_.poll(task, on);
  }
  [[nodiscard]] view_registry& views() noexcept override { return waits_on_stacks_; }

  // placed_runtime
  void post(placement::event&& what) override { events_.post(std::move(what)); }
  [[nodiscard]] const placement::machine& description() override;

 private:
  void note_start(const task_state& task) noexcept override {
    pending_.started(task);
    own_counts_.start(current_worker(pool_));
  }
  void end_later(std::shared_ptr<data_runtime>&& self) noexcept override;
  /// Ends it in another thread, because the calling one cannot wait for its tasks.
  static void end_apart(std::shared_ptr<runtime_core> core) noexcept;
  void shut_down() noexcept;
  /// The program ends before the runtime: awaits what is under way, as long as something ends now
  /// and then, and gives up the devices whose drivers end with the program.
  void leave_drivers() noexcept;
  void leave_behind() noexcept;

  const runtime_options options_;
  std::unique_ptr<executor> executor_;
  timer_queue timer_queue_;
  host_trace host_trace_;
  event_pump events_{*this};
  device_connection connection_;
  placed_lane placed_lane_{*this, events_};
  wait_checks waits_on_stacks_{*this, events_};
  unseen_failures unseen_;
  pending_tasks pending_;
  std::unique_ptr<counter_export> export_;  ///< null: none
};

}  // namespace hocket::detail
