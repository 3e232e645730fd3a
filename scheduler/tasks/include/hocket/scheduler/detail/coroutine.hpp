// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

// Included by <hocket/scheduler/future.hpp>, and useful only with it.

#include <atomic>
#include <coroutine>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <optional>
#include <utility>

#include <hocket/scheduler/detail/task_waits.hpp>
#include <hocket/scheduler/future.hpp>

namespace hocket {

namespace detail {

/// Continues a coroutine, of any kind, when a task has ended. The node lives in the coroutine.
class awaiter_base : public continuation {
 public:
  explicit awaiter_base(task_state_ptr awaited) noexcept : awaited_(std::move(awaited)) {}
  awaiter_base(const awaiter_base&) = delete;
  awaiter_base& operator=(const awaiter_base&) = delete;

  [[nodiscard]] bool await_ready() const {
    if (awaited_->done()) return true;
    check_waitable(*awaited_);
    return false;
  }
  bool await_suspend(std::coroutine_handle<> waiting) noexcept {
    waiting_ = waiting;
    return awaited_->attach(*this);
  }

  void run(task_state& source, ready_list&) noexcept override;

 protected:
  ~awaiter_base() = default;

  /// Resumes the coroutine in a worker of the context, or here if there is no memory for an item.
  void resume_in(host_context& context, std::uint32_t near) noexcept;

  task_state& ended_well() const {
    awaited_->outcome().look();
    if (awaited_->error()) awaited_->error().raise();
    return *awaited_;
  }
  [[nodiscard]] const task_state_ptr& awaited() const noexcept { return awaited_; }

 private:
  task_state_ptr awaited_;
  std::coroutine_handle<> waiting_;
};

template <class T>
class awaiter_of : public awaiter_base {
 public:
  using awaiter_base::awaiter_base;
  kept_t<T> await_resume() const { return value_of<T>(this->ended_well()); }

 protected:
  ~awaiter_of() = default;
};
template <>
class awaiter_of<void> : public awaiter_base {
 public:
  using awaiter_base::awaiter_base;
  void await_resume() const { (void)this->ended_well(); }

 protected:
  ~awaiter_of() = default;
};

/// Awaits a future in a coroutine of another kind.
template <class T>
class future_awaiter final : public awaiter_of<T> {
 public:
  using awaiter_of<T>::awaiter_of;
};

/// The state that the future of a coroutine refers to. A failure that no thread has looked at is
/// kept by the runtime that the coroutine belongs to; without one the destructor prints it.
class coroutine_state : public task_state {
 public:
  coroutine_state() : task_state(nullptr, "coroutine") {}
  ~coroutine_state() override;

  /// The coroutine awaits a task that has ended. If it never has to wait, and fails, it belongs to
  /// the runtime of the first such one.
  void did_not_wait_for(const task_state& ended) noexcept {
    if (first_home_ == nullptr) first_home_ = home_of(ended);
  }

  /// Instead of finish(): belongs to a runtime before, if it fails.
  void end(failure why) noexcept;

  void request_cancel() noexcept override { cancelled_ = true; }

  void tell_awaited(wait_visitor& to) override;

  /// The coroutine is suspended until that task has ended. To be called before it may go on. From
  /// the first such task of a runtime on it belongs to that runtime: returns whether this is it.
  /// Throws usage_error if the task is a coroutine that waits for this one.
  [[nodiscard]] bool suspends_for(task_state& awaited);
  /// It goes on, and may let go of that task.
  void goes_on() noexcept {
    std::uintptr_t seen = awaited_.load(std::memory_order_relaxed);
    do {
      seen &= ~being_read;
      // Acquire: pairs with the release at the end of suspended_for(), which has its own reference.
    } while (!awaited_.compare_exchange_weak(seen, 0, std::memory_order_acquire,
                                             std::memory_order_relaxed));
  }

  /// Throws if the coroutine was cancelled.
  void check_cancelled() const;
  [[nodiscard]] failure failed() const noexcept;

 private:
  static constexpr std::uintptr_t being_read = 1;

