// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>

#include <hocket/scheduler/detail/body_task.hpp>
#include <hocket/scheduler/detail/host_context.hpp>
#include <hocket/scheduler/detail/task_state.hpp>

#include "graphs/function_caller.hpp"
#include "graphs/host_plan.hpp"
#include "graphs/run_outcome.hpp"
#include "graphs/run_state.hpp"
#include "graphs/worker_supply.hpp"

namespace hocket::detail {

/// One run of a plan. Threads take part in it: workers that were sent for, and threads that wait
/// for the run. Each goes from a function to one that it made ready, and keeps the others in stock,
/// where those that have none find them (run_functions). More workers are sent for where there is
/// stock (worker_supply).
///
/// The run ends when every function has been called or passed over; it fails as the first one, in
/// the order of the recording, that threw.
class host_run : public task_state {
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

  /// What stands for one of its functions where a thread waits in it; null if nothing but the run
  /// does. For that thread.
  [[nodiscard]] virtual task_state* task_at(std::uint32_t /*node*/) { return nullptr; }

  /// A worker that was sent for runs functions. Returns true if another one is to be sent for.
  [[nodiscard]] bool work() noexcept;
  [[nodiscard]] worker_supply& workers() noexcept { return workers_; }

 protected:
  /// While it lives, the calling thread may use the plan and the state, unless the run is over. The
  /// last one of a run that is over releases them: a task that has ended keeps neither what it was
  /// made of nor the buffers in it.
  class user {
   public:
    // Sequentially consistent, both: a thread that comes later sees that the run is over.
    explicit user(host_run& run) noexcept : run_(run) { run_.users_.fetch_add(1); }
    user(const user&) = delete;
    user& operator=(const user&) = delete;
    ~user();

   private:
    host_run& run_;
  };

  [[nodiscard]] host_plan& plan() const noexcept { return *plan_; }
  [[nodiscard]] run_state& state() noexcept { return *state_; }
  [[nodiscard]] bool has_begun() const noexcept { return may_begin_; }
  [[nodiscard]] bool is_over() const noexcept { return is_over_; }

  /// The run is started, and begins with these functions. They are kept until it ends, as the
  /// listener is.
  void begin_now(std::span<const std::uint32_t> starts,
                 failure_listener* listener = nullptr) noexcept;

  /// Its counts are not those of the beginning: no other run is to have them.
  void drop_state() noexcept { state_.reset(); }

  /// Every function has ended.
  virtual void conclude() noexcept;
  /// The first half of it: it is not announced.
  void be_over() noexcept;
  /// How the run ended: if not every function has, by being cancelled.
  [[nodiscard]] failure outcome();
  /// True if it is cancelled and no thread takes part, or waits in one of its functions: none will
  /// be called any more.
  [[nodiscard]] bool calls_no_more() const noexcept {
    // Sequentially consistent, as what threads do that begin to take part: they look whether it is
    // cancelled after they have said that they are users.
    return outcome_.is_cancelled() && users_.load() == 0;
  }
  /// No thread uses it at this moment, and it is not over.
  virtual void left_alone() noexcept {}
  /// Gives the state back, and lets go of the plan.
  virtual void release() noexcept;

 private:
  struct stop_watch {
    host_run* run;
    void operator()() const noexcept { run->request_cancel(); }
  };

  /// Begins the run when the tasks that it comes after have ended.
  class start_edge final : public continuation {
   public:
    void find_source(std::span<const task_state_ptr> after, host_run& run);
    void attach(host_run& run) noexcept;
    /// One task that ends with all of them; null if there are none.
    [[nodiscard]] task_state* source() const noexcept { return source_.get(); }
    void run(task_state& from, ready_list& /*next*/) noexcept override { begin(from); }
    [[nodiscard]] task_state* follower() const noexcept override { return owner_; }

   private:
    void begin(task_state& source) noexcept;

    host_run* owner_ = nullptr;
    task_state_ptr source_;
  };

  [[nodiscard]] bool has_stock() const noexcept { return !is_over_ && state_->has_stock(); }
  [[nodiscard]] std::size_t take_part(std::size_t most, bool is_worker) noexcept;

  std::shared_ptr<host_plan> plan_;
  std::unique_ptr<run_state> state_;
  worker_supply workers_;
  run_outcome outcome_;
  /// True if the stop of its context cancels it. A run of one function that does not ask for stops
  /// looks before it calls that.
  const bool watches_;
  failure_listener* listener_ = nullptr;
  std::atomic<bool> may_begin_{false};  ///< all that it comes after has ended
  std::atomic<bool> is_over_{false};    ///< every function has ended
  std::atomic<bool> is_released_{false};
  std::atomic<std::uint32_t> users_{0};  ///< threads that may use the plan and the state
  start_edge before_;

  std::stop_source stop_{std::nostopstate};
  std::stop_token stop_token_;
  std::optional<std::stop_callback<stop_watch>> watch_;
};

}  // namespace hocket::detail
