// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <concepts>
#include <cstdint>
#include <iterator>
#include <optional>
#include <span>
#include <stop_token>
#include <type_traits>
#include <utility>
#include <vector>

#include <boost/container/small_vector.hpp>

#include <hocket/core/duration.hpp>
#include <hocket/scheduler/budget.hpp>
#include <hocket/scheduler/future.hpp>
#include <hocket/scheduler/task_label.hpp>

namespace hocket {

/// A device of one runtime, by its place there; from runtime::device. Other runtimes refuse it, and
/// all of them refuse an empty handle.
struct device_handle {
  device_id id;
  std::uint64_t runtime = 0;  ///< the number of the runtime; 0: of any
};

/// A future of any type, where only its end counts.
class any_future {
 public:
  template <class T>
  any_future(const future<T>& of) : handle_(of.handle()) {}  // NOLINT(*-explicit-*)

  explicit any_future(detail::task_handle of) : handle_(std::move(of)) {}

  [[nodiscard]] detail::task_state_ptr state() const { return handle_.state(); }
  [[nodiscard]] const detail::task_handle& handle() const noexcept { return handle_; }

 private:
  detail::task_handle handle_;
};

namespace detail {

template <class T>
inline constexpr bool is_future = false;
template <class T>
inline constexpr bool is_future<future<T>> = true;

template <class T>
concept any_kind_of_future = is_future<T> || std::same_as<T, any_future>;

/// What refers to futures that are somewhere, one after the other.
template <class R>
concept range_of_futures = requires(const R& all) {
  requires std::is_lvalue_reference_v<decltype(*std::begin(all))>;
  requires any_kind_of_future<std::remove_cvref_t<decltype(*std::begin(all))>>;
  std::end(all);
};

}  // namespace detail

/// Futures of any types, one, some or a range: first, {first, second}, a vector or a span of
/// futures. A few of them need no memory of their own.
class future_list : public boost::container::small_vector<any_future, 4> {
 public:
  using small_vector::small_vector;
  future_list() = default;
  template <detail::any_kind_of_future One>
  future_list(const One& one)  // NOLINT(*-explicit-*)
      : small_vector(1, any_future(one)) {}
  template <detail::range_of_futures All>
  requires(!std::derived_from<All, future_list>)
      future_list(const All& all)  // NOLINT(*-explicit-*)
      : small_vector(std::begin(all), std::end(all)) {}

  [[nodiscard]] std::span<const any_future> all() const noexcept { return {data(), size()}; }
};

/// How a task is to be run. Nothing has to be set.
///
/// ```cpp
/// runtime rt;
/// const buffer<float> x{rt, 100, "x"};
/// std::stop_source give_up;
/// const future<void> first = rt.submit({.priority = 1}, ops::fill, 1.0f, writes(x));
/// rt.submit({.label = "second", .timeout = 10s, .stop = give_up.get_token(), .after = {first}},
///           ops::fill, 2.0f, writes(x));
/// ```
struct task_options {
  /// Runs there and nowhere else. Unset: where it is predicted to end first; a function without
  /// accesses that follows one task then goes to the node where that has run.
  std::optional<device_handle> on = std::nullopt;

  /// Higher first, among the tasks that are ready for one device. Host tasks know three levels:
  /// below zero, zero, above; and so do tasks with data where nothing is placed, see data_path.
  std::int64_t priority = 0;

  /// Among the tasks with this option that were submitted for the same device, given by `on`: start
  /// in order of priority, then of age, also where a later one is ready first. A task that waits
  /// for one that comes after it never starts: it fails, once nothing else runs; where nothing is
  /// placed, none of them runs any more.
  bool in_order = false;

  /// For messages, reports and traces; the kernel's name if it is empty.
  task_label label = {};

  /// The future fails with timed_out when this time has passed since the submission. A function
  /// without accesses that runs by then is told by its std::stop_token instead.
  nanoseconds timeout = nanoseconds::max();

  /// The same, at this time of the runtime's clock (see runtime::now). Not in a recording.
  time_stamp deadline = time_stamp::max();

  /// Cancels the task if it is stopped before the task was issued to its device.
  std::stop_token stop = {};

  /// The task runs after all of these have ended well; if one fails, it does not run.
  future_list after = {};

  /// The task starts only when the budget has so many bytes left. See budget.
  std::optional<budget_share> takes = std::nullopt;

  /// When this task ends, the bytes that these tasks took come back.
  future_list returns = {};
};

}  // namespace hocket
