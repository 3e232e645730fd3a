// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <memory>
#include <string>
#include <utility>

#include <hocket/core/dtype.hpp>
#include <hocket/kernels/argument.hpp>

namespace hocket {

namespace detail {

/// What the handles of one parameter share.
struct parameter_state {
  std::string label;
  scalar_argument initial;
};
using parameter_ref = std::shared_ptr<const parameter_state>;

/// Throws usage_error: the handle names no parameter.
[[noreturn]] void refuse_empty_parameter();

}  // namespace detail

/// What a parameter is in one run of a graph; made by assigning to the parameter.
struct setting {
  detail::parameter_ref of;
  scalar_argument value;
};

/// A number that may be another one in each run of a graph. It is given to tasks in place of the
/// number, and to a run as a setting: rt.run(step, {rate = 0.05f}). Every task of that run, and of
/// graphs within it, gets the same value, whatever other runs are under way. A task that is
/// submitted to a runtime itself gets the value that the parameter was made with. A handle.
///
/// ```cpp
/// runtime rt;
/// const buffer<float> x{rt, 100, 1.0f}, y{rt, 100, 0.0f};
/// const run_parameter<float> rate{0.1f, "rate"};
/// const graph step =
///     rt.record([&](submitter& s) { s.submit(ops::axpy, rate, reads(x), updates(y)); });
/// rt.run(step);                  // 0.1
/// rt.run(step, {rate = 0.05f});  // this run alone
/// ```
template <number_element T>
class run_parameter {
 public:
  /// An empty handle, which tasks and runs refuse.
  run_parameter() = default;
  explicit run_parameter(T initial, std::string label = {})
      : state_(std::make_shared<const detail::parameter_state>(
            detail::parameter_state{std::move(label), scalar_argument::of(initial)})) {}
  run_parameter(const run_parameter&) = default;
  run_parameter& operator=(const run_parameter&) = default;
  ~run_parameter() = default;

  /// Makes a setting for one run. The parameter stays as it is.
  [[nodiscard]] setting operator=(T value) const {  // NOLINT(*-unconventional-assign-operator)
    return {state(), scalar_argument::of(value)};
  }

  /// What it is in runs that do not say otherwise.
  [[nodiscard]] T initial() const { return state()->initial.template as<T>(); }

  [[nodiscard]] const detail::parameter_ref& state() const {
    if (state_ == nullptr) [[unlikely]]
      detail::refuse_empty_parameter();
    return state_;
  }

 private:
  detail::parameter_ref state_;
};

}  // namespace hocket
