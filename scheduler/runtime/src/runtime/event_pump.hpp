// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <thread>
#include <vector>

#include <hocket/devices/device.hpp>
#include <hocket/execution/strand.hpp>
#include <hocket/scheduler/detail/task_memory.hpp>

#include "data/data_runtime.hpp"
#include "placement/engine.hpp"
#include "runtime/device_set.hpp"

namespace hocket::detail {

/// The placement engine of a runtime on its strand. Events come from any thread; the thread that
/// becomes the owner of the strand steps the engine and carries out the actions, until no event is
/// left or a worker takes over. Before open() there are no events but losses of devices, which are
/// kept until then.
class event_pump final : public completion_sink {
 public:
  explicit event_pump(data_runtime& home) noexcept : home_(home) {}
  event_pump(const event_pump&) = delete;
  event_pump& operator=(const event_pump&) = delete;
  ~event_pump() = default;

  /// Makes the engine. It decides for these devices, which live until the last event was stepped.
  /// kept: costs of other processes, which live as long; null for none.
  /// limits: see engine_state.
  void open(device_set& devices, const placement::trace_wishes& traces,
            std::unique_ptr<placement::device_chooser> chooser, placement::kept_costs* kept,
            const placement::recovery_limits& limits);
  /// Whether there is an engine. Any thread.
  [[nodiscard]] bool has_engine() const noexcept { return has_engine_; }
  [[nodiscard]] device_set& devices() const noexcept { return *devices_; }

  // An engine that has done half of a step, or has not heard of an event, cannot go on: a program
  // that runs out of memory there ends.

  /// Any thread. After the end of the runtime events are ignored.
  void post(placement::event&& what) noexcept {
    if (home_.is_open()) events_.post(std::move(what));
  }
  /// Calls look between two events and waits until it was called.
  void inspect(const std::function<void(const placement::engine&)>& look);
  /// Waits until content has come back to the memory of the program that buffers lie over. No task
  /// is pending.
  void return_content();
  /// Whether the calling thread is stepping the engine.
  [[nodiscard]] bool is_stepped_here() const noexcept {
    // Relaxed: a thread reads what it wrote itself, or what is the name of another one.
    return stepper_.load(std::memory_order_relaxed) == std::this_thread::get_id();
  }
  /// Between two events: whether no task is pending and no command has been issued that has not
  /// ended. ended: how many tasks have.
  [[nodiscard]] bool is_idle(std::uint64_t& ended);

  /// Called before a thread blocks on something else than an end on a device.
  void stop_polling() const noexcept {
    if (has_engine_) devices_->stop_polling();
  }
  /// Learns of ends on the stream in the calling thread, which waits for the task. Returns whether
  /// it has ended.
  [[nodiscard]] bool poll(const task_state& task, stream_id on) const noexcept;

  /// Makes the calling thread the owner of the strand for ever, if nothing is under way and idle()
  /// holds then: events that come later are dealt with by no thread. Else returns false.
  [[nodiscard]] bool try_end(const std::function<bool()>& idle);
  /// The engine is never destroyed: what is stuck still refers to it.
  void leave_behind() noexcept { (void)engine_.release(); }

  // completion_sink
  void completed(stream_id stream, std::uint64_t value, const command_result& how) override;
  void completed_in_a_row(stream_id stream, std::uint64_t first,
                          std::span<const command_result> how) override;
  void left(stream_id stream, std::uint64_t value, time_stamp when) override;
  void ended_apart(stream_id stream, std::uint64_t value, const command_result& how) override;
  void device_lost(device_id device, const failure& why) override;

 private:
  using event_strand = strand<placement::event, event_pump, real_atomics, task_memory>;

  // The handler of the strand of events.
  friend event_strand;
  void begin_run() {
    stepper_.store(std::this_thread::get_id(), std::memory_order_relaxed);  // is_stepped_here()
    // To read the clock takes longer than many a step.
    time_of_run_ = needs_time_ ? home_.where().now() : time_stamp{};
  }
  void step(placement::event&& what) noexcept {
    engine_->step(time_of_run_, std::move(what), actions_);
    while (engine_->state().runs.is_adding()) {
      perform_actions();
      engine_->step(time_of_run_, placement::run_continued{}, actions_);
    }
  }
  void end_run() noexcept {
    perform_actions();
    stepper_.store(std::thread::id(), std::memory_order_relaxed);  // is_stepped_here()
  }
  void perform_actions() noexcept;
  void resume_later();

  /// Events that one call of a program's own thread steps at most, before a worker takes over.
  static constexpr std::size_t events_of_caller = 64;

  data_runtime& home_;
  device_set* devices_ = nullptr;
  std::unique_ptr<placement::engine> engine_;
  std::mutex guard_;
  std::vector<placement::device_gone> lost_early_;  ///< under guard_; empty once there is an engine
  std::atomic<bool> has_engine_{false};             ///< set under guard_
  event_strand events_{*this, events_of_caller};
  bool polls_ = true;               ///< a thread that waits for a task may block on its device
  bool needs_time_ = false;         ///< for a trace, or because there is something to place
  time_stamp time_of_run_{};        ///< by the owner of the strand
  placement::action_list actions_;  ///< by the owner of the strand
  std::atomic<std::thread::id> stepper_{};  ///< the owner of the strand, while it steps
};

}  // namespace hocket::detail
