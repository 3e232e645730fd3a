// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <concepts>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>

#include <hocket/kernels/kernel.hpp>
#include <hocket/scheduler/detail/arguments.hpp>
#include <hocket/scheduler/detail/graph_use.hpp>
#include <hocket/scheduler/task_options.hpp>

namespace hocket {

class submitter;

/// A condition that looks at data; made by when().
template <class F, class... Args>
struct data_condition {
  F function;
  std::tuple<Args...> arguments;
};

/// A condition that looks at data: function is called on the host with views for accesses and with
/// numbers, each time that the condition is asked, and returns bool or a whole number.
///
/// ```cpp
/// runtime rt;
/// const buffer<float> rest{rt, 1, 1.0f, "rest"};
/// rt.run_while(when([](buffer_view<const float> r) { return r(0) > 0.01f; }, reads(rest)),
///              [&](submitter& round) {
///                round.submit([](buffer_view<float> r) { r(0) /= 2; }, updates(rest));
///              },
///              100);  // rounds at most
/// ```
template <class F, class First, class... Args>
[[nodiscard]] data_condition<F, First, Args...> when(F function, const First& first,
                                                     const Args&... args) {
  return {std::move(function), {first, args...}};
}

namespace detail {

/// The use of graphs under these options. Throws usage_error for options that make no sense, and
/// if there are no graphs.
[[nodiscard]] graph_use use_of(const run_options& options, std::span<const graph> graphs);

/// A body of run_while and its like is a graph, or a function that records one.
[[nodiscard]] inline const graph& recorded(runtime& /*home*/, const graph& body) { return body; }
template <class F>
requires std::invocable<F&, submitter&>
[[nodiscard]] graph recorded(runtime& home, F& body);

/// What answers a question: bool, or a whole number.
template <class T>
concept answer = std::integral<T>;

template <class T>
[[nodiscard]] std::int64_t whole_number(const void* value) {
  return static_cast<std::int64_t>(*static_cast<const T*>(value));
}

/// A host function that returns the answer as a number of 64 bits.
template <class F, class... Params>
struct answering {
  F function;
  std::int64_t operator()(Params... params) const {
    return static_cast<std::int64_t>(std::invoke(function, params...));
  }
};

/// Does not compile: the function of when() cannot be called with its arguments.
template <class F, class... Args>
constexpr void refuse_function_of_condition() {
  refuse_arguments<Args...>();
  static_assert(!(task_argument<Args> && ...),
                "The function of when cannot be called with its arguments. It is not mutable, and "
                "takes one parameter for each, in their order: buffer_view<const T, R> for "
                "reads(b), buffer_view<T, R> for writes(b) and updates(b), where T and R are the "
                "element type and the rank of b, and a number for a number or a future.");
}

/// Refuses at compile time a condition that is none.
template <class Condition>
constexpr void refuse_condition() {
  static_assert(sizeof(Condition) == 0,
                "A condition is a function without parameters, when(function, accesses...) or a "
                "future, and its answer is bool or a whole number. A value that is known when the "
                "graph is submitted needs no condition but an `if`.");
}

template <answer T>
[[nodiscard]] question question_of(const run_options& /*options*/, const future<T>& known) {
  if (!known.valid()) throw usage_error("A graph is chosen by a future without a task.");
  question made;
  made.future = known.state();
  made.number = &whole_number<T>;
  made.is_unsigned = std::is_unsigned_v<T>;
  return made;
}

template <class F, class... Args>
[[nodiscard]] question question_of(const run_options& options,
                                   const data_condition<F, Args...>& condition) {
  question made;
  if constexpr (function_of<const F, Args...>) {
    using body = answering<F, body_argument_t<Args>...>;
    using result = std::invoke_result_t<const F&, body_argument_t<Args>...>;
    static_assert(answer<result>, "A condition returns bool or a whole number.");
    const kernel<returns<std::int64_t>, typename descriptor<Args>::type...> asks{
        "condition", host_body{body{condition.function}}};
    task_options how;
    how.label = options.label.empty() ? task_label("condition") : options.label;
    how.priority = options.priority;
    task_description task = described(how, asks.definition(), true);
    task.make_state = &make_device_task<std::int64_t>;
    std::apply([&](const auto&... each) { (add_argument(task, each), ...); }, condition.arguments);
    made.task = std::make_shared<const task_description>(std::move(task));
    made.number = &whole_number<std::int64_t>;
    made.is_unsigned = std::is_unsigned_v<result>;
  } else {
    refuse_function_of_condition<F, Args...>();
  }
  return made;
}

template <class F>
requires(std::invocable<std::decay_t<F>&> || std::invocable<std::decay_t<F>&, std::stop_token>)
    [[nodiscard]] question question_of(const run_options& /*options*/, F&& function) {
  static_assert(answer<body_result_t<F>>, "A condition returns bool or a whole number.");
  const boost::intrusive_ptr<recorded_functions> owner(new recorded_functions);
  question made;
  made.function = &owner->add(std::forward<F>(function));
  made.number = &whole_number<std::int64_t>;
  made.is_unsigned = std::is_unsigned_v<body_result_t<F>>;
  made.owner = owner;
  return made;
}

}  // namespace detail
}  // namespace hocket
