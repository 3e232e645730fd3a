// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <functional>
#include <span>
#include <stop_token>
#include <type_traits>
#include <utility>

#include <boost/smart_ptr/intrusive_ref_counter.hpp>

#include <hocket/scheduler/detail/host_task.hpp>

namespace hocket::detail {

/// A host function that a recording keeps, and how it is to be run. It is used once for each run,
/// perhaps by several runs at once.
class recorded_function : public boost::intrusive_ref_counter<recorded_function> {
 public:
  explicit recorded_function(host_options&& options) : options_(std::move(options)) {}
  recorded_function(const recorded_function&) = delete;
  recorded_function& operator=(const recorded_function&) = delete;
  virtual ~recorded_function() = default;

  [[nodiscard]] const host_options& options() const noexcept { return options_; }

  /// Starts a task that calls the function and has its result.
  [[nodiscard]] virtual completion_ptr start(host_context& context,
                                             std::span<const completion_ptr> after) = 0;

  /// Calls the function here and drops its result; throws what it throws.
  virtual void call(const std::stop_token& stop) = 0;

  /// True if the function looks at the stop token.
  [[nodiscard]] virtual bool listens() const noexcept = 0;

 private:
  host_options options_;
};

using recorded_function_ptr = boost::intrusive_ptr<recorded_function>;

template <class F>
class recorded_function_of final : public recorded_function {
 public:
  template <class G>
  recorded_function_of(host_options&& options, G&& body)
      : recorded_function(std::move(options)), body_(std::forward<G>(body)) {}

  completion_ptr start(host_context& context, std::span<const completion_ptr> after) override {
    const boost::intrusive_ptr<recorded_function_of> self(this);
    if constexpr (takes_stop_token<F>) {
      return launch(
          &context, host_options(options()),
          [self](std::stop_token stop) -> decltype(auto) {
            return std::invoke(self->body_, std::move(stop));
          },
          after);
    } else {
      return launch(
          &context, host_options(options()),
          [self]() -> decltype(auto) { return std::invoke(self->body_); }, after);
    }
  }

  void call(const std::stop_token& stop) override {
    if constexpr (takes_stop_token<F>) {
      static_cast<void>(std::invoke(body_, stop));
    } else {
      static_cast<void>(std::invoke(body_));
    }
  }

  [[nodiscard]] bool listens() const noexcept override { return takes_stop_token<F>; }

 private:
  F body_;
};

template <class F>
[[nodiscard]] recorded_function_ptr recorded(host_options&& options, F&& body) {
  return new recorded_function_of<std::decay_t<F>>(std::move(options), std::forward<F>(body));
}

}  // namespace hocket::detail
