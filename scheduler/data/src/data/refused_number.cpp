// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <utility>

#include <fmt/format.h>
#include <hocket/scheduler/detail/arguments.hpp>

#include "data/unfit_number.hpp"

namespace hocket::detail {

namespace {

/// The position of a number among all arguments of its kernel, counted from 1.
std::size_t position_of(const number_place& where) {
  std::size_t before = 0;
  const auto& all = where.kernel.parameters;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (all[i].is == parameter::kind::scalar && before++ == where.index) return i + 1;
  }
  return all.size();
}

}  // namespace

unfit_number::unfit_number(element_type wanted, std::string number)
    : usage_error(fmt::format("The number {} has to be one of the type {}, {}.", number,
                              to_string(wanted), limits_of(wanted))),
      wanted_(wanted),
      number_(std::move(number)) {}

void refuse_number(const number_place& where, const unfit_number& given) {
  throw refused_number(fmt::format(
      "Task \"{}\" is given {} as argument {} of kernel \"{}\"; it has to be a number of the type "
      "{}, {}.",
      where.label, given.number(), position_of(where), where.kernel.name, to_string(given.wanted()),
      limits_of(given.wanted())));
}

void refuse_setting(const parameter_state& which, const unfit_number& given) {
  const std::string name = which.label.empty() ? "A run parameter without a label"
                                               : "Run parameter \"" + which.label + "\"";
  throw usage_error(
      fmt::format("{} is set to {}; the tasks that take it need a number of the type {}, {}.", name,
                  given.number(), to_string(given.wanted()), limits_of(given.wanted())));
}

void refuse_number(const kernel_definition& kernel, std::size_t i, const std::string& number) {
  const element_type type = kernel.parameters[i].type;
  throw usage_error(
      fmt::format("Argument {} of kernel \"{}\" is {}; it has to be a number of the type {}, {}.",
                  i + 1, kernel.name, number, to_string(type), limits_of(type)));
}

void refuse_number(element_type wanted, const std::string& number) {
  throw unfit_number(wanted, number);
}

}  // namespace hocket::detail
