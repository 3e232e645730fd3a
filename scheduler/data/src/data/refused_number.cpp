// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <fmt/format.h>
#include <hocket/scheduler/detail/arguments.hpp>

namespace hocket::detail {

namespace {

template <class T>
std::string limits_of() {
  using limits = std::numeric_limits<T>;
  return fmt::format("{} to {}", limits::lowest(), limits::max());
}

std::string limits_of(element_type type) {
  switch (type) {
    case element_type::i8:
      return limits_of<std::int8_t>();
    case element_type::u8:
      return limits_of<std::uint8_t>();
    case element_type::i16:
      return limits_of<std::int16_t>();
    case element_type::u16:
      return limits_of<std::uint16_t>();
    case element_type::i32:
      return limits_of<std::int32_t>();
    case element_type::u32:
      return limits_of<std::uint32_t>();
    case element_type::i64:
      return limits_of<std::int64_t>();
    default:
      return limits_of<std::uint64_t>();
  }
}

}  // namespace

std::string number_text(long long value) { return fmt::format("{}", value); }
std::string number_text(unsigned long long value) { return fmt::format("{}", value); }
std::string number_text(double value) { return fmt::format("{}", value); }

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
