// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <array>
#include <concepts>
#include <coroutine>
#include <functional>
#include <optional>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <hocket/core/duration.hpp>
#include <hocket/core/error.hpp>
#include <hocket/execution/executor.hpp>
#include <hocket/scheduler/detail/body_task.hpp>
#include <hocket/scheduler/detail/recorded_function.hpp>
#include <hocket/scheduler/detail/refused_call.hpp>
#include <hocket/scheduler/detail/task_handle.hpp>
#include <hocket/scheduler/detail/task_state.hpp>
#include <hocket/scheduler/detail/task_waits.hpp>

namespace hocket {

struct task_options;

template <class T>
class future;

/// Marks a continuation that is so cheap that it may run in whatever thread ends the task before
/// it: a few instructions, no waiting, no lock that is held for long.
struct cheap_t {
  explicit cheap_t() = default;
};
inline constexpr cheap_t cheap{};

namespace detail {

template <class T>
class coroutine_promise;
template <class T>
class future_awaiter;

template <class G, class T>
struct continuation_result {
  using invoked = std::invoke_result<std::decay_t<G>&, const T&>;
};
template <class G>
struct continuation_result<G, void> {
  using invoked = std::invoke_result<std::decay_t<G>&>;
};

/// What a future of the continuation G of a future<T> holds.
template <class G, class T>
using continuation_result_t =
    std::remove_cvref_t<typename continuation_result<G, T>::invoked::type>;

/// Asks only for types that continuation_result_t needs as well.
template <class G, class T>
concept continuation_of = requires {
  typename continuation_result<G, T>::invoked::type;
};

/// False of what can only be moved. A container of such elements says that it can be copied, and
/// fails to compile where it is.
template <class T>
inline constexpr bool is_copyable = std::is_copy_constructible_v<T>;
template <class T>
requires requires {
  typename T::allocator_type;
  typename T::value_type;
} &&(!std::is_same_v<typename T::value_type, T>)inline constexpr bool is_copyable<T> =
    std::is_copy_constructible_v<T> && std::is_copy_constructible_v<typename T::value_type>;
template <class T, class A>
inline constexpr bool is_copyable<std::vector<T, A>> = is_copyable<T>;

/// What is given to a caller that holds no future any more.
template <class T>
using kept_t = std::conditional_t<is_copyable<T>, T, const T&>;

/// What futures of all types have in common.
class future_base {
 public:
  /// A future without a task; everything but valid() throws usage_error.
  future_base() = default;
  explicit future_base(task_state_ptr state) noexcept : handle_(std::move(state)) {}
  explicit future_base(task_handle handle) noexcept : handle_(std::move(handle)) {}

  [[nodiscard]] bool valid() const noexcept { return static_cast<bool>(handle_); }

  /// True if the task has ended, well or not.
  [[nodiscard]] bool done() const { return !handle_.is_place() && checked().done(); }

  /// Waits until the task has ended; does not throw what it failed with. A thread that waits for a
  /// task that no thread has started runs it itself, or one that the task depends on.
  void wait() const { detail::wait_for_end(checked()); }

  /// The same, for a time; returns false if the task has not ended. Runs no task itself.
  [[nodiscard]] bool wait_for(nanoseconds duration) const {
    return detail::wait_for_end(checked(), duration);
  }

  /// What the task failed with; empty if it ended well. Waits, and does not throw it.
  [[nodiscard]] failure error() const {
    wait();
    return handle_.task()->error();
  }

  /// Asks for the task not to run. If it runs already its std::stop_token says so, if it takes one.
  void cancel() const {
    if (!handle_.is_place()) checked().request_cancel();
  }

  [[nodiscard]] std::string_view label() const {
    return handle_.is_place() ? std::string_view() : checked().label_text();
  }

  /// The state that the futures of one task share, or what stands for it.
  [[nodiscard]] task_state_ptr state() const { return handle_.state(); }
  [[nodiscard]] const task_handle& handle() const noexcept { return handle_; }

  /// The state of a task that runs; throws usage_error if there is none.
  [[nodiscard]] const task_state_ptr& checked_state() const {
    if (!handle_ || handle_.is_place()) refuse_use(handle_);
    return handle_.task();
  }

 protected:
  [[nodiscard]] task_state& checked() const { return *checked_state(); }
  task_state& ended_well() const {
    task_state& task = checked();
    wait_for_end(task);
    if (task.error()) task.error().raise();
    return task;
  }

