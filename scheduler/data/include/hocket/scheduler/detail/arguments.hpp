// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <hocket/kernels/number_fits.hpp>
#include <hocket/kernels/signature.hpp>
#include <hocket/scheduler/access.hpp>
#include <hocket/scheduler/detail/description.hpp>
#include <hocket/scheduler/detail/launch_lane.hpp>
#include <hocket/scheduler/detail/refused_call.hpp>
#include <hocket/scheduler/detail/states_of.hpp>
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

/// The parameter in a kernel's signature that an argument of submit stands for. Types that are no
/// argument have no member.
template <class A>
struct descriptor {};
template <class A>
requires(std::is_arithmetic_v<A> || number_element<A>) struct descriptor<A> {
  using type = A;
};
template <class T>
struct descriptor<future<T>> : descriptor<T> {};
template <class T>
struct descriptor<run_parameter<T>> : descriptor<T> {};
template <element T, std::size_t R>
struct descriptor<access<T, R, access_mode::read>> {
  using type = in_buffer<T, R>;
};
template <element T, std::size_t R>
struct descriptor<access<T, R, access_mode::write>> {
  using type = out_buffer<T, R>;
};
template <element T, std::size_t R>
struct descriptor<access<T, R, access_mode::update>> {
  using type = inout_buffer<T, R>;
};
template <element T, std::size_t R, class Op>
struct descriptor<reduction_access<T, R, Op>> {
  using type = inout_buffer<T, R>;
};
template <element T, std::size_t R>
struct descriptor<scratch_access<T, R>> {
  using type = out_buffer<T, R>;
};

/// What a host function gets for an argument.
template <class A>
using body_argument_t = typename parameter_traits<typename descriptor<A>::type>::argument;

template <class A>
concept task_argument = requires {
  typename descriptor<A>::type;
};

/// Functions of these arguments can be called by a task.
template <class F, class... Args>
concept function_of = (task_argument<Args> && ...) && std::invocable<F&, body_argument_t<Args>...>;

/// Does not compile, with a sentence that says why one of the arguments is none of a task. The rest
/// of a call is left out then, so that the sentence stands alone.
template <class... Args>
constexpr refused_call refuse_arguments() {
  static_assert((task_argument<Args> && ...),
                "An argument of a task is a number, a future or a parameter of one, or an access: "
                "reads(b), writes(b), updates(b), reduces(b, op), scratch<T>(n).");
  return {};
}

/// As refuse_arguments(), for a function that cannot be called with its arguments.
template <class F, class... Args>
constexpr refused_call refuse_function() {
  refuse_arguments<Args...>();
  static_assert(!(task_argument<Args> && ...),
                "The function of a task cannot be called with its arguments. It takes one "
                "parameter for each, in their order: buffer_view<const T, R> for reads(b), "
                "buffer_view<T, R> for writes(b) and updates(b), where T and R are the element "
                "type and the rank of b, and a number for a number or a future.");
  return {};
}

/// As refuse_arguments(), for a function that is given nothing else.
template <class F>
constexpr refused_call refuse_without_accesses() {
  static_assert(sizeof(F) == 0,
                "A function without accesses is given to async(f), or to async(options, f).");
  return {};
}

/// Throws usage_error: argument i of the kernel does not hold that number.
[[noreturn]] void refuse_number(const kernel_definition& kernel, std::size_t i,
                                const std::string& number);
/// Throws usage_error for the number of a future, of which the kernel is not known.
[[noreturn]] void refuse_number(element_type wanted, const std::string& number);

/// Precondition: it fits.
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
    case element_type::f16:
      return scalar_argument::of(float16(static_cast<float>(value)));
    case element_type::bf16:
      return scalar_argument::of(bfloat16(static_cast<float>(value)));
    case element_type::f8e4m3:
      return scalar_argument::of(float8_e4m3(static_cast<float>(value)));
    case element_type::f8e5m2:
      return scalar_argument::of(float8_e5m2(static_cast<float>(value)));
    case element_type::boolean:
      return scalar_argument::of(static_cast<bool>(value));
    case element_type::c64:
    case element_type::c128:
    case element_type::structures:
      break;
  }
  return {};
}

/// Throws usage_error if argument i of the kernel does not hold the number.
template <class Number>
[[nodiscard]] scalar_argument checked_number(Number value, const kernel_definition& kernel,
                                             std::size_t i) {
  const element_type to = kernel.parameters[i].type;
  if (!number_fits(value, to)) [[unlikely]]
    refuse_number(kernel, i, number_text(widened(value)));
  return convert_number(value, to);
}

template <class Number>
requires(std::is_arithmetic_v<Number> ||
         number_element<Number>) void add_argument(task_description& task, Number value) {
  const std::size_t i = task.arguments.size();
  task.arguments.push_back(number_argument{checked_number(value, *task.kernel, i)});
}

