// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <type_traits>
#include <vector>

#include <hocket/kernels/signature.hpp>
#include <hocket/scheduler/access.hpp>
#include <hocket/scheduler/detail/description.hpp>
#include <hocket/scheduler/detail/direct_lane.hpp>
#include <hocket/scheduler/future.hpp>
#include <hocket/scheduler/run_parameter.hpp>
#include <hocket/scheduler/task_options.hpp>

namespace hocket::detail {

/// The partial that one reduces() of one task updates, and where it goes.
template <element T, std::size_t R, class Op>
struct partial {
  buffer<T, R> values;
  region<T, R> into;
};

/// What an argument of submit is, in the words of a kernel's signature.
template <class A>
struct descriptor {
  static_assert(std::is_arithmetic_v<A>,
                "An argument of a task is a number, a future or a parameter of one, or an access: "
                "reads(b), writes(b), updates(b), reduces(b, op), scratch<T>(n).");
  using type = A;
};
template <class T>
struct descriptor<future<T>> : descriptor<T> {};
template <class T>
struct descriptor<run_parameter<T>> : descriptor<T> {};
template <element T, std::size_t R>
struct descriptor<access<T, R, access_mode::read>> {
  using type = in<T, R>;
};
template <element T, std::size_t R>
struct descriptor<access<T, R, access_mode::write>> {
  using type = out<T, R>;
};
template <element T, std::size_t R>
struct descriptor<access<T, R, access_mode::update>> {
  using type = inout<T, R>;
};
template <element T, std::size_t R, class Op>
struct descriptor<reduction_access<T, R, Op>> {
  using type = inout<T, R>;
};
template <element T, std::size_t R>
struct descriptor<scratch_access<T, R>> {
  using type = out<T, R>;
};

/// What a host function gets for an argument.
template <class A>
using body_argument_t = typename parameter_traits<typename descriptor<A>::type>::argument;

template <class Number>
[[nodiscard]] scalar_argument convert_number(Number value, element_type to) {
  switch (to) {
    case element_type::f32:
      return scalar_argument::of(static_cast<float>(value));
    case element_type::f64:
      return scalar_argument::of(static_cast<double>(value));
    case element_type::i8:
      return scalar_argument::of(static_cast<std::int8_t>(value));
    case element_type::u8:
      return scalar_argument::of(static_cast<std::uint8_t>(value));
    case element_type::i16:
      return scalar_argument::of(static_cast<std::int16_t>(value));
    case element_type::u16:
      return scalar_argument::of(static_cast<std::uint16_t>(value));
    case element_type::i32:
      return scalar_argument::of(static_cast<std::int32_t>(value));
    case element_type::u32:
      return scalar_argument::of(static_cast<std::uint32_t>(value));
    case element_type::i64:
      return scalar_argument::of(static_cast<std::int64_t>(value));
    case element_type::u64:
      return scalar_argument::of(static_cast<std::uint64_t>(value));
  }
  return {};
}

/// The type of the next parameter that has no argument yet.
[[nodiscard]] inline element_type next_type(const task_description& task) {
  return task.kernel->parameters[task.arguments.size()].type;
}

template <class Number>
requires std::is_arithmetic_v<Number>
void add_argument(task_description& task, Number value) {
  task.arguments.push_back(number_argument{convert_number(value, next_type(task))});
}

template <class Number>
[[nodiscard]] scalar_argument convert_value(const void* known, element_type to) {
  return convert_number(*static_cast<const Number*>(known), to);
}

template <class Number>
void add_argument(task_description& task, const future<Number>& value) {
  if (!value.valid()) {
    throw usage_error("Task \"" + task.label + "\" is given a future without a task as a number.");
  }
  task.arguments.push_back(number_argument{{}, value.state(), &convert_value<Number>});
}

template <class Number>
void add_argument(task_description& task, const run_parameter<Number>& value) {
  task.arguments.push_back(number_argument{
      convert_number(value.initial(), next_type(task)), {}, &convert_value<Number>, value.state()});
}

template <element T, std::size_t R, access_mode Mode>
void add_argument(task_description& task, const access<T, R, Mode>& use) {
  task.arguments.push_back(access_argument{use.what.data, use.what.where, Mode});
}

template <element T, std::size_t R, class Op>
void add_argument(task_description& task, const partial<T, R, Op>& use) {
  add_argument(task, updates(use.values));
}

/// Argument number i of a launch, as it is.
template <class Number>
requires std::is_arithmetic_v<Number>
[[nodiscard]] direct_argument direct(Number value, const kernel_definition& kernel, std::size_t i) {
  return {.number = {convert_number(value, kernel.parameters[i].type), {}, nullptr}};
}

template <class Number>
[[nodiscard]] direct_argument direct(const future<Number>& value, const kernel_definition& kernel,
                                     std::size_t /*i*/) {
  if (!value.valid()) {
    throw usage_error("Task \"" + kernel.name + "\" is given a future without a task as a number.");
  }
  return {.number = {{}, value.state(), &convert_value<Number>}};
}

template <class Number>
[[nodiscard]] direct_argument direct(const run_parameter<Number>& value,
                                     const kernel_definition& kernel, std::size_t i) {
  return direct(value.initial(), kernel, i);
}

template <element T, std::size_t R, access_mode Mode>
[[nodiscard]] direct_argument direct(const access<T, R, Mode>& use, const kernel_definition&,
                                     std::size_t /*i*/) {
  return {&use.what.data, &use.what.where, Mode, {}};
}

template <element T, std::size_t R, class Op>
[[nodiscard]] direct_argument direct(const partial<T, R, Op>& use, const kernel_definition&,
                                     std::size_t /*i*/) {
  return {&use.values.ref().data, &use.values.ref().where, access_mode::update, {}};
}

/// The description without its arguments. Throws usage_error for options that make no sense.
[[nodiscard]] task_description described(const task_options& options, const kernel_ref& kernel,
                                         bool host_only);
[[nodiscard]] std::vector<completion_ptr> states_of(std::span<const any_future> futures);

/// Throws usage_error for options that host functions without accesses do not have. The context is
/// null in a recording.
[[nodiscard]] host_options host_options_of(const task_options& options, host_context* context);

}  // namespace hocket::detail
