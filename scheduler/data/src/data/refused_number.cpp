// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <fmt/format.h>
#include <hocket/scheduler/detail/arguments.hpp>

namespace hocket::detail {

void refuse_number(const kernel_definition& kernel, std::size_t i, const std::string& number) {
  const element_type type = kernel.parameters[i].type;
  throw usage_error(
      fmt::format("Argument {} of kernel \"{}\" is {}; it has to be a number of the type {}, {}.",
                  i + 1, kernel.name, number, to_string(type), limits_of(type)));
}

void refuse_number(element_type wanted, const std::string& number) {
  throw usage_error(fmt::format("The number {} has to be one of the type {}, {}.", number,
                                to_string(wanted), limits_of(wanted)));
}

}  // namespace hocket::detail
