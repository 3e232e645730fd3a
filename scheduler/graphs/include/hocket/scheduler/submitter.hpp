// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <array>
#include <atomic>
#include <concepts>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>

#include <hocket/core/never_destroyed.hpp>
#include <hocket/kernels/family.hpp>
#include <hocket/kernels/ops.hpp>
#include <hocket/scheduler/access.hpp>
#include <hocket/scheduler/condition.hpp>
#include <hocket/scheduler/detail/arguments.hpp>
#include <hocket/scheduler/detail/description.hpp>
#include <hocket/scheduler/detail/graph_use.hpp>
#include <hocket/scheduler/detail/host_function.hpp>
#include <hocket/scheduler/detail/launch_lane.hpp>
#include <hocket/scheduler/future.hpp>
#include <hocket/scheduler/graph.hpp>
#include <hocket/scheduler/run_options.hpp>
#include <hocket/scheduler/task_options.hpp>

namespace hocket {

namespace detail {
class untyped_submitter;
}

template <class K>
concept kernel_or_family = typed_kernel<K> || kernel_family<K>;

/// What tasks are given to: a runtime, which runs them, or a recorder, which keeps them for a
/// graph. Functions that take a submitter work with both. All functions may be called from any
/// thread, also from tasks; the tasks of one thread come in the order of its calls.
///
/// ```cpp
/// const auto smooth = [](submitter& s, const buffer<float>& x) {
///   s.submit({.label = "smooth"}, [](buffer_view<float> v) { v(0) = (v(0) + v(1)) / 2; },
///            updates(x));
/// };
/// runtime rt;
/// const buffer<float> x{rt, 100, 1.0f};
/// smooth(rt, x);                                                        // now
/// rt.run(rt.record([&](submitter& s) { smooth(s, x); })).get();         // as a graph
/// const future<int> answer = rt.async([] { return 42; });               // without data
/// rt.async({.after = {answer}}, [] { std::printf("asked\n"); }).get();
/// ```
class submitter {
 public:
  submitter() = default;
  submitter(const submitter&) = delete;
  submitter& operator=(const submitter&) = delete;
  virtual ~submitter() = default;

  /// Submits one launch of a kernel, or of the member of a family that fits the arguments. They are
  /// numbers (or futures of numbers) and accesses, in the order of the kernel's signature.
  ///
  /// Order: after every earlier task whose accesses conflict with these, as if all tasks ran one
  /// after the other. Failure: if a task fails, what reads its outputs does not run, and fails with
  /// the chain of labels, until another task writes them anew. Throws usage_error for arguments
  /// that do not fit together, and for a task that is too large for every device.
  template <kernel_or_family K, class... Args>
  auto submit(const task_options& options, const K& kernel, const Args&... args) {
    if constexpr ((detail::task_argument<Args> && ...)) {
      const auto& chosen = resolve<typename detail::descriptor<Args>::type...>(kernel);
      using chosen_kernel = std::remove_cvref_t<decltype(chosen)>;
      chosen_kernel::template assert_accepts<typename detail::descriptor<Args>::type...>();
      return launch<typename chosen_kernel::value_type>(&options, chosen.definition(), args...);
    } else {
      return detail::refuse_arguments<Args...>();
    }
  }
  template <kernel_or_family K, class... Args>
  auto submit(const K& kernel, const Args&... args) {
    if constexpr ((detail::task_argument<Args> && ...)) {
      const auto& chosen = resolve<typename detail::descriptor<Args>::type...>(kernel);
      using chosen_kernel = std::remove_cvref_t<decltype(chosen)>;
      chosen_kernel::template assert_accepts<typename detail::descriptor<Args>::type...>();
      using value = typename chosen_kernel::value_type;
      if constexpr (sizeof...(Args) == 0) {
        // Pairs with the release where it is found.
        detail::launch_lane* const lane = lane_.load(std::memory_order_acquire);
        if (lane != nullptr) {
          const detail::pending_place place(runs_functions_);
          return future<value>(lane->launch(chosen.definition(), &detail::make_device_task<value>));
        }
      }
      return launch<value>(nullptr, chosen.definition(), args...);
    } else {
      return detail::refuse_arguments<Args...>();
    }
  }

