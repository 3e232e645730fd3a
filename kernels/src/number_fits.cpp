// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#include <hocket/kernels/number_fits.hpp>

#include <hocket/core/exact_text.hpp>

namespace hocket::detail {

namespace {

template <class T>
std::string limits_as_text() {
  using limits = std::numeric_limits<T>;
  return std::to_string(limits::lowest()) + " to " + std::to_string(limits::max());
}

}  // namespace

std::string number_text(long long value) { return std::to_string(value); }
std::string number_text(unsigned long long value) { return std::to_string(value); }
std::string number_text(double value) { return exact_text(value); }

std::string limits_of(element_type type) {
  switch (type) {
    case element_type::i8:
      return limits_as_text<std::int8_t>();
    case element_type::u8:
      return limits_as_text<std::uint8_t>();
    case element_type::i16:
      return limits_as_text<std::int16_t>();
    case element_type::u16:
      return limits_as_text<std::uint16_t>();
    case element_type::i32:
      return limits_as_text<std::int32_t>();
    case element_type::u32:
      return limits_as_text<std::uint32_t>();
    case element_type::i64:
      return limits_as_text<std::int64_t>();
    case element_type::boolean:
      return "0 or 1";
    default:
      return limits_as_text<std::uint64_t>();
  }
}

}  // namespace hocket::detail
