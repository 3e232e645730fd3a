// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <hocket/core/packed.hpp>

#include <string>

#include <hocket/core/error.hpp>

namespace hocket::detail {

namespace {

std::string name_of_packed(unsigned bits, bool is_signed) {
  return std::string("packed_") + (is_signed ? "i" : "u") + std::to_string(bits);
}

[[noreturn]] void refuse_packed_text(unsigned bits, bool is_signed, std::size_t index,
                                     const std::string& value) {
  const int lowest = is_signed ? -(1 << (bits - 1)) : 0;
  throw usage_error(
      "Integer " + std::to_string(index) + " of a " + name_of_packed(bits, is_signed) +
      " is to be " + value + "; it holds integers from " + std::to_string(lowest) + " to " +
      std::to_string(lowest + (1 << bits) - 1) + ". set_saturated() takes the nearest of them.");
}

}  // namespace

void refuse_packed_index(unsigned bits, bool is_signed, std::size_t index) {
  throw usage_error("Integer " + std::to_string(index) + " of a " +
                    name_of_packed(bits, is_signed) + " is asked for; it holds " +
                    std::to_string(8 / bits) + " integers, numbered from 0.");
}

void refuse_packed_value(unsigned bits, bool is_signed, std::size_t index, std::int64_t value) {
  refuse_packed_text(bits, is_signed, index, std::to_string(value));
}

void refuse_packed_value(unsigned bits, bool is_signed, std::size_t index, std::uint64_t value) {
  refuse_packed_text(bits, is_signed, index, std::to_string(value));
}

}  // namespace hocket::detail