  /// Submits a function that runs on the host, once its accesses are in host memory: it is called
  /// with views, buffer_view<const T, R> for reads and buffer_view<T, R> for writes and updates,
  /// and with numbers. What it returns is the future's value, which may be of any type that can be
  /// moved; so may the function. In a recording only numbers are kept. Order and failure as above.
  template <class F, class First, class... Args>
  requires(!kernel_or_family<F> &&
           !std::same_as<F, task_options>) auto submit(const task_options& options, F function,
                                                       const First& first, const Args&... args) {
    if constexpr (detail::function_of<F, First, Args...>) {
      return submit_function(options, std::move(function), first, args...);
    } else {
      return detail::refuse_function<F, First, Args...>();
    }
  }
  template <class F, class First, class... Args>
  requires(!kernel_or_family<F> &&
           !std::same_as<F, task_options>) auto submit(F function, const First& first,
                                                       const Args&... args) {
    return submit(task_options{}, std::move(function), first, args...);
  }

  template <class F>
  requires(!kernel_or_family<F>) auto submit(const task_options& /*options*/,
                                             const F& /*function*/) {
    return detail::refuse_without_accesses<F>();
  }
  template <class F>
  requires(!kernel_or_family<F>) auto submit(const F& /*function*/) {
    return detail::refuse_without_accesses<F>();
  }

  /// Submits a function without accesses. It runs on a worker, or in a thread that waits for it.
  template <class F>
  auto async(const task_options& options, F&& function) {
    if constexpr (detail::function_of_async<F>) {
      using value = detail::body_result_t<F>;
      if (runs_functions_ != nullptr && detail::has_only_after(options)) {
        return async(options.after, std::forward<F>(function));
      }
      const host_target to = for_functions();
      if (to.recording != nullptr) {
        return future<value>(to.recording->keep(options, std::forward<F>(function)));
      }
      const detail::pending_place place(to.context);
      return future<value>(detail::launch(to.context, detail::host_options_of(options, to.context),
                                          std::forward<F>(function),
                                          detail::states_of(options.after.all())));
    } else {
      return detail::refuse_function_of_async<F>();
    }
  }
  template <class F>
  requires(!std::same_as<std::remove_cvref_t<F>, task_options>) auto async(F&& function) {
    if constexpr (detail::function_of_async<F>) {
      using value = detail::body_result_t<F>;
      if (runs_functions_ != nullptr) {
        const detail::pending_place place(runs_functions_);
        return future<value>(
            detail::launch(detail::in_runtime(), *runs_functions_, std::forward<F>(function)));
      }
      const host_target to = for_functions();
      if (to.recording != nullptr) {
        return future<value>(
            to.recording->keep(std::span<const any_future>(), std::forward<F>(function)));
      }
      const detail::pending_place place(to.context);
      return future<value>(detail::launch(*to.context, std::forward<F>(function)));
    } else {
      return detail::refuse_function_of_async<F>();
    }
  }

  /// The same with no other option than what the function runs after: futures one after the other,
  /// in a container or in a view. Costs less than options do.
  template <detail::range_of_futures After, class F>
  auto async(const After& after, F&& function) {
    if constexpr (detail::function_of_async<F>) {
      using value = detail::body_result_t<F>;
      if (runs_functions_ != nullptr) {
        const detail::pending_place place(runs_functions_);
        return future<value>(detail::launch_after_all(after, std::forward<F>(function),
                                                      *runs_functions_, detail::in_runtime()));
      }
      const host_target to = for_functions();
      if (to.recording != nullptr) {
        return future<value>(to.recording->keep(after, std::forward<F>(function)));
      }
      return future<value>(launch_in(*to.context, after, std::forward<F>(function)));
    } else {
      return detail::refuse_function_of_async<F>();
    }
  }
  /// Submits the function after one future.
  template <detail::any_kind_of_future After, class F>
  auto async(const After& after, F&& function) {
    return async(std::span<const After>(&after, 1), std::forward<F>(function));
  }
  /// Arguments that belong to submit().
  template <class F, class First, class... Args>
  requires(!std::is_convertible_v<const F&, const task_options&> && !detail::range_of_futures<F> &&
           !detail::any_kind_of_future<F>) auto async(const F&, const First&, const Args&...) {
    return detail::refuse_arguments_of_async<F>();
  }

  /// Submits every task of the graph: in a recording they become tasks of it. Runs are ordered by
  /// their data, as tasks are; runs of functions without accesses go on side by side. The future
  /// ends when all tasks have, and fails as the first of them, in the order of the recording, that
  /// failed. To cancel it is to cancel those that have not started. Throws usage_error if the graph
  /// belongs to another runtime, or has no such parameter.
  future<void> run(const run_options& options, const graph& what, settings with = {});
  future<void> run(const graph& what, settings with = {}) {
    return run(run_options{}, what, std::move(with));
  }

