// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <cstdint>
#include <stop_token>

#include <hocket/core/error.hpp>

namespace hocket::detail {

class task_state;

/// What a function of a plan is called with.
struct plan_call {
  const std::stop_token& stop;
  task_state* run = nullptr;  ///< what stands for the run; null outside of runs
};

/// Thrown by a function of a plan that knows how to say why it failed.
struct failed_call {
  failure why;
};

/// What a run of a plan calls, once for each run, perhaps in several runs at once.
class plan_function {
 public:
  plan_function() = default;
  plan_function(const plan_function&) = delete;
  plan_function& operator=(const plan_function&) = delete;
  virtual ~plan_function() = default;

  /// Calls the function here and drops its result; throws what it throws.
  virtual void call(const plan_call& in) = 0;

  /// The same, and returns the result if that is bool or a whole number, else 0.
  [[nodiscard]] virtual std::int64_t ask(const plan_call& in) {
    call(in);
    return 0;
  }

  /// It is not called in that run, for this reason, though everything that it comes after is over.
  virtual void not_called(const plan_call& /*in*/, const failure& /*why*/) noexcept {}
};

}  // namespace hocket::detail
