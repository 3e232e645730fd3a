// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <type_traits>
#include <utility>

#include <hocket/scheduler/detail/host_task.hpp>
#include <hocket/scheduler/detail/task_memory.hpp>
#include <hocket/scheduler/detail/task_runner.hpp>
#include <hocket/scheduler/detail/task_starter.hpp>

namespace hocket::detail {

template <class F>
inline constexpr bool takes_stop_token = std::is_invocable_v<F&, std::stop_token>;

template <class F, bool TakesToken = takes_stop_token<F>>
struct body_result {
  using type = std::remove_cvref_t<std::invoke_result_t<F&>>;
};
template <class F>
struct body_result<F, true> {
  using type = std::remove_cvref_t<std::invoke_result_t<F&, std::stop_token>>;
};

/// What a future of the function holds.
template <class F>
using body_result_t = typename body_result<std::decay_t<F>>::type;

/// A function that async() takes. The concept asks only for types that body_result_t needs as well.
template <class F>
concept function_of_async = takes_stop_token<std::decay_t<F>> || requires {
  typename std::invoke_result<std::decay_t<F>&>::type;
};

/// A body's own stop source, for bodies that listen to it.
template <bool Listens>
struct body_stop {
  std::stop_source source;
};
template <>
struct body_stop<false> {};

/// Makes edges in the memory that lies behind a task, and has it wait for the ends of all of these.
inline void expect_ends_of(host_task& task, void* behind, std::span<const task_state_ptr> after) {
  auto* const edges = static_cast<host_edge*>(behind);
  std::uninitialized_copy(after.begin(), after.end(), edges);
  task.before().expect(task, {edges, after.size()}, 0);
}

/// A host task with its function and its result.
template <class F>
class body_task final : public host_task {
  friend class task_runner;
  using result_type = body_result_t<F>;
  static constexpr bool listens = takes_stop_token<F>;
  static constexpr bool has_result = !std::is_void_v<result_type>;
  struct nothing {};
  /// One that is straight and has ended well has nothing in it that has to be destroyed.
  static constexpr bool ends_empty =
      !listens && (!has_result || std::is_trivially_destructible_v<result_type>);

 public:
  /// With an edge behind it to each of those.
  template <class G>
  body_task(host_context* context, host_options&& options, G&& body,
            std::span<const task_state_ptr> after)
      : host_task(context, std::move(options)), body_(std::forward<G>(body)) {
    expect_ends_of(*this, this + 1, after);
  }
  template <class G>
  body_task(host_context& context, G&& body) : host_task(context), body_(std::forward<G>(body)) {}
  template <class G>
  body_task(in_runtime mark, host_context& context, G&& body)
      : host_task(mark, context, context.only_counts(), context.has_nodes()),
        body_(std::forward<G>(body)) {}

 protected:
  void execute() override {
    if constexpr (has_result) {
      result_.emplace(call());
      outcome().set_value(&*result_);
    } else {
      call();
    }
  }
  void discard() noexcept override { body_.reset(); }
  void end_well(ready_list& next) noexcept override {
    body_.reset();
    announce(next);
  }
  void request_stop() noexcept override {
    if constexpr (listens) stop_.source.request_stop();
  }
  [[nodiscard]] bool stop_requested() const noexcept override {
    if constexpr (listens) {
      return stop_.source.stop_requested() || stop().stop_requested();
    } else {
      return stop().stop_requested();
    }
  }

 private:
  decltype(auto) call() {
    if constexpr (listens) {
      const auto pass_on = [this] { stop_.source.request_stop(); };
      const std::stop_callback by_user(stop(), pass_on);
      const std::stop_callback by_runtime(
          context() == nullptr ? std::stop_token{} : context()->stop().token(), pass_on);
      return std::invoke(*body_, stop_.source.get_token());
    } else {
      return std::invoke(*body_);
    }
  }

  /// Returns false if the function has thrown, and keeps what became of it.
  [[nodiscard]] bool execute_or_fail() noexcept {
    if (context()->trace() != nullptr) [[unlikely]]
      return task_runner::execute_traced(*this);
    try {
      execute();
      return true;
    } catch (...) {
      outcome().settle(explain_failure());
      return false;
    }
  }

  /// What is to be destroyed when it has ended well.
  void release_body(bool /*is_unknown*/) noexcept {
    body_.reset();
    if (ends_empty) leave_nothing();
  }

  [[nodiscard]] bool run_inline(ready_list& next) noexcept override {
    return task_runner::run_inline_as(*this, next);
  }

  std::optional<F> body_;
  [[no_unique_address]] std::conditional_t<
      has_result, std::optional<std::conditional_t<has_result, result_type, nothing>>, nothing>
      result_;
  [[no_unique_address]] body_stop<listens> stop_;
};

/// Makes a host task and starts it: it runs once all of `after` have ended well. Without a context
/// the predecessors must have ended, and it runs at once, here.
template <class F>
[[nodiscard]] task_state_ptr launch(host_context* context, host_options options, F&& body,
                                    std::span<const task_state_ptr> after = {}) {
  const time_stamp deadline = options.deadline;
  const boost::intrusive_ptr<host_task> made = make_task<body_task<std::decay_t<F>>>(
      after.size() * sizeof(host_edge), context, std::move(options), std::forward<F>(body), after);
  if (deadline == time_stamp::max()) {
    task_starter::start(*made);
  } else {
    task_starter::start(*made, deadline);
  }
  return made;
}

/// The same for what waits for nothing and has no options.
template <class F>
[[nodiscard]] task_state_ptr launch(host_context& context, F&& body) {
  host_task* const made =
      task_memory::make<body_task<std::decay_t<F>>>(2, 0, context, std::forward<F>(body));
  task_starter::start_at_once(*made, context);
  return {made, false};
}
/// The same in a runtime.
template <class F>
[[nodiscard]] task_state_ptr launch(in_runtime mark, host_context& context, F&& body) {
  using task = body_task<std::decay_t<F>>;
  host_task* const made = task_memory::make<task>(2, 0, mark, context, std::forward<F>(body));
  task_starter::start_at_once(*made, context, task_runner::run_inline_item<task>);
  return {made, false};
}
/// And for what waits for one task.
template <class F>
[[nodiscard]] task_state_ptr launch_after(in_runtime mark, host_context& context,
                                          const task_state_ptr& after, F&& body) {
  using task = body_task<std::decay_t<F>>;
  auto* const made =
      task_memory::make<task>(2, sizeof(host_edge), mark, context, std::forward<F>(body));
  made->before().expect_only(*made, *::new (made + 1) host_edge(after));
  task_starter::start_with_edge(*made, context);
  return {made, false};
}

}  // namespace hocket::detail
