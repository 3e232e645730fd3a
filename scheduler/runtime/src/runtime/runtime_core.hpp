// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

#include <hocket/devices/registry.hpp>
#include <hocket/execution/strand.hpp>
#include <hocket/scheduler/detail/host_context.hpp>
#include <hocket/scheduler/detail/task_memory.hpp>
#include <hocket/scheduler/runtime.hpp>

#include "placement/engine.hpp"
#include "placement/placed_runtime.hpp"
#include "placement/submission.hpp"
#include "runtime/wait_graph.hpp"
#include "runtime/watchdog.hpp"
#include "tasks/host_trace.hpp"
#include "tasks/pending_limit.hpp"
#include "tasks/task_registry.hpp"
#include "tasks/timer_queue.hpp"

namespace hocket::detail {

class in_place_runtime;
class device_set;
class view_node;

/// The implementation of a runtime: the executor, the devices, and the placement engine on its
/// strand. Events come from any thread; the thread that becomes the owner of the strand steps the
/// engine and carries out the actions, until no event is left or a worker takes over.
class runtime_core final : public placed_runtime,
                           public completion_sink,
                           public std::enable_shared_from_this<runtime_core> {
 public:
  explicit runtime_core(const runtime_options& options);
  ~runtime_core() override;

  /// Waits for everything and lets go of devices and workers. Afterwards events are ignored.
  void shut_down() noexcept;
  /// The program ends before the runtime: awaits what is under way, as long as something ends now
  /// and then, and gives up the devices whose drivers end with the program.
  void leave_drivers() noexcept;
  /// The same. In a task of the runtime, which could not wait for itself, it returns at once, and
  /// another thread does it.
  static void end(std::shared_ptr<runtime_core> core) noexcept;

  // For the front.
  void post(placement::event&& what) override;
  [[nodiscard]] task_state_ptr launch(task_description&& task) override;
  using data_runtime::launch;
  /// Of a runtime that has no memory but the host's; null for others, which have a placement
  /// engine.
  [[nodiscard]] in_place_runtime* in_place() override {
    // Pairs with the release in connect().
    if (!is_connected_.load(std::memory_order_acquire)) connect();
    return in_place_.get();
  }
  /// Where launches go: the in-place path, or to the placement engine.
  [[nodiscard]] launch_lane& lane();
  void wait_all();
  void stop();
  [[nodiscard]] const std::vector<device_info>& devices();
  [[nodiscard]] device_handle device(std::string_view name);
  /// Calls look between two events and waits until it was called.
  void inspect(const std::function<void(const placement::engine&)>& look);
  [[nodiscard]] const host_trace& host_tasks() const noexcept { return host_trace_; }
  [[nodiscard]] const device_set& machine() {
    // Pairs with the release in connect().
    if (!is_connected_.load(std::memory_order_acquire)) connect();
    return *machine_;
  }

  [[nodiscard]] const placement::machine& description() override;

  void use_begins() noexcept override { uses_.fetch_add(1); }
  void use_ends() noexcept override { one_less(uses_); }

  bool poll(const task_state& task, stream_id on) noexcept override;

  /// A failure that no thread may have looked at: told by wait_all, or at the end.
  void keep(task_state& failed) noexcept;
  void one_ended(const task_state& task) noexcept {
    if (limit_) limit_->give_back(task.held_bytes());
    if (registry_) registry_->remove(task);
    if (watchdog_) watchdog_->count_end();
    one_less(unfinished_);
  }

  // Views that stacks hold.
  void view_opened(task_id id, const std::string& label) override;
  void view_closed(task_id id) override;
  void view_opened(const boost::intrusive_ptr<view_node>& node, const std::string& label) override;
  void view_closed(const boost::intrusive_ptr<view_node>& node) override;
  [[nodiscard]] std::vector<placement::device_statistics> statistics();
  /// What has not ended, and what it waits for. Any thread.
  [[nodiscard]] pending_report pending();
  void add_budget(budget_id budget, std::uint64_t bytes);

  // host_context
  [[nodiscard]] std::size_t arena_of(const device_handle& device, const std::string& name) override;
  [[nodiscard]] std::uint32_t arena_of(stream_id stream) const noexcept override;
  void ended(task_state& task) noexcept override;
  void check_wait(task_state& task, parked_wait& by) override;
  void check_wait_again(parked_wait& by) override;
  void let_readers_leave() noexcept override { waits_->let_readers_leave(); }
  [[nodiscard]] std::string title() const override { return "all tasks of the runtime"; }
  void ran(const task_label& task, std::int64_t begin) noexcept override {
    host_trace_.push(task, begin);
  }
  void take_place() override;
  void give_place_back() noexcept override { limit_->give_back(0); }
  [[nodiscard]] timer_queue* timers() noexcept override { return &timers_; }

  // completion_sink
  void completed(stream_id stream, std::uint64_t value, const command_result& how) override;
  void completed_in_a_row(stream_id stream, std::uint64_t first,
                          std::span<const command_result> how) override;
  void left(stream_id stream, std::uint64_t value, time_stamp when) override;
  void ended_apart(stream_id stream, std::uint64_t value, const command_result& how) override;
  void device_lost(device_id device, const failure& why) override;

 private:
  using event_strand = strand<placement::event, runtime_core, real_atomics, task_memory>;

  [[nodiscard]] std::size_t next_arena() noexcept override;
  // For the placement engine to decide.
  [[nodiscard]] task_state* submit(const borrowed_launch& what) override;
  [[nodiscard]] task_state* submit(const kernel_ref& kernel,
                                   make_device_state make_state) override {
    return submit(without_arguments(kernel, make_state));
  }
  void note_start(const task_state& task) noexcept override {
    if (limit_) limit_->take(task.held_bytes());
    if (registry_) registry_->add(task, executor_->now());
    unfinished_.fetch_add(1);
  }
  void connect();
  [[nodiscard]] bool runs_in_place() const;
  void closed(const held_view& view);
  [[nodiscard]] bool is_plain(const borrowed_launch& what, std::uint64_t& bytes);
  [[nodiscard]] task_state_ptr send(boost::intrusive_ptr<launch_submission> s,
                                    make_device_state make_state, host_context& owner,
                                    const std::stop_token& stop, std::uint32_t function_bytes);
  [[nodiscard]] placement::task_ref fetch_of(const launch_submission& launch,
                                             const buffer_ref& value);
  // The handler of the strand of events.
  friend event_strand;
  void begin_run() {
    // To read the clock takes longer than many a step.
    time_of_run_ = traces() ? executor_->now() : time_stamp{};
  }
  void step(placement::event&& what) { engine_->step(time_of_run_, std::move(what), actions_); }
  void end_run();
  void resume_later();
  void wait_for_all();
  /// check, if there is one, is called now and again while it is waited.
  void wait_until(const std::function<bool()>& reached,
                  const std::function<void()>& check = nullptr);
  [[nodiscard]] bool quiet();
  void report_unseen() noexcept;
  [[nodiscard]] bool is_let_through();
  void release_forgotten_views() noexcept;
  void leave_behind() noexcept;

  runtime_options options_;
  std::string_view devices_from_ = "runtime_options::devices";
  std::unique_ptr<executor> executor_;
  timer_queue timers_;
  std::unique_ptr<pending_limit> limit_;     ///< null: none
  std::unique_ptr<task_registry> registry_;  ///< null: none
  std::unique_ptr<watchdog> watchdog_;       ///< null: none
  std::mutex connecting_;
  std::unique_ptr<device_set> machine_;
  std::unique_ptr<placement::engine> engine_;
  std::unique_ptr<in_place_runtime> in_place_;  ///< instead
  /// Events that one call of a program's own thread steps at most, before a worker takes over.
  static constexpr std::size_t events_of_caller = 64;
  event_strand events_{*this, events_of_caller};
  time_stamp time_of_run_{};        ///< by the owner of the strand
  placement::action_list actions_;  ///< by the owner of the strand
  host_trace host_trace_;

  std::atomic<std::uint64_t> arenas_used_{0};
  std::atomic<std::int64_t> uses_{0};  ///< see use_begins()
  std::atomic<bool> has_engine_{false};
  std::atomic<bool> is_connected_{false};
  const std::shared_ptr<wait_graph> waits_ = std::make_shared<wait_graph>(*this);

  std::mutex guard_;                    // for what follows
  std::vector<task_state_ptr> failed_;  ///< whose failure no thread may have looked at
  std::size_t max_failed_ = 64;         ///< beyond that, seen ones are dropped
};

}  // namespace hocket::detail
