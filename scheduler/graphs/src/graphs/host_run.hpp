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
  [[nodiscard]] plan_call call() noexcept { return {stop_token_, this}; }
  [[nodiscard]] bool has_begun() const noexcept { return may_begin_; }
  [[nodiscard]] bool is_over() const noexcept { return is_over_; }

  /// The run is started, and begins with these functions. They are kept until it ends.
  void begin_now(std::span<const std::uint32_t> starts) noexcept;

  /// Something is over that a function comes after. Returns true if it was the last of it.
  [[nodiscard]] bool arrive(std::uint32_t node) noexcept {
    std::atomic<std::uint32_t>& left = state_->waits_for[node];
    // Release: pairs with the acquire of the last arrival, which sees what came before all of them.
    if (left.fetch_sub(1, std::memory_order_acq_rel) != 1) return false;
    // Relaxed: the next one to count is in a later run.
    left.store(plan_->before(node), std::memory_order_relaxed);
    return true;
  }

  /// The function became ready by something outside of the run. Any thread; by the end of this the
  /// run may have ended.
  void add_ready(std::uint32_t node) noexcept;

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
    return (mode_.load() & cancelling) != 0 && users_.load() == 0;
  }
  /// No thread uses it at this moment, and it is not over.
  virtual void left_alone() noexcept {}
  /// Gives the state back, and lets go of the plan.
  virtual void release() noexcept;

  // For a plan with data. That function failed, or it is not called although everything before it
  // is over: because something before it failed, or because the run is cancelled.
  virtual void failed(std::uint32_t /*node*/, const failure& /*why*/) noexcept {}
  virtual void not_called(std::uint32_t /*node*/, bool /*is_cancelled*/) noexcept {}
  /// True if a function is not called that comes after one that failed.
  [[nodiscard]] virtual bool fails_with(std::uint32_t /*node*/, std::uint32_t /*before*/) const {
    return true;
  }

 private:
  friend class worker_slot;
  /// What the functions of a plan are beside functions to be called.
  enum plan_kind : std::uint8_t { plain, with_choices, with_data };
  template <std::uint8_t Kind>
  class participant;

  /// How functions are to be run, other than just called.
  enum mode : std::uint8_t { traced = 1, cancelling = 2, troubled = 4 };

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
  void send_for_worker() noexcept;
  void send_for_worker_if_open() noexcept;
  void send_if_wanted() noexcept {
    if (workers_.wants_more()) send_for_worker();
  }
  [[nodiscard]] bool work() noexcept;
  [[nodiscard]] bool has_stock() const noexcept;
  [[nodiscard]] std::size_t take_part(std::size_t most, bool is_worker) noexcept;
  [[nodiscard]] share take_part(worker_slot& slot, std::size_t most) noexcept;
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
  [[nodiscard]] failure why_failed(std::uint32_t node) noexcept;
  void note_failure(std::uint32_t node, failure why) noexcept;
  void poison_successors(std::uint32_t node) noexcept;
  [[nodiscard]] bool tell(worker_slot& slot) noexcept;
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
  std::atomic<bool> is_over_{false};    ///< every function has ended
  std::atomic<bool> is_released_{false};
  std::atomic<std::uint32_t> users_{0};  ///< threads that may use the plan and the state
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
