// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <atomic>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include <hocket/execution/executor.hpp>
#include <hocket/scheduler/detail/runtime_context.hpp>
#include <hocket/scheduler/detail/wait_checker.hpp>
#include <hocket/scheduler/future.hpp>

namespace hocket::testing {

/// What stands for a runtime here: counts tasks and keeps failures, and waits for the last task
/// when it goes.
class host_fixture : public detail::runtime_context {
 public:
  explicit host_fixture(executor& where) {
    where_ = &where;
    waits_ = &checker_;
  }
  ~host_fixture() override {
    wait_until_idle();
    // A worker that has made the last task ready may still read this when another thread has run
    // that task. A runtime waits for its workers, too.
    while (!where_->is_virtual() && where_->others_work()) std::this_thread::yield();
  }

  void ended(detail::task_state& task) noexcept override {
    std::shared_ptr<executor::gate> gate;
    {
      const std::lock_guard lock(mutex_);
      if (task.outcome().failed_itself()) failures_.emplace_back(&task);
      if (unfinished_.fetch_sub(1) != 1) return;
      gate = std::exchange(idle_gate_, nullptr);
    }
    if (gate) gate->open();
  }
  void stop() { request_stop(); }

  /// Waits until as many tasks have ended as were started.
  void wait_until_idle() {
    where_->wait([this](std::shared_ptr<executor::gate> gate) {
      {
        const std::lock_guard lock(mutex_);
        if (unfinished_.load() != 0) {
          idle_gate_ = std::move(gate);
          return;
        }
      }
      gate->open();
    });
  }

  /// What failed on its own account, and nobody looked at.
  std::vector<std::string> unseen_failures() {
    const std::lock_guard lock(mutex_);
    std::vector<std::string> messages;
    for (const detail::task_state_ptr& task : failures_) {
      if (!task->outcome().looked()) messages.push_back(task->error().message());
    }
    return messages;
  }

  [[nodiscard]] std::int64_t unended() const { return unfinished_.load(); }

  template <class F>
  auto async(F&& f, detail::host_options options = {},
             std::vector<detail::task_state_ptr> after = {}) {
    return future<detail::body_result_t<F>>(
        detail::launch(this, std::move(options), std::forward<F>(f), after));
  }
  template <class F>
  auto async(std::string label, F&& f) {
    detail::host_options options;
    options.label = std::move(label);
    return async(std::forward<F>(f), std::move(options));
  }

  std::atomic<bool> forbid_wait{false};

 private:
  void note_start(const detail::task_state& /*task*/) noexcept override {
    unfinished_.fetch_add(1);
  }

  class checker final : public detail::wait_checker {
   public:
    explicit checker(const std::atomic<bool>& forbid_wait) : forbid_wait_(forbid_wait) {}
    void check(detail::task_state& task, detail::parked_wait& /*by*/) override {
      if (forbid_wait_) throw usage_error(task.name() + " is waited for where that never ends.");
    }
    void check_again(detail::parked_wait& /*by*/) override {}
    void let_readers_leave() noexcept override {}

   private:
    const std::atomic<bool>& forbid_wait_;
  };

  checker checker_{forbid_wait};
  std::atomic<std::int64_t> unfinished_{0};
  std::mutex mutex_;
  std::shared_ptr<executor::gate> idle_gate_;
  std::vector<detail::task_state_ptr> failures_;
};

}  // namespace hocket::testing