 private:
  task_handle handle_;
};

/// The result of a task that has ended well. Throws usage_error if it was taken.
template <class T>
[[nodiscard]] const T& value_of(task_state& task) {
  if (task.outcome().is_taken()) [[unlikely]]
    refuse_taken(task);
  return *static_cast<const T*>(task.value());
}

/// Calls a continuation with the result of its predecessor, which it keeps until then.
template <class T, class G>
class continuation_body {
 public:
  template <class H>
  continuation_body(task_state_ptr before, H&& function)
      : before_(std::move(before)), function_(std::forward<H>(function)) {}

  decltype(auto) operator()() { return std::invoke(function_, value_of<T>(*before_)); }

 private:
  task_state_ptr before_;
  G function_;
};
template <class G>
class continuation_body<void, G> {
 public:
  template <class H>
  continuation_body(const task_state_ptr& /*before*/, H&& function)
      : function_(std::forward<H>(function)) {}

  decltype(auto) operator()() { return std::invoke(function_); }

 private:
  G function_;
};

/// What the options of a continuation mean: how it runs, and what it comes after but its source.
struct continuation_options {
  host_options how;
  std::vector<task_state_ptr> after;
};
[[nodiscard]] continuation_options continuation_options_of(const task_options& options,
                                                           const task_state_ptr& before);

template <class T, class G>
[[nodiscard]] future<continuation_result_t<G, T>> continue_with(
    const task_state_ptr& before, host_options options, G&& function,
    std::span<const task_state_ptr> after) {
  check_continuable(*before);
  using body = continuation_body<T, std::decay_t<G>>;
  return future<continuation_result_t<G, T>>(launch(
      before->context(), std::move(options), body(before, std::forward<G>(function)), after));
}
template <class T, class G>
[[nodiscard]] future<continuation_result_t<G, T>> continue_with(const task_state_ptr& before,
                                                                G&& function) {
  check_continuable(*before);
  using body = continuation_body<T, std::decay_t<G>>;
  host_context* const context = before->context();
  if (context == nullptr || context->is_scope()) {
    return continue_with<T>(before, {}, std::forward<G>(function));
  }
  return future<continuation_result_t<G, T>>(
      launch_after(in_runtime(), *context, before, body(before, std::forward<G>(function))));
}
template <class T, class G>
[[nodiscard]] future<continuation_result_t<G, T>> continue_with(const task_state_ptr& before,
                                                                host_options options,
                                                                G&& function) {
  return continue_with<T>(before, std::move(options), std::forward<G>(function),
                          std::span(&before, 1));
}

}  // namespace detail

/// A future whose continuations run on an executor, and in an arena, that the user names.
template <class T>
class routed_future {
 public:
  routed_future(detail::task_state_ptr state, executor& where, std::size_t arena) noexcept
      : state_(std::move(state)), where_(&where), arena_(arena) {}

  template <class G>
  auto then(G&& function) const {
    if constexpr (detail::continuation_of<G, T>) {
      detail::host_options options;
      options.via = where_;
      options.arena = arena_;
      return detail::continue_with<T>(state_, std::move(options), std::forward<G>(function));
    } else {
      return detail::refuse_continuation<G>();
    }
  }

 private:
  detail::task_state_ptr state_;
  executor* where_;
  std::size_t arena_;
};

/// What futures of one type have in common, whether or not there is a result.
template <class T>
class continuable_future : public detail::future_base {
 public:
  using detail::future_base::future_base;
  using value_type = T;

  /// Runs function with the result of this task once it has ended well, in the arena of the
  /// runtime. If this task fails, function does not run and the future that is returned fails with
  /// the labels of both. Throws usage_error if the runtime has ended; it must not be ending in
  /// another thread meanwhile.
  template <class G>
  auto then(G&& function) const {
    if constexpr (detail::continuation_of<G, T>) {
      return detail::continue_with<T>(this->checked_state(), std::forward<G>(function));
    } else {
      return detail::refuse_continuation<G>();
    }
  }

  /// The same with options: those that a function without accesses can have. After this task and
  /// those that the options name.
  template <class G>
  auto then(const task_options& options, G&& function) const {
    if constexpr (detail::continuation_of<G, T>) {
      const detail::task_state_ptr& before = this->checked_state();
      detail::continuation_options made = detail::continuation_options_of(options, before);
      return detail::continue_with<T>(before, std::move(made.how), std::forward<G>(function),
                                      made.after);
    } else {
      return detail::refuse_continuation<G>();
    }
  }