  /// Runs one graph if the condition holds, and else the other one, if there is one. In a
  /// recording the condition is asked in every run.
  ///
  /// A condition is a function that returns bool (it may take a std::stop_token), a function with
  /// accesses, made by when(), or a future. A body is a graph, or a function that records one:
  /// [&](submitter& s) {...}.
  ///
  /// Order: a condition is one task that updates whole every buffer that one of its bodies writes,
  /// and reads those that one reads. Tasks before it that conflict have ended when it is asked, and
  /// those after it wait for its end, whichever body was chosen. Failure: if the condition or a
  /// task of the body fails, or is cancelled, this task does, and with it fails what reads a buffer
  /// that any of the bodies writes.
  template <class Condition, class Then>
  future<void> run_if(const run_options& options, Condition&& condition, Then&& then) {
    return choose(options, detail::choice_rule::if_true, std::forward<Condition>(condition), then);
  }
  template <class Condition, class Then>
  requires(!std::same_as<std::remove_cvref_t<Condition>, run_options>) future<void> run_if(
      Condition&& condition, Then&& then) {
    return run_if(run_options{}, std::forward<Condition>(condition), then);
  }
  template <class Condition, class Then, class Else>
  future<void> run_if(const run_options& options, Condition&& condition, Then&& then,
                      Else&& otherwise) {
    return choose(options, detail::choice_rule::if_true, std::forward<Condition>(condition), then,
                  otherwise);
  }
  template <class Condition, class Then, class Else>
  requires(!std::same_as<std::remove_cvref_t<Condition>, run_options>) future<void> run_if(
      Condition&& condition, Then&& then, Else&& otherwise) {
    return run_if(run_options{}, std::forward<Condition>(condition), then, otherwise);
  }

  /// Runs the graph of that number, counted from zero. The choice is what a condition is, with a
  /// whole number for its answer; the task fails if there is no graph of that number. Otherwise as
  /// run_if.
  template <class Choice>
  future<void> run_one_of(const run_options& options, Choice&& choice,
                          const std::vector<graph>& graphs) {
    detail::graph_use use =
        choice_among(options, detail::choice_rule::by_number, std::forward<Choice>(choice), graphs);
    return submit_use(std::move(use));
  }
  template <class Choice>
  future<void> run_one_of(Choice&& choice, const std::vector<graph>& graphs) {
    return run_one_of(run_options{}, std::forward<Choice>(choice), graphs);
  }

  /// Runs the body again and again, as long as the condition holds, which is asked before each
  /// round, and at most so many times. Otherwise as run_if; the condition is no future.
  template <class Condition, class Body>
  future<void> run_while(const run_options& options, Condition&& condition, Body&& body,
                         std::uint64_t at_most = detail::graph_use::unlimited) {
    return repeat(options, detail::choice_rule::if_true, std::forward<Condition>(condition), body,
                  at_most);
  }
  template <class Condition, class Body>
  requires(!std::same_as<std::remove_cvref_t<Condition>, run_options>) future<void> run_while(
      Condition&& condition, Body&& body, std::uint64_t at_most = detail::graph_use::unlimited) {
    return run_while(run_options{}, std::forward<Condition>(condition), body, at_most);
  }

  /// Runs the body until the condition holds, which is asked after each round, and at most so many
  /// times. Otherwise as run_while.
  template <class Condition, class Body>
  future<void> run_until(const run_options& options, Condition&& condition, Body&& body,
                         std::uint64_t at_most = detail::graph_use::unlimited) {
    return repeat(options, detail::choice_rule::if_false, std::forward<Condition>(condition), body,
                  at_most);
  }
  template <class Condition, class Body>
  requires(!std::same_as<std::remove_cvref_t<Condition>, run_options>) future<void> run_until(
      Condition&& condition, Body&& body, std::uint64_t at_most = detail::graph_use::unlimited) {
    return run_until(run_options{}, std::forward<Condition>(condition), body, at_most);
  }

  /// The runtime that runs the tasks, now or when the graph is run.
  [[nodiscard]] virtual runtime& home() noexcept = 0;

 protected:
  /// Where functions go: one of the two is null.
  struct host_target {
    detail::host_context* context = nullptr;  ///< tasks start at once, in this
    detail::recording* recording = nullptr;
  };

