// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <new>
#include <span>
#include <stop_token>
#include <type_traits>
#include <utility>
#include <vector>

#include <boost/container/small_vector.hpp>
#include <boost/smart_ptr/intrusive_ref_counter.hpp>

#include <hocket/scheduler/detail/body_task.hpp>
#include <hocket/scheduler/detail/plan_function.hpp>
#include <hocket/scheduler/detail/recorded_order.hpp>
#include <hocket/scheduler/detail/task_handle.hpp>

namespace hocket {

struct task_options;

namespace detail {

class recorded_functions;
using recorded_functions_ptr = boost::intrusive_ptr<const recorded_functions>;

/// A host function that a recording keeps.
class recorded_function : public plan_function {
 public:
  /// Starts a task that calls the function and has its result. The task keeps the owner.
  [[nodiscard]] virtual task_state_ptr start(recorded_functions_ptr owner, host_context& context,
                                             host_options options,
                                             std::span<const task_state_ptr> after) = 0;
};

/// Calls a recorded function, and returns what it does.
template <class Result>
using recorded_call = Result (*)(recorded_function&, const std::stop_token&);

/// Starts a task that calls the function. A template only of the result, so that a program does not
/// have the machinery of a task once more for each function.
template <class Result, bool Listens>
[[nodiscard, gnu::noinline]] task_state_ptr start_recorded(
    recorded_functions_ptr owner, recorded_function& function, recorded_call<Result> call,
    host_context& context, host_options&& options, std::span<const task_state_ptr> after) {
  if constexpr (Listens) {
    return launch(
        &context, std::move(options),
        [kept = std::move(owner), &function, call](const std::stop_token& stop) -> Result {
          return call(function, stop);
        },
        after);
  } else {
    return launch(
        &context, std::move(options),
        [kept = std::move(owner), &function, call]() -> Result { return call(function, {}); },
        after);
  }
}

template <class F>
class recorded_function_of final : public recorded_function {
  using result_type = body_result_t<F>;

 public:
  template <class G>
  explicit recorded_function_of(std::in_place_t, G&& body) : body_(std::forward<G>(body)) {}

  task_state_ptr start(recorded_functions_ptr owner, host_context& context, host_options options,
                       std::span<const task_state_ptr> after) override {
    return start_recorded<result_type, takes_stop_token<F>>(std::move(owner), *this,
                                                            &recorded_function_of::result_of,
                                                            context, std::move(options), after);
  }

  void call(const plan_call& in) override { static_cast<void>(result(in.stop)); }

  std::int64_t ask(const plan_call& in) override {
    if constexpr (std::is_integral_v<result_type>) {
      return static_cast<std::int64_t>(result(in.stop));
    } else {
      return recorded_function::ask(in);
    }
  }

 private:
  static result_type result_of(recorded_function& which, const std::stop_token& stop) {
    return static_cast<recorded_function_of&>(which).result(stop);
  }

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
    constexpr bool is_mere_memory = std::is_trivially_destructible_v<std::decay_t<F>>;
    if constexpr (takes_stop_token<std::decay_t<F>>) listens_ = true;
    if constexpr (!is_mere_memory) expect_one();
    void* const place = take_memory(sizeof(made_type), alignof(made_type));
    auto* const made = ::new (place) made_type(std::in_place, std::forward<F>(body));
    if constexpr (!is_mere_memory) to_destroy_.back() = made;
    return *made;
  }

  /// Drops the function, the one that was added last.
  void take_back(const recorded_function& last) noexcept;

  /// Keeps the functions of another recording, which are used by this one too.
  void keep(const recorded_functions_ptr& other) {
    others_.push_back(other);
    listens_ = listens_ || other->listens();
  }

  /// True if some function looks at its stop token.
  [[nodiscard]] bool listens() const noexcept { return listens_; }

 private:
  [[nodiscard]] void* take_memory(std::size_t bytes, std::size_t alignment) {
    const std::uintptr_t place = (free_ + alignment - 1) / alignment * alignment;
    if (place + bytes > end_) {
      open_chunk(bytes + alignment);
      return take_memory(bytes, alignment);
    }
    free_ = place + bytes;
    return reinterpret_cast<void*>(place);  // NOLINT(performance-no-int-to-ptr)
  }
  void open_chunk(std::size_t least);
  /// One more function is to be destroyed, once it is there.
  void expect_one();

  std::uintptr_t free_ = 0;  // in the last chunk
  std::uintptr_t end_ = 0;   // of it
  std::vector<std::unique_ptr<std::byte[]>> chunks_;
  std::vector<recorded_function*> to_destroy_;  // null for one whose constructor threw
  std::vector<recorded_functions_ptr> others_;
  bool listens_ = false;
};

/// What tasks are recorded into.
class recording {
 public:
  /// Of all recordings of the process only this one has the number.
  explicit recording(std::uint32_t number) : number_(number) {}
  recording(const recording&) = delete;
  recording& operator=(const recording&) = delete;

  /// Keeps a function and returns what stands for its tasks.
  template <class F>
  [[nodiscard]] task_handle keep(const task_options& options, F&& body) {
    return add(options, functions_->add(std::forward<F>(body)));
  }
  /// The same without options but futures that the function comes after.
  template <class Futures, class F>
  [[nodiscard]] task_handle keep(const Futures& after, F&& body) {
    return place_after(after, functions_->add(std::forward<F>(body)));
  }

 protected:
  ~recording() = default;

  [[nodiscard]] const boost::intrusive_ptr<recorded_functions>& functions() const noexcept {
    return functions_;
  }

  /// Where functions go first, as long as it is not null.
  void set_order(recorded_order* order) noexcept { order_ = order; }
  [[nodiscard]] std::uint32_t number() const noexcept { return number_; }

 private:
  template <class Futures>
  [[nodiscard]] task_handle place_after(const Futures& after, recorded_function& function) {
    if (order_ != nullptr) {
      const std::uint32_t index = order_->try_add(function, after, number_);
      if (index != recorded_order::none) return task_handle(place_in_recording{number_, index});
    }
    return add_after(after, function);
  }
  template <class Futures>
  [[nodiscard, gnu::noinline]] task_handle add_after(const Futures& after,
                                                     recorded_function& function) {
    boost::container::small_vector<task_handle, 4> handles;
    for (const auto& each : after) handles.push_back(each.handle());
    return add({handles.data(), handles.size()}, function);
  }

  /// Adds the task of the function that was kept last, or throws and takes it back.
  [[nodiscard]] virtual task_handle add(const task_options& options,
                                        recorded_function& function) = 0;
  [[nodiscard]] virtual task_handle add(std::span<const task_handle> after,
                                        recorded_function& function) = 0;

  std::uint32_t number_;
  recorded_order* order_ = nullptr;
  boost::intrusive_ptr<recorded_functions> functions_{new recorded_functions};
};

}  // namespace detail
}  // namespace hocket