/// Throws usage_error if the type does not hold the number.
template <class Number>
[[nodiscard]] scalar_argument convert_value(const void* known, element_type to) {
  const Number value = *static_cast<const Number*>(known);
  if (!number_fits(value, to)) [[unlikely]]
    refuse_number(to, number_text(widened(value)));
  return convert_number(value, to);
}

template <class Number>
void add_argument(task_description& task, const future<Number>& value) {
  if (!value.valid()) {
    throw usage_error("Task \"" + std::string(task.label_text()) +
                      "\" is given a future without a task as a number.");
  }
  task.arguments.push_back(number_argument{{}, value.state(), &convert_value<Number>});
}

template <class Number>
void add_argument(task_description& task, const run_parameter<Number>& value) {
  const std::size_t i = task.arguments.size();
  task.arguments.push_back(number_argument{
      checked_number(value.initial(), *task.kernel, i), {}, &convert_value<Number>, value.state()});
}

template <element T, std::size_t R, access_mode Mode>
void add_argument(task_description& task, const access<T, R, Mode>& use) {
  task.arguments.push_back(access_argument{use.what.data, use.what.where(), Mode});
}

template <element T, std::size_t R, class Op>
void add_argument(task_description& task, const partial<T, R, Op>& use) {
  add_argument(task, updates(use.values));
}

/// An argument of a launch, as it is: of the type that the kernel has for it, or to be.
template <class Number>
requires(std::is_arithmetic_v<Number> || number_element<Number>) [[nodiscard]] borrowed_number
    in_place(Number value, const kernel_definition& kernel, std::size_t i) {
  return {.value = checked_number(value, kernel, i)};
}

template <class Number>
[[nodiscard]] borrowed_number in_place(const future<Number>& value, const kernel_definition& kernel,
                                       std::size_t i) {
  if (!value.valid()) {
    throw usage_error("Task \"" + kernel.name + "\" is given a future without a task as a number.");
  }
  return {{kernel.parameters[i].type}, &value.checked_state(), &convert_value<Number>};
}

template <class Number>
[[nodiscard]] borrowed_number in_place(const run_parameter<Number>& value,
                                       const kernel_definition& kernel, std::size_t i) {
  return in_place(value.initial(), kernel, i);
}

template <element T, std::size_t R, access_mode Mode>
[[nodiscard]] borrowed_access in_place(const access<T, R, Mode>& use, const kernel_definition&,
                                       std::size_t /*i*/) {
  return {&use.what.data, use.what.part(), Mode};
}

template <element T, std::size_t R, class Op>
[[nodiscard]] borrowed_access in_place(const partial<T, R, Op>& use, const kernel_definition&,
                                       std::size_t /*i*/) {
  return {&use.values.ref().data, use.values.ref().part(), access_mode::update};
}

/// The arguments of a launch, in the order of the kernel's signature.
template <class... Args>
class in_place_arguments {
 public:
  explicit in_place_arguments(const kernel_definition& kernel, const Args&... args) {
    std::size_t i = 0;
    (add(in_place(args, kernel, i++)), ...);
  }

  [[nodiscard]] borrowed_launch launch_of(const kernel_ref& kernel, const task_options* options,
                                          taken_function function,
                                          make_device_state make_state) const noexcept {
    return {kernel, accesses_, numbers_, parts_, awaited_, options, function, make_state};
  }

 private:
  template <class A>
  static constexpr bool is_number =
      std::is_same_v<decltype(in_place(std::declval<const A&>(),
                                       std::declval<const kernel_definition&>(), 0)),
                     borrowed_number>;
  static constexpr std::size_t number_count = (std::size_t{0} + ... + std::size_t{is_number<Args>});

  void add(const borrowed_access& use) noexcept {
    accesses_[uses_++] = use;
    parts_ += use.part != nullptr ? 1 : 0;
  }
  void add(const borrowed_number& number) noexcept {
    numbers_[given_++] = number;
    awaited_ += number.from != nullptr ? 1 : 0;
  }

  std::array<borrowed_access, sizeof...(Args) - number_count> accesses_;
  std::array<borrowed_number, number_count> numbers_;
  std::uint32_t parts_ = 0;
  std::uint32_t awaited_ = 0;
  std::size_t uses_ = 0;
  std::size_t given_ = 0;
};

/// The description without its arguments. Throws usage_error for options that make no sense.
[[nodiscard]] task_description described(const task_options& options, const kernel_ref& kernel,
                                         bool host_only);

/// A launch with copies of all that it names.
[[nodiscard]] task_description described(const borrowed_launch& what);

}  // namespace hocket::detail
