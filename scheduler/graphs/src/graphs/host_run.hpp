// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <atomic>
#include <cstdint>
#include <limits>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <stop_token>

#include <hocket/scheduler/detail/host_context.hpp>
#include <hocket/scheduler/detail/host_task.hpp>
#include <hocket/scheduler/detail/task_state.hpp>

#include "graphs/host_plan.hpp"
#include "graphs/run_state.hpp"
#include "graphs/run_workers.hpp"

namespace hocket::detail {

/// One run of a plan. Threads take part in it: workers that were sent for, and threads that wait
/// for the run. Each goes from a function to one that it made ready, and keeps the others in stock,
/// where those that have none find them. More workers are sent for where there is stock.
///
/// The run ends when every function has been called or passed over; it fails as the first one, in
/// the order of the recording, that threw.
class host_run final : public task_state {
 public:
  /// Starts a run, once all of `after` have ended well. Of the options, label and priority count.
  [[nodiscard]] static task_state_ptr start(host_context& context, std::shared_ptr<host_plan> plan,
                                            host_options how = {.label = "graph"},
                                            std::span<const task_state_ptr> after = {});

  host_run(host_context& context, std::shared_ptr<host_plan> plan, host_options&& how);
  ~host_run() override;

  [[nodiscard]] task_status status() const noexcept override;
  void request_cancel() noexcept override;
  bool help(helping& by) noexcept override;
  void tell_awaited(wait_visitor& to) override;

 private:
  friend class worker_slot;
  template <bool HasChoices>
  class participant;

  /// How functions are to be run, other than just called.
  enum mode : std::uint8_t { traced = 1, cancelled = 2, troubled = 4 };

  /// What one thread has done.
  struct share {
    std::size_t functions = 0;
    bool last = false;  ///< it has told of the last function that ended
  };

  struct stop_watch {
    host_run* run;
    void operator()() const noexcept { run->request_cancel(); }
  };

  /// Begins the run when the one that it comes after has ended.
  struct edge final : continuation {
    void run(task_state& from, ready_list& next) noexcept override;
    [[nodiscard]] task_state* follower() const noexcept override { return owner; }
    host_run* owner = nullptr;
    task_state_ptr source;
  };

  void begin(std::span<const task_state_ptr> after);
  void begin_after(task_state& source) noexcept;
  void begin_now() noexcept;
  void send_for_worker() noexcept;
  void send_if_wanted() noexcept {
    if (workers_.wants_more()) send_for_worker();
  }
  [[nodiscard]] bool work() noexcept;
  [[nodiscard]] bool has_stock() const noexcept;
  [[nodiscard]] std::size_t take_part(std::size_t most, bool is_worker) noexcept;
  void call_plainly(std::uint32_t node) noexcept;
  [[nodiscard]] std::size_t choose_body(std::uint32_t node, const plan_choice& choice) noexcept;
  [[nodiscard]] std::size_t next_body(std::uint32_t node, const plan_choice& choice,
                                      std::uint64_t round) noexcept;
  void keep_result(std::uint32_t node, const plan_choice& choice) noexcept;
  [[nodiscard]] bool passes_over(std::uint32_t node) noexcept;
  template <class F>
  void run_traced(std::uint32_t node, F&& function) noexcept;
  void call_carefully(std::uint32_t node) noexcept;
  void fail(std::uint32_t node) noexcept;
  void note_failure(std::uint32_t node, failure why) noexcept;
  void poison_successors(std::uint32_t node) noexcept;
  [[nodiscard]] bool tell(worker_slot& slot) noexcept;
  void conclude() noexcept;
  void leave_alone() noexcept;

  /// Lives as long as its items; the context, only until the last function has ended.
  executor& where_;
  int priority_;
  std::shared_ptr<host_plan> plan_;
  std::unique_ptr<run_state> state_;
  run_workers<> workers_;
  std::size_t spins_;
  std::atomic<std::uint8_t> mode_{0};
  std::atomic<bool> passed_over_{false};  ///< some function, because of a request to stop
  std::atomic<std::size_t> arenas_used_{0};
  std::atomic<bool> may_begin_{false};  ///< all that it comes after has ended
  edge before_;

  std::stop_source stop_{std::nostopstate};
  std::stop_token stop_token_;
  std::optional<std::stop_callback<stop_watch>> watch_;

  std::mutex guard_;  // for what follows
  std::uint32_t first_failed_ = std::numeric_limits<std::uint32_t>::max();
  failure first_failure_;
  std::unique_ptr<std::atomic<bool>[]> poisoned_;  ///< made by the first failure
};

}  // namespace hocket::detail