  /// The same in the thread that ends this task, or here if it has ended: for what is cheap.
  template <class G>
  auto then(cheap_t, G&& function) const {
    if constexpr (detail::continuation_of<G, T>) {
      detail::host_options options;
      options.cheap = true;
      return detail::continue_with<T>(this->checked_state(), std::move(options),
                                      std::forward<G>(function));
    } else {
      return detail::refuse_continuation<G>();
    }
  }

  /// This future, with continuations that run on `where`. It must outlive them.
  [[nodiscard]] routed_future<T> via(executor& where, std::size_t arena = 0) const {
    return {this->checked_state(), where, arena};
  }

  /// Continues the coroutine in the arena of the runtime when the task has ended; at once, if it
  /// has. Two traps: what a coroutine refers to, and what the lambda that it is has captured, may
  /// be gone when it continues. And g++ 12 destroys twice what a lambda or an aggregate holds that
  /// is made within the co_await expression; make the future in a statement of its own before.
  [[nodiscard]] detail::future_awaiter<T> operator co_await() const;
};

/// The handle of a task. Copies share the task and its result. A future keeps the result alive,
/// also after the runtime is gone; destroying it neither waits nor cancels.
///
/// ```cpp
/// runtime rt;
/// const future<int> one = rt.async([] { return 1; });
/// const future<int> two = one.then([](int v) { return v + 1; });
/// std::printf("%d\n", two.get());  // throws what the task failed with
/// if (const failure why = one.error()) std::printf("%s\n", why.message().c_str());
/// ```
template <class T>
class future : public continuable_future<T> {
  static_assert(std::is_same_v<T, std::remove_cvref_t<T>>, "A future holds a value.");

 public:
  using promise_type = detail::coroutine_promise<T>;
  using continuable_future<T>::continuable_future;

  /// Waits as wait() does. Returns the result, which lives as long as any future of the task, or
  /// throws: what the task threw, or error if the task did not run.
  const T& get() const& { return detail::value_of<T>(this->ended_well()); }

  /// The same of a future that may be the last one: the result is copied, if it can be. One that
  /// cannot be copied lives until the end of the expression.
  detail::kept_t<T> get() const&& { return detail::value_of<T>(this->ended_well()); }

  /// Waits as wait() does, and moves the result out of the task, whose futures share it: for what
  /// can be moved and not copied. Throws what the task failed with. One call gets the result;
  /// others, and whatever reads the result later (get, a continuation, co_await, when_all), throw
  /// usage_error. No other thread may read the result meanwhile, nor a continuation that runs.
  ///
  /// ```cpp
  /// runtime rt;
  /// const future<std::unique_ptr<int>> made = rt.async([] { return std::make_unique<int>(7); });
  /// const std::unique_ptr<int> mine = made.take();
  /// ```
  [[nodiscard]] T take() const {
    detail::task_state& task = this->ended_well();
    if (!task.outcome().take_value()) detail::refuse_taken(task);
    return std::move(*static_cast<T*>(const_cast<void*>(task.value())));
  }
};

template <>
class future<void> : public continuable_future<void> {
 public:
  using promise_type = detail::coroutine_promise<void>;
  using continuable_future<void>::continuable_future;

  /// Waits as wait() does, and throws what the task threw, or error if the task did not run.
  void get() const { (void)this->ended_well(); }
};

namespace detail {

template <class T>
class ready_value final : public task_state {
 public:
  template <class V>
  explicit ready_value(V&& value) : task_state(nullptr), kept_(std::forward<V>(value)) {
    outcome().set_value(&kept_);
    finish();
  }

 private:
  T kept_;
};

}  // namespace detail

/// A future that is done and holds the value.
template <class V>
[[nodiscard]] future<std::decay_t<V>> ready_future(V&& value) {
  using state = detail::ready_value<std::decay_t<V>>;
  return future<std::decay_t<V>>(detail::task_state_ptr(new state(std::forward<V>(value))));
}

/// A future that is done.
[[nodiscard]] inline future<void> ready_future() {
  const detail::task_state_ptr state(new detail::task_state(nullptr));
  state->finish();
  return future<void>(state);
}

}  // namespace hocket

#include <hocket/scheduler/detail/coroutine.hpp>
