// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <concepts>
#include <functional>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>

#include <hocket/kernels/family.hpp>
#include <hocket/kernels/ops.hpp>
#include <hocket/scheduler/access.hpp>
#include <hocket/scheduler/detail/arguments.hpp>
#include <hocket/scheduler/detail/description.hpp>
#include <hocket/scheduler/future.hpp>
#include <hocket/scheduler/task_options.hpp>

namespace hocket {

template <class K>
concept kernel_or_family = typed_kernel<K> || kernel_family<K>;

/// What tasks are given to: a runtime, which runs them, or a recorder, which keeps them for a
/// graph. Functions that take a submitter work with both. All functions may be called from any
/// thread, also from tasks; the tasks of one thread come in the order of its calls.
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
    const auto& chosen = resolve<typename detail::descriptor<Args>::type...>(kernel);
    using chosen_kernel = std::remove_cvref_t<decltype(chosen)>;
    chosen_kernel::template assert_accepts<typename detail::descriptor<Args>::type...>();
    return launch<typename chosen_kernel::value_type>(options, chosen.definition(), false, args...);
  }
  template <kernel_or_family K, class... Args>
  auto submit(const K& kernel, const Args&... args) {
    return submit(task_options{}, kernel, args...);
  }

  /// Submits a function that runs on the host, once its accesses are in host memory: it is called
  /// with views, view<const T, R> for reads and view<T, R> for writes and updates, and with
  /// numbers. What it returns is the future's value. Order and failure as above.
  template <class F, class First, class... Args>
  requires(!kernel_or_family<F> &&
           !std::same_as<F, task_options>) auto submit(const task_options& options, F function,
                                                       const First& first, const Args&... args) {
    using result =
        std::invoke_result_t<F&, detail::body_argument_t<First>, detail::body_argument_t<Args>...>;
    std::string name = options.label.empty() ? "host function" : std::string(options.label.text());
    if constexpr (std::is_void_v<result>) {
      const kernel<typename detail::descriptor<First>::type,
                   typename detail::descriptor<Args>::type...>
          body{std::move(name), host_body{std::move(function)}};
      return launch<void>(options, body.definition(), true, first, args...);
    } else {
      const kernel<returns<result>, typename detail::descriptor<First>::type,
                   typename detail::descriptor<Args>::type...>
          body{std::move(name), host_body{std::move(function)}};
      return launch<result>(options, body.definition(), true, first, args...);
    }
  }
  template <class F, class First, class... Args>
  requires(!kernel_or_family<F> &&
           !std::same_as<F, task_options>) auto submit(F function, const First& first,
                                                       const Args&... args) {
    return submit(task_options{}, std::move(function), first, args...);
  }

  /// Submits a function without accesses. It runs on a worker, or in a thread that waits for it.
  template <class F>
  auto async(const task_options& options, F&& function) {
    using value = detail::body_result_t<F>;
    const host_target to = for_functions();
    if (to.recording != nullptr) {
      return future<value>(to.recording->keep(options, std::forward<F>(function)));
    }
    return future<value>(detail::launch(to.context, detail::host_options_of(options),
                                        std::forward<F>(function),
                                        detail::states_of(options.after.all())));
  }
  template <class F>
  requires(!std::same_as<std::remove_cvref_t<F>, task_options>) auto async(F&& function) {
    using value = detail::body_result_t<F>;
    const host_target to = for_functions();
    if (to.recording != nullptr) {
      return future<value>(to.recording->keep(task_options{}, std::forward<F>(function)));
    }
    return future<value>(detail::launch(to.context, {}, std::forward<F>(function)));
  }

  /// The runtime that runs the tasks, now or when the graph is run.
  [[nodiscard]] virtual runtime& home() noexcept = 0;

 protected:
  /// Where functions go: one of the two is null.
  struct host_target {
    detail::host_context* context = nullptr;  ///< tasks start at once, in this
    detail::recording* recording = nullptr;
  };

 private:
  [[nodiscard]] virtual host_target for_functions() noexcept = 0;
  [[nodiscard]] virtual detail::completion_ptr enqueue(detail::task_description&& task) = 0;

  template <class Value, class... Args>
  future<Value> launch(const task_options& options, const kernel_ref& kernel, bool host_only,
                       const Args&... args) {
    detail::task_description task = detail::described(options, kernel, host_only);
    task.make_state = [](detail::host_context* context, std::string label) -> detail::device_task* {
      return new detail::device_task_of<Value>(context, std::move(label));
    };
    task.arguments.reserve(sizeof...(args));
    auto prepared = std::make_tuple(prepare(args)...);
    std::apply([&](const auto&... ready) { (detail::add_argument(task, ready), ...); }, prepared);
    future<Value> made(enqueue(std::move(task)));
    std::apply([&](const auto&... ready) { (conclude(ready), ...); }, prepared);
    return made;
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