  /// What in_place() returns, once it was found.
  std::atomic<detail::launch_lane*> lane_{nullptr};
  /// Where functions go, of a runtime; asked without a call.
  detail::host_context* runs_functions_ = nullptr;

 private:
  friend class task_scope;
  friend class detail::untyped_submitter;

  [[nodiscard]] virtual host_target for_functions() noexcept = 0;
  /// Where tasks with data go as they stand here; null where they are described first.
  [[nodiscard]] detail::launch_lane* in_place() {
    // Pairs with the release where it is found.
    detail::launch_lane* const known = lane_.load(std::memory_order_acquire);
    return known != nullptr ? known : find_in_place_lane();
  }
  [[nodiscard]] virtual detail::launch_lane* find_in_place_lane() { return nullptr; }
  [[nodiscard]] virtual detail::task_state_ptr enqueue(detail::task_description&& task) = 0;
  [[nodiscard]] virtual detail::task_state_ptr enqueue(detail::graph_use&& use) = 0;

  /// For a scope, or a runtime with a limit or a trace. Not inlined, so that async() is.
  template <class After, class F>
  [[gnu::noinline]] static detail::task_state_ptr launch_in(detail::host_context& context,
                                                            const After& after, F&& function) {
    const detail::pending_place place(&context);
    return detail::launch_after_all(after, std::forward<F>(function), context);
  }

  template <class Value, class Kernel, class F, class... Args>
  future<Value> launch_function(const task_options& options, F function, detail::value_box* box,
                                const Args&... args) {
    const detail::pending_place place(for_functions().context);
    if (detail::launch_lane* const lane = in_place()) {
      static const never_destroyed<kernel_ref> shared{
          detail::kernel_of_functions(*Kernel{unlabelled_function}.definition())};
      detail::launch_function body = Kernel::body_of(std::move(function));
      const detail::taken_function taken{&body, detail::function_bytes<F>, box};
      return launch_in_place_lane<Value>(*lane, &options, shared.get(), taken, args...);
    }
    std::string name =
        options.label.empty() ? unlabelled_function : std::string(options.label.text());
    const Kernel whole{std::move(name), host_body{std::move(function)}};
    const detail::taken_function described{nullptr, detail::function_bytes<F>, box};
    return launch_described<Value>(options, whole.definition(), &described, args...);
  }

  template <class F, class First, class... Args>
  auto submit_function(const task_options& options, F function, const First& first,
                       const Args&... args) {
    using result = std::remove_cvref_t<
        std::invoke_result_t<F&, detail::body_argument_t<First>, detail::body_argument_t<Args>...>>;
    auto body =
        detail::as_host_body<detail::body_argument_t<First>, detail::body_argument_t<Args>...>(
            std::move(function));
    if constexpr (number_element<result>) {
      return launch_function<result,
                             kernel<returns<result>, typename detail::descriptor<First>::type,
                                    typename detail::descriptor<Args>::type...>>(
          options, std::move(body), nullptr, first, args...);
    } else {
      using made_kernel = kernel<typename detail::descriptor<First>::type,
                                 typename detail::descriptor<Args>::type...>;
      if constexpr (std::is_void_v<result>) {
        return launch_function<void, made_kernel>(options, std::move(body), nullptr, first,
                                                  args...);
      } else {
        static_assert(std::is_move_constructible_v<result>,
                      "What a function with accesses returns must be movable.");
        boost::intrusive_ptr<detail::value_box_of<result>> box;
        if (for_functions().recording == nullptr) box = new detail::value_box_of<result>;
        detail::boxing_function<result, decltype(body), detail::body_argument_t<First>,
                                detail::body_argument_t<Args>...>
            boxing(std::move(body), box);
        return launch_function<result, made_kernel>(options, std::move(boxing), box.get(), first,
                                                    args...);
      }
    }
  }

  template <class Value, class... Args>
  future<Value> launch(const task_options* options, const kernel_ref& kernel, const Args&... args) {
    const detail::pending_place place(runs_functions_ != nullptr ? runs_functions_
                                                                 : for_functions().context);
    return launch_in_place<Value>(options, kernel, args...);
  }

  /// The same for a task that is submitted as a part of another one. That one has its place among
  /// the pending tasks already: a part that waited for a place of its own could wait for ever.
  template <kernel_or_family K, class... Args>
  void submit_part(const K& kernel, const Args&... args) {
    const auto& chosen = resolve<typename detail::descriptor<Args>::type...>(kernel);
    using value = typename std::remove_cvref_t<decltype(chosen)>::value_type;
    (void)launch_in_place<value>(nullptr, chosen.definition(), args...);
  }