  [[nodiscard]] static const host_context* home_of(const task_state& ended) noexcept;
  void belong_to(host_context* context) noexcept;
  /// The task that the coroutine is suspended for; null: it is not.
  [[nodiscard]] task_state_ptr suspended_for() noexcept;
  [[nodiscard]] std::size_t coroutines_back_from(task_state& awaited);
  void belong_to_first_home() noexcept;

  const host_context* first_home_ = nullptr;  ///< only to be compared: it may be gone
  bool was_suspended_ = false;                ///< other threads may know this
  std::atomic<bool> cancelled_{false};
  std::atomic<std::uintptr_t> awaited_{0};  // a completion, and whether a thread takes it just now
};

template <class T>
class coroutine_result final : public coroutine_state {
 public:
  template <class V>
  void keep(V&& value) {
    outcome().set_value(&result_.emplace(std::forward<V>(value)));
  }

 private:
  std::optional<T> result_;
};

/// Awaits a future in a coroutine of ours: it belongs to the runtime of the first such one.
template <class T>
class owned_awaiter final : public awaiter_of<T> {
 public:
  owned_awaiter(task_state_ptr awaited, coroutine_state& owner) noexcept
      : awaiter_of<T>(std::move(awaited)), owner_(&owner) {}

  [[nodiscard]] bool await_ready() const {
    owner_->check_cancelled();
    if (!awaiter_of<T>::await_ready()) return false;
    owner_->did_not_wait_for(*this->awaited());
    return true;
  }
  bool await_suspend(std::coroutine_handle<> waiting) {
    const bool belongs_now = owner_->suspends_for(*this->awaited());
    if (awaiter_of<T>::await_suspend(waiting)) return true;
    if (!belongs_now) return false;
    // The caller's stack does not know that it works for that runtime, which may end in the body.
    this->resume_in(*owner_->context(), this->awaited()->arena());
    return true;
  }
  [[nodiscard]] task_state* follower() const noexcept override { return owner_; }
  decltype(auto) await_resume() const {
    owner_->goes_on();
    owner_->check_cancelled();
    return awaiter_of<T>::await_resume();
  }

 private:
  coroutine_state* owner_;
};

/// Destroys the frame first, so that what it held is gone when the future is done.
template <class State>
struct finish_coroutine {
  [[nodiscard]] bool await_ready() const noexcept { return false; }
  template <class Promise>
  void await_suspend(std::coroutine_handle<Promise> ended) const noexcept {
    const boost::intrusive_ptr<State> state = ended.promise().state();
    failure why = ended.promise().error();
    ended.destroy();
    state->end(std::move(why));
  }
  void await_resume() const noexcept {}
};

template <class State>
class promise_base {
 public:
  [[nodiscard]] std::suspend_never initial_suspend() const noexcept { return {}; }
  [[nodiscard]] finish_coroutine<State> final_suspend() const noexcept { return {}; }
  void unhandled_exception() noexcept { why_ = state_->failed(); }

  /// Only futures can be awaited: another thing to wait for could not tell where to go on.
  template <class U>
  [[nodiscard]] owned_awaiter<U> await_transform(const future<U>& awaited) const {
    if (!awaited.valid()) throw usage_error("A future without a task is awaited.");
    return {awaited.state(), *state_};
  }

  [[nodiscard]] const boost::intrusive_ptr<State>& state() const noexcept { return state_; }
  [[nodiscard]] const failure& error() const noexcept { return why_; }

 private:
  boost::intrusive_ptr<State> state_{new State};
  failure why_;
};

template <class T>
class coroutine_promise : public promise_base<coroutine_result<T>> {
 public:
  [[nodiscard]] future<T> get_return_object() const { return future<T>(this->state()); }
  template <class V>
  void return_value(V&& value) {
    this->state()->keep(std::forward<V>(value));
  }
};

template <>
class coroutine_promise<void> : public promise_base<coroutine_state> {
 public:
  [[nodiscard]] future<void> get_return_object() const { return future<void>(this->state()); }
  void return_void() const noexcept {}
};

}  // namespace detail

template <class T>
detail::future_awaiter<T> continuable_future<T>::operator co_await() const {
  return detail::future_awaiter<T>(this->checked_state());
}

}  // namespace hocket
