// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include <hocket/core/dtype.hpp>
#include <hocket/core/error.hpp>
#include <hocket/kernels/argument.hpp>
#include <hocket/kernels/definition.hpp>
#include <hocket/scheduler/run_parameter.hpp>

namespace hocket::detail {

/// Thrown by convert_value(), which knows neither the task nor the kernel that takes the number.
class unfit_number : public usage_error {
 public:
  unfit_number(element_type wanted, std::string number);

  [[nodiscard]] element_type wanted() const noexcept { return wanted_; }
  [[nodiscard]] const std::string& number() const noexcept { return number_; }

 private:
  element_type wanted_;
  std::string number_;
};

/// The refusal of a number, with a message that names the task, its kernel and the argument.
class refused_number : public usage_error {
 public:
  using usage_error::usage_error;
};

/// Where a number of a task goes.
struct number_place {
  const kernel_definition& kernel;
  std::size_t index;       ///< among the numbers of the kernel
  std::string_view label;  ///< of the task
};

using number_converter = scalar_argument (*)(const void* value, element_type to);

[[noreturn]] void refuse_number(const number_place& where, const unfit_number& given);

/// Throws usage_error: a run sets the parameter to that number, which a task does not take.
[[noreturn]] void refuse_setting(const parameter_state& which, const unfit_number& given);

/// Converts the result of a future, or what a parameter is in a run. Throws refused_number.
[[nodiscard]] inline scalar_argument convert_number_for(const number_place& where,
                                                        number_converter convert, const void* value,
                                                        element_type to) {
  try {
    return convert(value, to);
  } catch (const unfit_number& given) {
    refuse_number(where, given);
  }
}

}  // namespace hocket::detail