  template <class Value, class... Args>
  future<Value> launch_in_place(const task_options* options, const kernel_ref& kernel,
                                const Args&... args) {
    if (detail::launch_lane* const lane = in_place()) {
      return launch_in_place_lane<Value>(*lane, options, kernel, {}, args...);
    }
    if (options != nullptr) return launch_described<Value>(*options, kernel, nullptr, args...);
    return launch_described<Value>(task_options{}, kernel, nullptr, args...);
  }

  template <class Value, class... Args>
  future<Value> launch_in_place_lane(detail::launch_lane& lane, const task_options* options,
                                     const kernel_ref& kernel, detail::taken_function function,
                                     const Args&... args) {
    const std::tuple<decltype(prepare(args))...> prepared(prepare(args)...);
    const auto named = std::apply(
        [&](const auto&... ready) { return detail::in_place_arguments(*kernel, ready...); },
        prepared);
    future<Value> made(
        lane.launch(named.launch_of(kernel, options, function, &detail::make_device_task<Value>)));
    std::apply([&](const auto&... ready) { (conclude(ready), ...); }, prepared);
    return made;
  }

  /// function: that of the kernel, if it has no other body.
  template <class Value, class... Args>
  future<Value> launch_described(const task_options& options, const kernel_ref& kernel,
                                 const detail::taken_function* function, const Args&... args) {
    detail::task_description task = detail::described(options, kernel, function != nullptr);
    if (function != nullptr) {
      task.function_bytes = function->bytes;
      task.box = function->box;
    }
    task.make_state = &detail::make_device_task<Value>;
    task.arguments.reserve(sizeof...(args));
    auto prepared = std::make_tuple(prepare(args)...);
    std::apply([&](const auto&... ready) { (detail::add_argument(task, ready), ...); }, prepared);
    future<Value> made(enqueue(std::move(task)));
    std::apply([&](const auto&... ready) { (conclude(ready), ...); }, prepared);
    return made;
  }

  future<void> submit_use(detail::graph_use&& use);
  template <class Condition>
  [[nodiscard]] static detail::graph_use choice_among(const run_options& options,
                                                      detail::choice_rule rule,
                                                      Condition&& condition,
                                                      const std::vector<graph>& graphs) {
    detail::graph_use use = detail::use_of(options, graphs);
    use.rule = rule;
    if constexpr (requires { detail::question_of(options, std::forward<Condition>(condition)); }) {
      use.ask = detail::question_of(options, std::forward<Condition>(condition));
    } else {
      detail::refuse_condition<Condition>();
    }
    return use;
  }
  template <class Condition, class... Bodies>
  future<void> choose(const run_options& options, detail::choice_rule rule, Condition&& condition,
                      Bodies&... bodies) {
    const std::vector<graph> graphs{detail::recorded(home(), bodies)...};
    return submit_use(choice_among(options, rule, std::forward<Condition>(condition), graphs));
  }
  template <class Condition, class Body>
  future<void> repeat(const run_options& options, detail::choice_rule rule, Condition&& condition,
                      Body& body, std::uint64_t at_most) {
    static_assert(!detail::is_future<std::remove_cvref_t<Condition>>,
                  "A loop asks again and again, and a future has one answer: give it a function.");
    const std::vector<graph> graphs{detail::recorded(home(), body)};
    detail::graph_use use = choice_among(options, rule, std::forward<Condition>(condition), graphs);
    use.at_most = at_most;
    use.asks_first = rule == detail::choice_rule::if_true;
    return submit_use(std::move(use));
  }

  /// Accesses that stand for several tasks become ordinary ones here.
  template <class A>
  const A& prepare(const A& plain) {
    return plain;
  }
  template <element T, std::size_t R>
  auto prepare(const scratch_access<T, R>& wanted) {
    return writes(buffer<T, R>(home(), wanted.extents, "scratch"));
  }
  template <element T, std::size_t R, class Op>
  auto prepare(const reduction_access<T, R, Op>& wanted);

  template <class A>
  void conclude(const A&) {}
  template <element T, std::size_t R, class Op>
  void conclude(const detail::partial<T, R, Op>& partial);
};

}  // namespace hocket

#include <hocket/scheduler/detail/submitter_impl.hpp>
