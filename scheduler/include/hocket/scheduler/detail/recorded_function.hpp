// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory_resource>
#include <new>
#include <span>
#include <stop_token>
#include <type_traits>
#include <utility>
#include <vector>

#include <boost/smart_ptr/intrusive_ref_counter.hpp>

#include <hocket/scheduler/detail/host_task.hpp>

namespace hocket {

struct task_options;

namespace detail {

class recorded_functions;
using recorded_functions_ptr = boost::intrusive_ptr<const recorded_functions>;

/// A host function that a recording keeps. It is used once for each run, perhaps by several runs at
/// once.
class recorded_function {
 public:
  recorded_function() = default;
  recorded_function(const recorded_function&) = delete;
  recorded_function& operator=(const recorded_function&) = delete;
  virtual ~recorded_function() = default;

  /// Starts a task that calls the function and has its result. The task keeps the owner.
  [[nodiscard]] virtual completion_ptr start(recorded_functions_ptr owner, host_context& context,
                                             host_options options,
                                             std::span<const completion_ptr> after) = 0;

  /// Calls the function here and drops its result; throws what it throws.
  virtual void call(const std::stop_token& stop) = 0;

  /// The same of a function that returns bool or a whole number: returns that.
  [[nodiscard]] virtual std::int64_t ask(const std::stop_token& stop) = 0;
};

template <class F>
class recorded_function_of final : public recorded_function {
 public:
  template <class G>
  explicit recorded_function_of(std::in_place_t, G&& body) : body_(std::forward<G>(body)) {}

  completion_ptr start(recorded_functions_ptr owner, host_context& context, host_options options,
                       std::span<const completion_ptr> after) override {
    if constexpr (takes_stop_token<F>) {
      return launch(
          &context, std::move(options),
          [kept = std::move(owner), this](std::stop_token stop) -> decltype(auto) {
            return std::invoke(body_, std::move(stop));
          },
          after);
    } else {
      return launch(
          &context, std::move(options),
          [kept = std::move(owner), this]() -> decltype(auto) { return std::invoke(body_); },
          after);
    }
  }

  void call(const std::stop_token& stop) override { static_cast<void>(result(stop)); }

  std::int64_t ask(const std::stop_token& stop) override {
    if constexpr (std::is_integral_v<body_result_t<F>>) {
      return static_cast<std::int64_t>(result(stop));
    } else {
      call(stop);
      return 0;
    }
  }

 private:
  decltype(auto) result(const std::stop_token& stop) {
    if constexpr (takes_stop_token<F>) {
      return std::invoke(body_, stop);
    } else {
      return std::invoke(body_);
    }
  }

  [[no_unique_address]] F body_;
};

/// The functions of one recording, one after the other in memory. They go together, when nobody
/// needs any of them any more. One thread at a time adds.
class recorded_functions : public boost::intrusive_ref_counter<recorded_functions> {
 public:
  recorded_functions() = default;
  recorded_functions(const recorded_functions&) = delete;
  recorded_functions& operator=(const recorded_functions&) = delete;
  ~recorded_functions();

  template <class F>
  recorded_function& add(F&& body) {
    using made_type = recorded_function_of<std::decay_t<F>>;
    void* const place = memory_.allocate(sizeof(made_type), alignof(made_type));
    list_.push_back(nullptr);
    try {
      list_.back() = ::new (place) made_type(std::in_place, std::forward<F>(body));
    } catch (...) {
      list_.pop_back();
      throw;
    }
    if constexpr (takes_stop_token<std::decay_t<F>>) listens_ = true;
    return *list_.back();
  }

  /// Drops the function that was added last.
  void take_back() noexcept;

  /// Keeps the functions of another recording, which are used by this one too.
  void keep(const recorded_functions_ptr& other) {
    others_.push_back(other);
    listens_ = listens_ || other->listens();
  }

  /// True if some function looks at its stop token.
  [[nodiscard]] bool listens() const noexcept { return listens_; }

  /// In the order in which they were added. Another one may move the list.
  [[nodiscard]] std::span<recorded_function* const> list() const noexcept { return list_; }

 private:
  std::pmr::monotonic_buffer_resource memory_;
  std::vector<recorded_function*> list_;
  std::vector<recorded_functions_ptr> others_;
  bool listens_ = false;
};

/// What tasks are recorded into.
class recording {
 public:
  recording() = default;
  recording(const recording&) = delete;
  recording& operator=(const recording&) = delete;

  /// Keeps a function and returns what stands for its tasks.
  template <class F>
  [[nodiscard]] completion_ptr keep(const task_options& options, F&& body) {
    return add(options, functions_->add(std::forward<F>(body)));
  }
  template <class F>
  [[nodiscard]] completion_ptr keep(F&& body) {
    return add(functions_->add(std::forward<F>(body)));
  }

 protected:
  ~recording() = default;

  [[nodiscard]] const boost::intrusive_ptr<recorded_functions>& functions() const noexcept {
    return functions_;
  }

 private:
  /// Adds the task of the function that was kept last, or throws and takes it back.
  [[nodiscard]] virtual completion_ptr add(const task_options& options,
                                           recorded_function& function) = 0;
  /// Without options, which cost more than the rest to make and to drop.
  [[nodiscard]] virtual completion_ptr add(recorded_function& function) = 0;

  boost::intrusive_ptr<recorded_functions> functions_{new recorded_functions};
};

}  // namespace detail
}  // namespace hocket
