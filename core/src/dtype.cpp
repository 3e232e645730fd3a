// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <hocket/core/dtype.hpp>

namespace hocket {

std::string_view to_string(element_type type) noexcept {
  switch (type) {
    case element_type::f32:
      return "float";
    case element_type::f64:
      return "double";
    case element_type::i8:
      return "int8";
    case element_type::u8:
      return "uint8";
    case element_type::i16:
      return "int16";
    case element_type::u16:
      return "uint16";
    case element_type::i32:
      return "int32";
    case element_type::u32:
      return "uint32";
    case element_type::i64:
      return "int64";
    case element_type::u64:
      return "uint64";
  }
  return "";
}

}  // namespace hocket
